"""Seasons: open one, and end one that is open."""

from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FieldErrors, FormPage
from league.wording.language import _

HERE = Path(__file__).parent


def day_in(form: FormData, name: str) -> str | None:
    """The beginning of a day on the league's clock, which the form tells; None: it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        zone = ZoneInfo(str(form.get("leagueTimeZone", "UTC")))
        return datetime.combine(date.fromisoformat(text), time(), zone).isoformat()
    except (ValueError, ZoneInfoNotFoundError):
        raise FieldErrors({name: _("{day} is not a day; write it as 2026-11-22.", day=text[:40])}) from None


def needed_day(form: FormData, name: str) -> str:
    """The day, which must not be empty. Raises FieldErrors."""
    day = day_in(form, name)
    if day is None:
        raise FieldErrors({name: _("Choose a day.")})
    return day


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
