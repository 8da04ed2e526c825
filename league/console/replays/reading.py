"""The list of replays, and one of them: its progress, and what would change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page
from league.console.replays.slope_chart import slope_chart

HERE = Path(__file__).parent


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
)

REPLAY = Page(
    path="/admin/replays/{number}",
    name="replay",
    folder=HERE,
    document="replay.graphql",
    template="replay.html",
    needs="replay",
    adds=_chart,
)

PAGES = (REPLAYS, REPLAY)
