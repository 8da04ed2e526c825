"""Opening a match: its rules, how it is played, what it counts for, when it began, and who sits where."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import PLAYED_AT, FieldErrors, clock_time_in
from league.console.forms import FormPage, to
from league.console.present import rulesets_in_force
from league.wording.language import _

SEATS = {"ONE_ON_ONE": (2,), "TWO_ON_TWO": (4,), "INDIVIDUALS": (3, 4)}
"""How many sit, by mode."""


def _match(form: FormData, _request: Request) -> Mapping[str, Any]:
    mode = str(form.get("mode", ""))
    if mode not in SEATS:
        raise FieldErrors({"mode": _("Say how it is played.")})
    # Seats that the mode does not have may still hold what was typed before the mode was chosen.
    seats = [str(form.get(f"seats.{seat}", "")).strip() for seat in range(max(SEATS[mode]))]
    if mode == "INDIVIDUALS" and not seats[-1]:
        seats = seats[:-1]
    empty = {f"seats.{seat}": _("Name a player.") for seat, player in enumerate(seats) if not player}
    if empty:
        raise FieldErrors(empty)
    competition = str(form.get("competition", "COMPETITIVE"))
    return {
        "ruleset": str(form.get("ruleset", "")),
        "mode": mode,
        "competition": competition,
        "seats": seats,
        "playedAt": clock_time_in(form, PLAYED_AT),
    }


OPEN = FormPage(
    path="/record/match",
    folder=Path(__file__).parent,
    document="open.graphql",
    template="open.html",
    adds=lambda data, _request: {"rulesets": rulesets_in_force(data["timeline"])},
    mutation="openMatch",
    named=("seats.0", "seats.1", "seats.2", "seats.3"),
    input=_match,
    then=to("record_hand", id="matchId"),
)
