"""Recording the next hand of a match."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import PLAYED_AT, moment_in, number_in
from league.console.forms import FormPage, Look, Then
from league.console.hand_forms.asked import asked_of, photos_in
from league.console.hand_forms.facts import facts_in
from league.console.site_part import evidence_of

HERE = Path(__file__).parent


def score_variables(given: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The variables of `score.graphql`."""
    return {"id": given["match"], "facts": given["facts"], "hand": given["hand"], "photos": given["photos"]}


def _hand(form: FormData, request: Request) -> Mapping[str, Any]:
    played_at = moment_in(form, PLAYED_AT)
    return {
        "match": request.path_params["id"],
        "hand": number_in(form, "hand"),
        "playedAt": played_at,
        # A device sends its times. Of two devices the person has put the hands in order, by their numbers.
        "outOfOrder": played_at is not None,
        "facts": facts_in(form),
        "photos": photos_in(form),
    }


def _shown(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    hands = data["match"]["hands"]
    next_hand = len(hands) + 1
    return {
        **asked_of(data["match"]),
        "next_hand": next_hand,
        "last_hand": hands[-1] if hands else None,
        **evidence_of(data["match"], next_hand, None, [seat["side"] for seat in data["match"]["seats"]]),
        "suggested": {},
        "recorded": "",
    }


def _next(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """To the next hand, or where this one has ended the match to the match."""
    match = answer["match"]
    page = "record_hand" if match is None or match["status"] == "OPEN" else "match"
    return url(page, id=answer["matchId"])


RECORD = FormPage(
    path="/matches/{id}/record",
    folder=HERE,
    document="record.graphql",
    template="record.html",
    needs="match",
    adds=_shown,
    mutation="recordHand",
    input=_hand,
    then=Then("matchId match { status }", _next),
    look=Look(document="score.graphql", variables=score_variables, template="score.html"),
)
