"""Seasons: open one, and end one that is open."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import day_in, needed_day
from league.console.forms import FormPage

HERE = Path(__file__).parent


def _season(form: FormData, _request: Request) -> Mapping[str, Any]:
    return {"name": str(form.get("name", "")), "start": needed_day(form, "start"), "end": day_in(form, "end")}


def _ending(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"season": request.path_params["id"], "end": needed_day(form, "end")}


SEASONS = FormPage(
    path="/admin/seasons",
    name="admin_seasons",
    folder=HERE,
    document="seasons.graphql",
    template="seasons.html",
    variables=lambda request: {"after": request.query_params.get("after")},
    needs="league",
    requires="openSeason",
    mutation="open_season.mutation.graphql",
    input=_season,
    then=lambda _answer, url: url("admin_seasons") + "?stored=1",
)

CLOSE = FormPage(
    path="/admin/seasons/{id}/close",
    name="close_season",
    folder=HERE,
    document="season.graphql",
    template="close_season.html",
    variables=lambda request: {"id": request.path_params["id"]},
    needs="season",
    requires="closeSeason",
    mutation="close_season.mutation.graphql",
    input=_ending,
    then=lambda _answer, url: url("admin_seasons") + "?stored=1",
)

PAGES = (SEASONS, CLOSE)
