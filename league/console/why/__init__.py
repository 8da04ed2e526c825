"""Why a number is what it is: a rating change, a hand, a standing; in two runs; and without a match."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page
from league.console.why.waterfall import waterfall

HERE = Path(__file__).parent


def _change_of(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "of": request.path_params["of"]}


def _with_waterfall(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    return {"waterfall": waterfall(data["ratingChange"])}


CHANGE = Page(
    path="/matches/{id}/changes/{of}",
    name="change",
    folder=HERE,
    document="change.graphql",
    template="change.html",
    variables=_change_of,
    needs="ratingChange",
    adds=_with_waterfall,
)

PAGES = (CHANGE,)
