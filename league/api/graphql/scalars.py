"""The scalars beyond GraphQL's own."""

from datetime import UTC, date, datetime
from typing import Any, NewType

import strawberry
from graphql import GraphQLError
from strawberry.types.scalar import ScalarDefinition

from league.domain.local_times import read_day
from league.wording.language import _

BigInt = NewType("BigInt", int)
Tile = NewType("Tile", tuple[int, int])

_LARGEST = 2**63 - 1


def _big_int(value: Any) -> BigInt:
    try:
        number = int(value) if isinstance(value, str) and value.isascii() else value
    except ValueError:
        number = None
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > _LARGEST:
        raise GraphQLError(
            _("BigInt is a whole number of 64 bits, or a string of its digits, not {value!r}.", value=value)
        )
    return BigInt(number)


def _date_time(value: Any) -> datetime:
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise GraphQLError(
            _("DateTime is a text such as '2026-11-20T18:30:00Z', not {value!r}.", value=value)
        ) from None
    if time.tzinfo is None:
        raise GraphQLError(
            _("DateTime needs an offset from UTC, such as the Z in '2026-11-20T18:30:00Z': {value!r}.", value=value)
        )
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise GraphQLError(_("{value!r} lies beyond the calendar.", value=value)) from None


def _date(value: Any) -> date:
    try:
        return read_day(value)
    except (TypeError, ValueError):
        raise GraphQLError(_("Date is a day such as '2026-11-20', not {value!r}.", value=value)) from None


def _shown_time(value: Any) -> str:
    text: str = value.astimezone(UTC).isoformat()
    return text.replace("+00:00", "Z")


def _tile(value: Any) -> Tile:
    halves = value if isinstance(value, list) else []
    if len(halves) != 2 or not all(isinstance(half, int) and not isinstance(half, bool) for half in halves):  # noqa: PLR2004  # halves
        raise GraphQLError(_("Tile is a list of its two halves, such as [5, 3], not {value!r}.", value=value))
    return Tile((halves[0], halves[1]))


SCALARS: dict[object, ScalarDefinition] = {
    BigInt: strawberry.scalar(
        name="BigInt",
        description="A whole number of 64 bits, such as a position in the log. Written as a string of digits, because "
        "JSON numbers lose digits in JavaScript; read from a string or a number.",
        serialize=str,
        parse_value=_big_int,
    ),
    datetime: strawberry.scalar(
        name="DateTime",
        description="A moment by ISO 8601 with an offset from UTC, such as `2026-11-20T18:30:00Z`; always written "
        "in UTC.",
        specified_by_url="https://scalars.graphql.org/andimarek/date-time",
        serialize=_shown_time,
        parse_value=_date_time,
    ),
    date: strawberry.scalar(
        name="Date",
        description="A day by ISO 8601, such as `2026-11-20`.",
        specified_by_url="https://scalars.graphql.org/andimarek/local-date",
        serialize=date.isoformat,
        parse_value=_date,
    ),
    Tile: strawberry.scalar(
        name="Tile",
        description="A domino as a list of its two halves, such as `[5, 3]`.",
        serialize=list,
        parse_value=_tile,
    ),
}
