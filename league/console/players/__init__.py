"""Players and pairs: their ratings, record, badges and company; and two players head to head."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.addresses import beginning_of, day_of, end_of
from league.console.pages import Page
from league.console.players.player_picture import picture_of_pair, picture_of_player
from league.console.players.rating_chart import rating_chart

HERE = Path(__file__).parent
CHARTS = {"one_on_one": "oneOnOne", "two_on_two": "twoOnTwo"}


def _by_the_end_of_the_day(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The last moment of the day in the address, so that its matches count, and the first one after it."""
    day = day_of(request, "day")
    return {"asOf": end_of(day, zone), "before": day and beginning_of(day + timedelta(days=1), zone)}


def _as_of(data: Mapping[str, Any], request: Request) -> str | None:
    """The moment that the page shows; None: now."""
    return end_of(day_of(request, "day"), ZoneInfo(data["league"]["timeZone"]))


def _adds_to_player(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The charts, the badges by then, and those that come next: how far one was on the way is only known of now."""
    player, as_of = data["player"], _as_of(data, request)
    coming = [one for one in player["badgeProgress"] if as_of is None and one["next"] is not None]
    coming.sort(key=lambda one: -one["reached"] / one["next"]["threshold"])
    charts = {mode: rating_chart(player[field]["points"]) for mode, field in CHARTS.items()}
    return {**charts, "coming": coming, "badges": _earned_by(as_of, player["badges"]), "as_of": as_of}


def _adds_to_team(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The chart, and the badges by then."""
    team, as_of = data["team"], _as_of(data, request)
    chart = rating_chart(team["ratingSeries"]["points"])
    return {"chart": chart, "badges": _earned_by(as_of, team["badges"]), "as_of": as_of}


def _earned_by(as_of: str | None, badges: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if as_of is None:
        return badges
    moment = datetime.fromisoformat(as_of)
    return [earned for earned in badges if datetime.fromisoformat(earned["earnedAt"]) <= moment]


PLAYER = Page(
    path="/players/{id}",
    name="player",
    folder=HERE,
    document="player.graphql",
    template="player.html",
    by_clock=_by_the_end_of_the_day,
    needs="player",
    picture=picture_of_player,
    adds=_adds_to_player,
)

TEAM = Page(
    path="/teams/{id}",
    name="team",
    folder=HERE,
    document="team.graphql",
    template="team.html",
    by_clock=_by_the_end_of_the_day,
    needs="team",
    picture=picture_of_pair,
    adds=_adds_to_team,
)

HEAD_TO_HEAD = Page(
    path="/players/{id}/against/{other}",
    name="head_to_head",
    folder=HERE,
    document="head_to_head.graphql",
    template="head_to_head.html",
    variables=lambda request: {"a": request.path_params["id"], "b": request.path_params["other"]},
    needs="headToHead",
)

PAGES = (PLAYER, TEAM, HEAD_TO_HEAD)
