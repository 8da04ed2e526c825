"""Typed rows, and keyset pages of them.

A row is a NamedTuple that is defined beside its query: SQLAlchemy types a row by the positions of its columns, and
readers use their names. A page begins after the key of a row, so inserted or removed rows elsewhere never shift it.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, Row, Select, Text, bindparam, func, literal, select, true, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import NullType

R = TypeVar("R", bound=NamedTuple)
K = TypeVar("K")
V = TypeVar("V")


def typed(kind: type[R], rows: Iterable[Row[Any]]) -> Iterator[R]:  # as SQLAlchemy gives them
    """The rows as a NamedTuple of two or more fields; each field takes the column of that name, others are dropped."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return iter(())
    # By position: looking up each name in each row costs ten times as much.
    values: itemgetter[tuple[Any, ...]] = itemgetter(*map(first._fields.index, kind._fields))
    return map(kind._make, map(values, chain((first,), remaining)))


def grouped(keys: Iterable[K], values: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Group pairs of a key and a value: the list of values of each of these keys, which may be empty."""
    found: dict[K, list[V]] = {key: [] for key in keys}
    for key, value in values:
        found[key].append(value)
    return found


def among_ids(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a column is one of the ids in the parameter `ids`, which is a list."""
    return column == func.any(bindparam("ids", type_=ARRAY(Text)))


Query = Select[Any]
OfOwner = Callable[[ColumnElement[str]], Query]
"""Makes the query of an owner's rows, from the column with the owner's id."""


class BadCursor(Exception):
    """A cursor that this list did not issue, or issued in another order."""


class Order(Struct, frozen=True):
    """The columns that order a list; together they are unique. `descending` reverses all of them.

    Each column has a type: the values of a cursor are checked by it.
    """

    columns: tuple[ColumnElement[Any], ...]
    descending: bool = False

    def __post_init__(self) -> None:
        for column in self.columns:
            assert not isinstance(column.type, NullType), f"{column.key} has no type"

    @property
    def keys(self) -> list[str]:
        """The columns' names in a row."""
        return [str(column.key) for column in self.columns]

    @property
    def name(self) -> str:
        """Tells the order from other orders of the same list; a cursor carries it."""
        return ("-" if self.descending else "") + ",".join(self.keys)


class PageRequest(Struct, frozen=True):
    """Which rows to read: the first `size` after a cursor, or with `backward` the last `size` before one."""

    size: int
    after: str | None = None
    before: str | None = None
    backward: bool = False


class RowPage(Struct, Generic[R], frozen=True):
    """A page of rows in the list's order, and whether there are more on either side."""

    rows: Sequence[R] = ()
    order: str = ""
    untyped: Sequence[Row[Any]] = ()
    """The rows with all their columns."""
    key: Sequence[int] = ()
    """The indexes, in a row of `untyped`, of the columns that order the rows."""
    has_previous: bool = False
    has_next: bool = False

    @property
    def cursors(self) -> list[str]:
        """A cursor for each row."""
        return [self.cursor(number) for number in range(len(self.rows))]

    def cursor(self, number: int) -> str:
        """The cursor of a row."""
        row = self.untyped[number]
        key = [row[place] for place in self.key]
        return urlsafe_b64encode(msgspec.json.encode([self.order, *key])).decode().rstrip("=")

    def only(self, wanted: Sequence[bool]) -> "RowPage[R]":
        """The page with only the rows for which `wanted` is true; it has one value for each row."""
        return replace(self, rows=[*compress(self.rows, wanted)], untyped=[*compress(self.untyped, wanted)])


def read_page(conn: Connection, kind: type[R], query: Query, order: Order, page: PageRequest) -> RowPage[R]:
    """A page of a list; `kind` is the type of its rows. Raises BadCursor."""
    rows = conn.execute(limited(query, order, page), bounds(order, page)).all()
    return sliced(kind, rows, order, page)


def read_pages(
    conn: Connection, kind: type[R], owners: Sequence[str], of_owner: OfOwner, order: Order, page: PageRequest
) -> dict[str, RowPage[R]]:
    """A page of each owner's list, with the same cursors for all, read in one statement. Raises BadCursor."""
    owner = _owners(owners)
    one = limited(of_owner(owner), order, page).lateral("one")
    # Not typed yet: the key of a cursor may have columns that `kind` leaves out.
    query = select(owner.label("owner_"), one).select_from(_table_of(owner).join(one, true()))
    ordered = query.order_by("owner_", *_directions([one.c[key] for key in order.keys], order, page))
    found = grouped(owners, ((row.owner_, row) for row in conn.execute(ordered, bounds(order, page))))
    return {id_: sliced(kind, rows, order, page) for id_, rows in found.items()}


def page_of_rows(rows: Sequence[R], key: Callable[[R], Sequence[Any]], name: str, page: PageRequest) -> RowPage[R]:
    """A page of a list in memory, whose rows are in the ascending order of their unique keys. Raises BadCursor.

    `name` tells the order from other orders of the same list.
    """

    def key_of(row: R) -> list[Any]:
        return list(key(row))

    start, end = 0, len(rows)
    try:
        if page.after is not None:
            start = bisect_right(rows, _decoded(page.after, name), key=key_of)
        if page.before is not None:
            end = max(start, bisect_left(rows, _decoded(page.before, name), key=key_of))
    except TypeError as error:
        raise BadCursor from error
    first, last = (max(start, end - page.size), end) if page.backward else (start, min(end, start + page.size))
    found = rows[first:last]
    keys: Any = [key_of(row) for row in found]
    return RowPage(found, name, keys, range(len(keys[0]) if keys else 0), first > 0, last < len(rows))


def count(conn: Connection, query: Query) -> int:
    """How many rows the whole list has."""
    return int(conn.execute(query.with_only_columns(func.count(), maintain_column_froms=True)).scalar_one())


def counts(conn: Connection, owners: Sequence[str], of_owner: OfOwner) -> Mapping[str, int]:
    """How many rows each owner's list has, in one statement."""
    owner = _owners(owners)
    total = of_owner(owner).with_only_columns(func.count().label("total"), maintain_column_froms=True).lateral("one")
    query = select(owner.label("owner_"), total.c.total).select_from(_table_of(owner).join(total, true()))
    return {row.owner_: row.total for row in conn.execute(query)}


def _owners(owners: Sequence[str]) -> ColumnElement[str]:
    ids = literal(list(dict.fromkeys(owners)), ARRAY(Text))
    table = func.unnest(ids).table_valued("id").render_derived(name="owners")
    column: ColumnElement[str] = table.c.id
    return column


def _table_of(column: Any) -> Any:
    return column.table


def limited(query: Query, order: Order, page: PageRequest) -> Query:
    """Select a page of a list plus one more row, which shows whether there are more. `bounds` gives the parameters."""
    key = tuple_(*order.columns)
    for name, later in (("after", True), ("before", False)):
        if getattr(page, name) is not None:
            columns = enumerate(order.columns)
            bound = tuple_(*(bindparam(f"{name}_{number}", type_=column.type) for number, column in columns))
            query = query.where(key > bound if later != order.descending else key < bound)
    return query.order_by(*_directions(order.columns, order, page)).limit(page.size + 1)


def bounds(order: Order, page: PageRequest) -> dict[str, Any]:
    """The parameters of a statement made by `limited`. Raises BadCursor."""
    return {
        f"{name}_{number}": value
        for name in ("after", "before")
        if (cursor := getattr(page, name)) is not None
        for number, value in enumerate(_read_cursor(cursor, order))
    }


def _directions(columns: Sequence[Any], order: Order, page: PageRequest) -> list[Any]:
    return [c.desc() if order.descending != page.backward else c.asc() for c in columns]


def sliced(kind: type[R], rows: Sequence[Row[Any]], order: Order, page: PageRequest) -> RowPage[R]:
    """The page, made from the rows that `limited` selected, in the order selected."""
    # The rows come untyped: the key of a cursor may have columns that `kind` leaves out.
    more = len(rows) > page.size
    wanted = list(rows[: page.size])
    if page.backward:
        wanted.reverse()
    # By position, which is faster than by name.
    key = [wanted[0]._fields.index(name) for name in order.keys] if wanted else []
    # Beyond a cursor there is at least the cursor's own row.
    beyond = page.before is not None if page.backward else page.after is not None
    previous, next_ = (more, beyond) if page.backward else (beyond, more)
    return RowPage(list(typed(kind, wanted)), order.name, wanted, key, has_previous=previous, has_next=next_)


def _read_cursor(cursor: str, order: Order) -> list[Any]:
    try:
        pairs = zip(_decoded(cursor, order.name), order.columns, strict=True)
        return [msgspec.convert(value, column.type.python_type) for value, column in pairs]
    except (TypeError, ValueError) as error:
        raise BadCursor(cursor) from error


def _decoded(cursor: str, order: str) -> list[Any]:
    """The key in a cursor. Raises BadCursor."""
    try:
        name, *key = msgspec.json.decode(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=list[Any])
    except (NotBase64, msgspec.MsgspecError, ValueError) as error:
        raise BadCursor(cursor) from error
    if name != order:
        raise BadCursor(cursor)
    return key
