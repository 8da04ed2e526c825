"""The visitor's own part of the first page: what waits for them, and how they stand as a player."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import Ask, Visitor, document_in
from league.console.forms import NextPage
from league.console.pages import WaitingLink, with_fields_of_features
from league.console.present import present
from league.console.scorekeeping.matches import form_of_match
from league.domain.sentences import say, say_count

HERE = Path(__file__).parent
OF_FEATURES = "query MyPageOfFeatures($me: ID!) { ...MyPageOfFeatures }"
"""Asks for what features show on a player's page."""
RECENTLY = timedelta(days=2)
"""Open matches that began longer ago are not what somebody plays now."""

DECIDED_AT: Mapping[str, WaitingLink] = {
    "RESULTS_TO_CONFIRM": WaitingLink(
        "confirm_results",
        lambda count: say_count("{count} result to be confirmed", "{count} results to be confirmed", count),
    ),
    "DISPUTES": WaitingLink(
        "disputes", lambda count: say_count("{count} open dispute", "{count} open disputes", count)
    ),
    "ACCESS_REQUESTS": WaitingLink(
        "members", lambda count: say_count("{count} person asks for access", "{count} people ask for access", count)
    ),
}
"""Where people decide what waits for them, by kind."""


async def complete(ask: Ask, _variables: Mapping[str, Any], data: dict[str, Any], visitor: Visitor) -> None:
    """Add `mine`, what only this visitor sees; None for visitors without a role, for whom nothing is asked."""
    data["mine"] = None
    if visitor.viewer.roles and data["league"] is not None:
        mine = await ask(document_in(HERE / "my_page.graphql"), {"recently": (present() - RECENTLY).isoformat()})
        if mine["viewer"] is not None and mine["viewer"]["player"] is not None:
            mine |= await ask(with_fields_of_features(OF_FEATURES), {"me": visitor.viewer.sub})
        data["mine"] = mine


def _this_match(_form: FormData, request: Request) -> Mapping[str, Any]:
    return {"matches": [request.path_params["id"]]}


def _back_home(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """The first page, which says what became of the confirmation."""
    [one] = answer["answers"]
    told = one["refusal"]["code"] if one["refusal"] else one["match"]["status"] if one["match"] else "NOT_FOUND"
    return f"{url('home')}?{urlencode({'told': told, 'match': one['matchId']})}"


PAGES = (
    # Not `confirmResult`: a second tap, or a confirmation from another phone, is no error of the form.
    form_of_match(
        mutation="confirmResults",
        path="/matches/{id}/confirm/mine",
        name="confirm_from_home",
        heading=say("Confirm the result"),
        words=say(
            "You say that the result is right. Where the league asks for it, the match counts once a player of "
            "each side has confirmed it."
        ),
        address={},
        input=_this_match,
        then=NextPage("answers { matchId refusal { code } match { status } }", _back_home),
    ),
)
