"""Matches: the list of all, the page of one with its hands and its picture, and the turns of a hand."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.addresses import beginning_of, day_of, end_of
from league.console.asking import NoPage
from league.console.pages import Page
from league.domain.sentences import say, say_count
from league.pictures.pictures import PictureRow, PictureTable, table_picture
from league.wording.matches import status_in_words
from league.wording.numbers import date_of

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)

FILTERS = ("mode", "region", "season", "competitor")
"""The parameters of the address that filter matches, besides the status and the days."""


def _filter(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The filter in the address. An empty parameter filters nothing."""
    asked = request.query_params
    wanted: dict[str, Any] = {name: asked[name] for name in FILTERS if asked.get(name)}
    if asked.get("status"):
        wanted["status"] = [asked["status"]]
    wanted["beganFrom"] = beginning_of(day_of(request, "from"), zone)
    wanted["beganBefore"] = end_of(day_of(request, "to"), zone)
    return {"filter": wanted}


def _with_the_turns(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    number = request.path_params["number"]
    hand = next((one for one in data["match"]["hands"] if str(one["number"]) == number), None)
    if hand is None or hand["transcript"] is None:
        raise NoPage(404)
    return {"hand": hand, "chain": chain_of(hand["transcript"]["turns"])}


def chain_of(turns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The turns that played a tile, in the order in which the tiles lie at the end of the hand."""
    chain: list[Mapping[str, Any]] = []
    for turn in turns:
        if turn["tile"] is None or turn["where"] == "DRAW":
            continue
        if turn["where"] == "LEFT":
            chain.insert(0, turn)
        else:
            chain.append(turn)
    return chain


def match_picture(data: Mapping[str, Any]) -> str:
    """The picture of a match as SVG, from the data of its document."""
    match, league = data["match"], data["league"]
    rows = [
        PictureRow(
            1 if side["won"] else None,
            " & ".join(player["displayName"] for player in side["players"]),
            say_count("has won", "have won", len(side["players"])) if side["won"] else "",
            "-" if side["score"] is None else str(side["score"]),
        )
        for side in match["sides"]
    ]
    when = datetime.fromisoformat(match["decidedAt"] or match["beganAt"])
    day, status = date_of(when, ZoneInfo(league["timeZone"])), status_in_words(match["status"].lower())
    hands = say_count("{count} hand", "{count} hands", len(match["hands"])) if match["hands"] else ""
    foot, subtitle = (league["name"], day), status
    return table_picture(PictureTable(match["ruleset"]["title"], subtitle, hands, say("Score"), rows, foot))


PAGES = (
    page(path="/matches", name="matches", at_replay=True, by_clock=_filter),
    page(path="/matches/{id}", name="match", at_replay=True, needs="match", picture=match_picture),
    page(path="/matches/{id}/hands/{number}/turns", name="turns", at_replay=True, needs="match", adds=_with_the_turns),
)
