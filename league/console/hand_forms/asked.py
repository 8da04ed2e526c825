"""What the form of a hand asks: who sits where, and which facts can matter under the rules of the match."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData

from league.domain.bonuses import BONUSES, HandFact
from league.domain.seating import FULL_TABLE


def asked_of(match: Mapping[str, Any]) -> Mapping[str, Any]:
    """For the template of a hand's form, beside the match itself."""
    rules = match["ruleset"]["rules"]
    points = rules.get("bonuses") or {}
    facts = _facts_of_bonuses(points)
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
        "asks_opening_pass": "opening_pass" in facts,
        "asks_corridos": "corrido" in facts,
        "asks_draws": "drew" in facts and len(seats) < FULL_TABLE,
        "asks_key_bone": points.get("key_bone") is not None,
        # It has a question of its own. Without points for it, the one about the key bone asks the same.
        "asks_capicua": points.get("capicua") is not None or points.get("key_bone") is None,
        "asks_chuchazo": points.get("chuchazo") is not None,  # a word of players for the tile 0-0
        "asks_tile": "closing" in facts or bool(rules["capicua_void_on"]),
        "control_names": [
            *(f"facts.leftover.{seat['number']}" for seat in seats),
            *(f"facts.passes.drew.{seat['number']}" for seat in seats),
            *(f"facts.{name}.{side['number']}" for name in ("sideLeftover", "passes.corridosBySide") for side in sides),
        ],
    }


def _facts_of_bonuses(points: Mapping[str, Any]) -> set[HandFact]:
    """The facts that the bonuses of a ruleset rest on, by their points; a capicúa has a question of its own."""
    played = [bonus for setting, bonus in BONUSES.items() if points.get(setting) is not None and setting != "capicua"]
    return {fact for bonus in played for fact in bonus.facts}


def photos_in(form: FormData) -> list[str]:
    """The photos whose counts the hand takes."""
    return [str(photo) for photo in form.getlist("photos")]
