"""The pages of reviews: that of a hand, and how well a player or a pair played in the hands that were reviewed."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.forms import FormPage
from league.console.pages import Page
from league.console.shown import Shown
from league.console.site_part import SitePart
from league.review.console.curve import curve_of

HERE = Path(__file__).parent
ON_PAGES = "review/console/on_pages.html"


def _hand(request: Request) -> Mapping[str, Any]:
    number = request.path_params["number"]
    if not number.isdecimal() or len(number) > 4:  # noqa: PLR2004  # no match has so many hands
        raise NoPage(404)
    return {"match": request.path_params["id"], "hand": int(number)}


def _of_hand(request: Request) -> Mapping[str, Any]:
    of = _hand(request)
    return {"id": of["match"], "number": of["hand"]}


def _of_address(request: Request) -> Mapping[str, Any]:
    return {"id": request.path_params["id"]}


def _reviewed(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    hand = data["match"]["hand"]
    if hand is None:
        raise NoPage(404)
    review = hand["review"]
    return {"hand": hand, "curve": curve_of(review["moves"], review["parts"]) if review else None}


def _asked(form: FormData, request: Request) -> Mapping[str, Any]:
    """The hand of the page, or with the second button all hands of the match."""
    of = _hand(request)
    return {"match": of["match"]} if "all" in form else of


def _to_the_same_page(_answer: Mapping[str, Any], _url: Callable[..., str]) -> str:
    """An address beside that of the form, which is the page itself: also after all hands were asked for."""
    return "review"


REVIEW = FormPage(
    path="/matches/{id}/hands/{number}/review",
    name="review",
    folder=HERE,
    document="review.graphql",
    template="review.html",
    variables=_of_hand,
    needs="match",
    adds=_reviewed,
    mutation="review.mutation.graphql",
    input=_asked,
    then=_to_the_same_page,
)


def _consent(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"player": request.path_params["id"], "consents": form.get("consents") == "yes"}


PLAY_OF_PLAYER = FormPage(
    path="/players/{id}/reviews",
    name="play_of_player",
    folder=HERE,
    document="figures.graphql",
    template="figures.html",
    variables=_of_address,
    needs="player",
    mutation="consent.mutation.graphql",
    input=_consent,
    then=lambda answer, url: url("play_of_player", id=answer["playerId"]),
)
PLAY_OF_PAIR = Page(
    path="/teams/{id}/reviews",
    name="play_of_pair",
    folder=HERE,
    document="figures_of_pair.graphql",
    template="figures.html",
    variables=_of_address,
    needs="team",
)

SITE = SitePart(
    pages=(REVIEW, PLAY_OF_PLAYER, PLAY_OF_PAIR),
    static=HERE / "static",
    on_matches=Shown("matchId", ON_PAGES),
    on_players=ON_PAGES,
)
