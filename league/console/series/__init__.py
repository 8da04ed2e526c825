"""The monthly series: its months, and the standings and cross table of each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page
from league.console.series.cross_table import cross_table
from league.console.series.month_picture import month_picture

HERE = Path(__file__).parent

SERIES = Page(
    path="/series",
    name="series",
    folder=HERE,
    document="series.graphql",
    template="series.html",
)


def _mode_of(request: Request) -> Mapping[str, Any]:
    return {"mode": request.query_params.get("mode") or "ONE_ON_ONE"}


def _with_cross_table(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """Beside the first page of the standings only."""
    is_first = "after" not in request.query_params
    return {"cross": cross_table(data["seriesMonth"]) if is_first else []}


MONTH = Page(
    path="/series/{month}",
    name="series_month",
    folder=HERE,
    document="month.graphql",
    template="month.html",
    variables=_mode_of,
    adds=_with_cross_table,
    picture=month_picture,
    needs="league",
)

PAGES = (SERIES, MONTH)
