"""Reads addresses of pages: ids, variables of a document, numbers, and days by the clock of the league."""

from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from graphql import OperationDefinitionNode, parse, print_ast
from starlette.requests import Request

from league.console.asking import NoPage
from league.domain.sentences import say
from league.domain.texts_and_times import read_day

_WRITTEN = {"~": "~7E", "/": "~2F", "\\": "~5C"}
_DOTS = {".": "~2E", "..": "~2E~2E"}
"""Browsers remove the parts `.` and `..` from a path."""


def segment_of(value: str) -> str:
    """An id, written as a part of an address. `id_of` reads it."""
    return _DOTS.get(value) or "".join(_WRITTEN.get(character, character) for character in value)


def id_of(segment: str) -> str:
    """The id in a part of an address, as `segment_of` wrote it."""
    for character, written in (("/", "~2F"), ("\\", "~5C"), (".", "~2E"), ("~", "~7E")):
        segment = segment.replace(written, character)
    return segment


MOST_NUMBER = 2**31 - 1
"""The largest number that GraphQL's Int takes."""


def variables_of(document: str, request: Request) -> dict[str, Any]:
    """The variables of a document that an address names: its parts, and texts of its query such as `?after=`."""
    found: dict[str, Any] = {}
    for name, kind in _variables_in(document):
        if name in request.path_params:
            part = request.path_params[name]
            found[name] = as_number(part) if kind == "Int" else part
        elif kind in ("String", "ID") and name in request.query_params:
            found[name] = request.query_params[name]
    return found


@cache
def _variables_in(document: str) -> tuple[tuple[str, str], ...]:
    """The variables of a document with their types, without the mark of a required one."""
    [operation] = [one for one in parse(document).definitions if isinstance(one, OperationDefinitionNode)]
    return tuple(
        (one.variable.name.value, print_ast(one.type).rstrip("!")) for one in operation.variable_definitions or ()
    )


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
    """The day in a parameter of the address, such as `2026-03-06`; None if left out. Raises NoPage for other texts."""
    written = request.query_params.get(name)
    if not written:
        return None
    try:
        day = read_day(written)
    except ValueError:
        day = None
    if day is None or not date.min < day < date.max:  # the first and the last day leave the calendar in some time zones
        raise NoPage(400, say("{day} is not a day; write it as 2026-11-22.", day=written))
    return day


def beginning_of(day: date | None, zone: ZoneInfo) -> str | None:
    """The first moment of a day in this time zone."""
    return None if day is None else datetime.combine(day, time(), zone).isoformat()


def end_of(day: date | None, zone: ZoneInfo) -> str | None:
    """The last moment of a day in this time zone."""
    if day is None:
        return None
    return (datetime.combine(day + timedelta(days=1), time(), zone) - timedelta(microseconds=1)).isoformat()
