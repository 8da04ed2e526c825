"""The page of a review: the curve of the hand, the moves that mattered, and what made the result."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.forms import FormPage
from league.console.shown import Shown
from league.console.site_part import SitePart
from league.review.console.curve import curve_of

HERE = Path(__file__).parent


def _hand(request: Request) -> Mapping[str, Any]:
    number = request.path_params["number"]
    if not number.isdecimal() or len(number) > 4:  # noqa: PLR2004  # no match has so many hands
        raise NoPage(404)
    return {"match": request.path_params["id"], "hand": int(number)}


def _match(request: Request) -> Mapping[str, Any]:
    return {"id": request.path_params["id"]}


def _reviewed(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    number = _hand(request)["hand"]
    hand = next((one for one in data["match"]["hands"] if one["number"] == number), None)
    if hand is None or not hand["hasTranscript"]:
        raise NoPage(404)
    return {"hand": hand, "curve": curve_of(hand["review"]["moves"]) if hand["review"] else None}


def _asked(_form: FormData, request: Request) -> Mapping[str, Any]:
    return _hand(request)


def _to_the_review(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    return url("review", id=answer["match"]["matchId"], number=answer["hand"])


REVIEW = FormPage(
    path="/matches/{id}/hands/{number}/review",
    name="review",
    folder=HERE,
    document="review.graphql",
    template="review.html",
    variables=_match,
    needs="match",
    adds=_reviewed,
    mutation="review.mutation.graphql",
    input=_asked,
    then=_to_the_review,
)

SITE = SitePart(pages=(REVIEW,), static=HERE / "static", on_matches=Shown("matchId", "review/console/on_pages.html"))
