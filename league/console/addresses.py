"""What an address names: a match, a number, and days, which begin and end by the clock of the league."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.asking import NoPage
from league.domain.texts_and_times import read_day
from league.wording.language import _


def match_of_address(request: Request) -> Mapping[str, Any]:
    """The match that the address names, as the variables of a document."""
    return {"id": request.path_params["id"]}


def number_of(request: Request) -> int:
    """The number in the address. Raises NoPage."""
    text = request.path_params["number"]
    if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004  # what GraphQL's Int takes
        raise NoPage(404)
    return int(text)


def day_of(request: Request, name: str) -> date | None:
    """A day such as `2026-03-06`; None where it is left out. Raises NoPage for what is no day."""
    written = request.query_params.get(name)
    if not written:
        return None
    try:
        day = read_day(written)
    except ValueError:
        day = None
    if day is None or not date.min < day < date.max:  # the first and the last one leave the calendar in another zone
        raise NoPage(400, _("{day} is not a day; write it as 2026-11-22.", day=written))
    return day


def beginning_of(day: date | None, zone: ZoneInfo) -> str | None:
    """The first moment of a day."""
    return None if day is None else datetime.combine(day, time(), zone).isoformat()


def end_of(day: date | None, zone: ZoneInfo) -> str | None:
    """The last moment of a day."""
    if day is None:
        return None
    return (datetime.combine(day + timedelta(days=1), time(), zone) - timedelta(microseconds=1)).isoformat()
