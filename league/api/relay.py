"""Nodes and connections as Relay has them: global ids, opaque cursors, first and last."""

from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar

import strawberry
from msgspec import Struct
from sqlalchemy import Row
from strawberry import field

from league.api.context import Info
from league.api.failures import ExcessivePagination, InvalidCursor
from league.projections.reads.pages import (
    BadCursor,
    OfOwner,
    Order,
    PageOf,
    Query,
    Slice,
    count,
    counts,
    read_page,
    read_pages,
)

MOST = 100
"""Rows on a page."""
DEFAULT = 20

First = Annotated[
    int | None, strawberry.argument(description=f"This many from the start: 20 unless told, at most {MOST}.")
]
After = Annotated[str | None, strawberry.argument(description="Only what follows this cursor.")]
Last = Annotated[int | None, strawberry.argument(description=f"This many from the end, at most {MOST}.")]
Before = Annotated[str | None, strawberry.argument(description="Only what comes before this cursor.")]

T = TypeVar("T")


@strawberry.interface(description="Anything that can be fetched again by its id.")
class Node:
    id: strawberry.ID = field(description="Global and opaque; `node(id:)` fetches the object.")


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    has_next_page: bool = field(description="Whether there is more after this page.")
    has_previous_page: bool = field(description="Whether there is more before this page.")
    start_cursor: str | None = field(description="The cursor of the first edge; null on an empty page.")
    end_cursor: str | None = field(description="The cursor of the last edge; null on an empty page.")


@strawberry.type(description="A row of a list with its cursor.")
class Edge(Generic[T]):
    cursor: str = field(description="Where the row stands; opaque.")
    node: T = field(description="The row.")


Total = Callable[[Info], Any]


@strawberry.type(description="A page of a list, in keyset order: what comes or goes elsewhere does not shift it.")
class Connection(Generic[T]):
    edges: list[Edge[T]] = field(description="The rows, each with its cursor.")
    nodes: list[T] = field(description="The rows.")
    page_info: PageInfo = field(description="Where this page stands.")
    total: strawberry.Private[Total]

    @field(description="How many rows the whole list has.")
    async def total_count(self, info: Info) -> int:
        total: int = await self.total(info)
        return total


class Listed(Struct, frozen=True):
    """A list that can be paged through: under a run its rows and their order, and what a row becomes."""

    rows: Callable[[int], tuple[Query, Order]]
    node: Callable[[Row[Any]], Any]


def page_of(first: int | None, after: str | None, last: int | None, before: str | None) -> PageOf:
    """The page that was asked for. Raises ExcessivePagination."""
    if first is not None and last is not None:
        raise ExcessivePagination("Ask with `first` or with `last`, not with both.", argument="last", most=MOST)
    for argument, size in (("first", first), ("last", last)):
        if size is not None and not 0 <= size <= MOST:
            message = f"`{argument}` is {size}; a page has 0 to {MOST} rows."
            raise ExcessivePagination(message, argument=argument, most=MOST)
    size = first if first is not None else last if last is not None else DEFAULT
    return PageOf(size, after, before, backward=last is not None)


async def connection(info: Info, listed: Listed, page: PageOf) -> Any:
    """A page of a list of the league. Raises InvalidCursor."""
    try:
        rows = await info.context.reader.read(lambda s: read_page(s.conn, *listed.rows(s.run), page))
    except BadCursor as error:
        raise InvalidCursor(f"This list gave no cursor {str(error)!r}.") from error

    async def total(info: Info) -> int:
        return await info.context.reader.read(lambda s: count(s.conn, listed.rows(s.run)[0]))

    return _connection(rows, listed.node, total)


class ListedOf(Struct, frozen=True):
    """A list that each of many owners has; `kind` names it with all that its rows depend on."""

    kind: tuple[object, ...]
    query: Callable[[int], OfOwner]
    order: Order
    node: Callable[[Row[Any]], Any]


async def connection_of(info: Info, owner: str, listed: ListedOf, page: PageOf) -> Any:
    """The same page of the lists of many owners, read together. Raises InvalidCursor."""
    kind = (*listed.kind, page)
    try:
        rows = await info.context.reader.load(
            lambda s, owners: read_pages(s.conn, owners, listed.query(s.run), listed.order, page), owner, kind=kind
        )
    except BadCursor as error:
        raise InvalidCursor(f"This list gave no cursor {str(error)!r}.") from error

    async def total(info: Info) -> int | None:
        return await info.context.reader.load(
            lambda s, owners: counts(s.conn, owners, listed.query(s.run)), owner, kind=(*listed.kind, "total")
        )

    return _connection(rows or Slice(), listed.node, total)


def _connection(rows: Slice, node: Callable[[Row[Any]], Any], total: Total) -> Connection[Any]:
    nodes = [node(row) for row in rows.rows]
    cursors = rows.cursors
    start, end = (cursors[0], cursors[-1]) if cursors else (None, None)
    return Connection(
        edges=[Edge(cursor=cursor, node=one) for cursor, one in zip(cursors, nodes, strict=True)],
        nodes=nodes,
        page_info=PageInfo(
            has_next_page=rows.has_next, has_previous_page=rows.has_previous, start_cursor=start, end_cursor=end
        ),
        total=total,
    )
