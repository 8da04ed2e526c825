"""What the form of a hand asks: who sits where, and which facts can matter under the rules of the match."""

from collections.abc import Mapping
from typing import Any

from league.domain.seating import FULL_TABLE


def asked_of(match: Mapping[str, Any]) -> Mapping[str, Any]:
    """For the template of a hand's form, beside the match itself."""
    rules = match["ruleset"]["rules"]
    bonuses = rules.get("bonuses") or {}
    seats = [
        {"number": seat["number"], "side": seat["side"], "name": seat["player"]["displayName"]}
        for seat in match["seats"]
    ]
    sides = [
        {
            "number": side["number"],
            "name": " & ".join(one["displayName"] for one in side["players"]),
            "seats": [seat for seat in seats if seat["side"] == side["number"]],
        }
        for side in match["sides"]
    ]
    counts = rules["scoring"] == "points"
    return {
        "seats": seats,
        "sides": sides,
        "pairs": len(seats) > len(sides),
        # The pips of each player and not of the side alone, to compare hands or to score the partner of who went out.
        "by_seat": len(seats) > len(sides)
        and ((counts and rules["counted_pips"] == "all_others") or rules["block_winner"] == "lowest_hand"),
        "only_losers": counts and rules["counted_pips"] == "opponents",
        "asks_opening_pass": _gives(bonuses, "opening_pass"),
        "asks_corridos": _gives(bonuses, "pase_corrido"),
        "asks_draws": _gives(bonuses, "domino_without_draw") and len(seats) < FULL_TABLE,
        "asks_tile": _gives(bonuses, "double_out") or _gives(bonuses, "chuchazo") or bool(rules["capicua_void_on"]),
        "control_names": [
            *(f"facts.leftover.{seat['number']}" for seat in seats),
            *(f"facts.passes.drew.{seat['number']}" for seat in seats),
            *(f"facts.{name}.{side['number']}" for name in ("sideLeftover", "passes.corridosBySide") for side in sides),
        ],
    }


def _gives(bonuses: Mapping[str, Any], name: str) -> bool:
    return bonuses.get(name) is not None
