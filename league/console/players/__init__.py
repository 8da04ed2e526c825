"""Players and pairs: their ratings, record, badges and company; and two players head to head."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page
from league.console.players.player_picture import picture_of_player
from league.console.players.rating_chart import rating_chart

HERE = Path(__file__).parent
CHARTS = {"one_on_one": "oneOnOne", "two_on_two": "twoOnTwo"}


def _id(request: Request) -> Mapping[str, Any]:
    return {"id": request.path_params["id"]}


def _with_charts_and_coming_badges(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    player = data["player"]
    coming = [one for one in player["badgeProgress"] if one["next"] is not None]
    coming.sort(key=lambda one: -one["reached"] / one["next"]["threshold"])
    charts = {mode: rating_chart(player[field]["points"]) for mode, field in CHARTS.items()}
    return {**charts, "coming": coming}


PLAYER = Page(
    path="/players/{id}",
    name="player",
    folder=HERE,
    document="player.graphql",
    template="player.html",
    variables=_id,
    needs="player",
    picture=picture_of_player,
    adds=_with_charts_and_coming_badges,
)

TEAM = Page(
    path="/teams/{id}",
    name="team",
    folder=HERE,
    document="team.graphql",
    template="team.html",
    variables=_id,
    needs="team",
    adds=lambda data, _request: {"chart": rating_chart(data["team"]["ratingSeries"]["points"])},
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
