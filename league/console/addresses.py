"""What an address names: a match, a number, and days, which begin and end by the clock of the league."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.asking import NoPage
from league.domain.texts_and_times import read_day
from league.wording.language import _

MOST_NUMBER = 2**31 - 1
"""What GraphQL's Int takes."""


def id_of_address(request: Request) -> Mapping[str, Any]:
    """The id in the address, as the variables of a document."""
    return {"id": request.path_params["id"]}


def after(request: Request) -> Mapping[str, Any]:
    """Where the shown part of a list begins, as the variables of a document."""
    return {"after": request.query_params.get("after")}


def number_of(request: Request) -> int:
    """The number in the address. Raises NoPage."""
    return as_number(request.path_params["number"])


def as_number(part: str | int) -> int:
    """A part of an address as a number that GraphQL's Int takes. Raises NoPage."""
    if isinstance(part, int):
        return min(part, MOST_NUMBER)
    if not (part.isascii() and part.isdigit() and len(part) < len(str(MOST_NUMBER))):
        raise NoPage(404)
    return int(part)


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
