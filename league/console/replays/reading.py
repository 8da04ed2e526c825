"""The list of replays, and one of them: its progress, and what would change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.addresses import number_of
from league.console.pages import Page
from league.console.replays.slope_chart import slope_chart

HERE = Path(__file__).parent


def replay_of_address(request: Request) -> Mapping[str, Any]:
    """The replay that the address names. Raises NoPage."""
    return {"number": number_of(request)}


def _replay_and_list(request: Request) -> Mapping[str, Any]:
    return {**replay_of_address(request), "after": request.query_params.get("after")}


def _chart(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    replay = data["replay"]
    moved = replay["difference"]["places"]["nodes"] if replay and replay["difference"] else []
    return {"slopes": slope_chart(moved)}


REPLAYS = Page(
    path="/admin/replays",
    name="replays",
    folder=HERE,
    document="replays.graphql",
    template="replays.html",
    variables=lambda request: {"after": request.query_params.get("after")},
)

REPLAY = Page(
    path="/admin/replays/{number}",
    name="replay",
    folder=HERE,
    document="replay.graphql",
    template="replay.html",
    variables=_replay_and_list,
    needs="replay",
    adds=_chart,
)

PAGES = (REPLAYS, REPLAY)
