"""The pages of reviews: the review of a hand, and how well a player or a pair played in reviewed hands."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.controls import Control
from league.console.forms import FormPage, NextPage, to
from league.console.pages import Page, PageFragment
from league.console.site_part import SitePart

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT = 72, 20
"""Margins beside the curve. The left one has the values."""
TOP, BOTTOM = 36, 30
"""Margins above and below the curve, for the numbers of turns with mistakes."""
LINE = 24
"""Height of a line of text."""


class MoveDot(Struct, frozen=True):
    """A move on the curve, or the end of the curve."""

    x: float
    y: float
    turn: int | None
    """The number of the turn; None for the result of the hand."""
    value: float
    """Points of the first side, minus those of the others."""
    is_mistake: bool

    @property
    def label_y(self) -> float:
        """Where the number of the turn stands: above the dot, or below it if the first side is behind."""
        return self.y - LINE / 2 if self.value >= 0 else self.y + LINE


class HandCurve(Struct, frozen=True):
    """The curve of a hand in a picture of WIDTH by HEIGHT."""

    dots: tuple[MoveDot, ...]
    zero: float
    """The y of the line at which neither side is ahead."""

    @property
    def line(self) -> str:
        """The points of the line, as SVG writes them."""
        return " ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in self.dots)

    @property
    def labels(self) -> list[tuple[float, float]]:
        """Two labels on the axis, as y and value: the highest and the lowest value, at least a line apart."""
        high, low = max(self.dots, key=lambda dot: dot.value), min(self.dots, key=lambda dot: dot.value)
        missing = max(0.0, LINE - (low.y - high.y)) / 2
        return [(high.y - missing, high.value), (low.y + missing, low.value)]


def curve_of(moves: Sequence[Mapping[str, Any]], parts: Sequence[Mapping[str, Any]] | None) -> HandCurve | None:
    """The curve through all moves with a choice, up to the result of the hand. None with fewer than two such moves.

    `parts`: what made the result, by side; None while it is not known.
    """
    chosen = [move for move in moves if len(move["options"]) > 1]
    if len(chosen) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    points: list[tuple[int | None, float, bool]] = [
        (move["turn"], move["played"]["worth"]["value"] * (1 if move["side"] == 0 else -1), move["isMistake"])
        for move in chosen
    ]
    if parts:
        points.append((None, parts[0]["result"], False))
    values = [value for _, value, _ in points]
    high, low = max(0.0, *values), min(0.0, *values)
    step, scale = (WIDTH - LEFT - RIGHT) / (len(points) - 1), (HEIGHT - TOP - BOTTOM) / max(1.0, high - low)
    dots = tuple(
        MoveDot(LEFT + at * step, TOP + (high - value) * scale, turn, value, is_mistake)
        for at, (turn, value, is_mistake) in enumerate(points)
    )
    return HandCurve(dots, zero=TOP + high * scale)


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


def _reviewed(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    hand = data["match"]["hand"]
    if hand is None:
        raise NoPage(404)
    review = hand["review"]
    return {"hand": hand, "curve": curve_of(review["moves"], review["parts"]) if review else None}


def _asked(form: FormData, request: Request) -> Mapping[str, Any]:
    """The hand of the page; with the second button, all hands of the match."""
    of = _hand(request)
    return {"match": of["match"]} if "all" in form else of


REVIEW = FormPage(
    path="/matches/{id}/hands/{number}/review",
    name="review",
    folder=HERE,
    variables=_of_hand,
    needs="match",
    adds=_reviewed,
    mutation="requestReview",
    input=_asked,
    # Go to the page of the hand, beside the address of the form; also after a request for all hands.
    then=NextPage("", lambda _answer, _url: "review"),
    is_for_all=True,
)


PLAY_OF_PLAYER = FormPage(
    path="/players/{id}/reviews",
    name="play_of_player",
    folder=HERE,
    document="figures.graphql",
    template="figures.html",
    needs="player",
    mutation="setReviewConsent",
    address={"player": "id"},
    controls=(Control("consents"),),
    then=to("play_of_player", id="playerId"),
    is_for_all=True,
)
PLAY_OF_PAIR = Page(
    path="/teams/{id}/reviews",
    name="play_of_pair",
    folder=HERE,
    document="figures_of_pair.graphql",
    template="figures.html",
    needs="team",
)

SITE = SitePart(
    pages=(REVIEW, PLAY_OF_PLAYER, PLAY_OF_PAIR),
    static=HERE / "static",
    on_matches=PageFragment("matchId", ON_PAGES),
    on_players=ON_PAGES,
)
