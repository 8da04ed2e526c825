"""Global ids, nodes and connections according to Relay: opaque ids and cursors, first and last."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import strawberry
from msgspec import Struct
from strawberry import field
from strawberry.annotation import StrawberryAnnotation
from strawberry.extensions import FieldExtension
from strawberry.types.arguments import StrawberryArgument
from strawberry.types.field import StrawberryField

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.limits import DEFAULT, MOST
from league.api.graphql.request_errors import ExcessivePagination, InvalidCursor, RequestError
from league.api.graphql.shaping.object_fields import maker_of
from league.domain.seating import JOINT, competitor_of
from league.domain.sentences import say
from league.projections.boards.board import BoardKey
from league.projections.queries.pages import (
    BadCursor,
    OfOwner,
    Order,
    PageRequest,
    Query,
    R,
    RowPage,
    count,
    counts,
    page_of_rows,
    read_page,
    read_pages,
)
from league.projections.queries.places import count_places, read_places_with_players
from league.projections.queries.players import players_by_id
from league.projections.queries.snapshot import short

T = TypeVar("T")

Total = Callable[[], Awaitable[int]]
Made = Callable[[Any], Any]
"""Converts a row to an object: `of` of the connection's type."""


@lru_cache(16_384)
def global_id(kind: str, local: str) -> str:
    """The global id of an object."""
    return urlsafe_b64encode(f"{kind}:{local}".encode()).decode().rstrip("=")


def read_global_id(id_: str) -> tuple[str, str] | None:
    """The kind and the id in the league; None for a text that is not a global id."""
    try:
        kind, colon, local = urlsafe_b64decode(id_ + "=" * (-len(id_) % 4)).decode().partition(":")
    except (NotBase64, ValueError):
        return None
    is_ours = bool(colon) and global_id(kind, local) == id_
    return (kind, local) if is_ours else None


def local_competitor_id(id_: str) -> str:
    """The id in the league of a player or a pair; any other text is returned unchanged."""
    read = read_global_id(id_)
    return read[1] if read is not None and read[0] in ("Player", "Team") else id_


def local_id(kind: str, id_: str) -> str:
    """The id in the league behind a global id of this kind; any other text is returned unchanged.

    The two players of a team may be named in either order.
    """
    read = read_global_id(id_)
    local = read[1] if read is not None and read[0] == kind else id_
    return competitor_of(local.split(JOINT)) if kind == "Team" else local


@strawberry.interface(description="Anything that can be fetched again by its id.")
class Node:
    id: strawberry.ID = field(description="The global id, opaque; `node(id:)` fetches the object.")


@strawberry.type(description="The position of a page in its list.")
class PageInfo:
    has_next_page: bool = field(description="Whether there is more after this page.")
    has_previous_page: bool = field(description="Whether there is more before this page.")
    start_cursor: str | None = field(description="The cursor of the first edge; null on an empty page.")
    end_cursor: str | None = field(description="The cursor of the last edge; null on an empty page.")


@strawberry.type(description="A row of a list with its cursor.")
class Edge(Generic[T]):
    cursor: str = field(description="An opaque cursor of the row.")
    node: T = field(description="The row.")


@strawberry.type(description="A page of a list, in keyset order: rows inserted or removed elsewhere do not shift it.")
class Connection(Generic[T]):
    nodes: list[T] = field(description="The rows.")
    page: strawberry.Private[RowPage[Any]]
    total: strawberry.Private[Total]

    @field(description="The rows, each with its cursor.")
    def edges(self) -> list[Edge[T]]:
        return [Edge(cursor=cursor, node=node) for cursor, node in zip(self.page.cursors, self.nodes, strict=True)]

    @field(description="The position of this page in the list.")
    def page_info(self) -> PageInfo:
        page, is_empty = self.page, not self.page.rows
        return PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=None if is_empty else page.cursor(0),
            end_cursor=None if is_empty else page.cursor(-1),
        )

    @field(description="How many rows the whole list has.")
    async def total_count(self) -> int:
        return await self.total()


class Pageable(Protocol):
    """Anything that a `paged` field can return."""

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Any]:
        """A page of the list. Raises BadCursor."""


class PageableList(Struct, Generic[R], frozen=True):
    """A list that the database pages. `rows` has the query and the order for a run."""

    row: type[R]
    rows: Callable[[int], tuple[Query, Order]]
    data: Callable[[R], Any] | None = None
    """Converts a row for its node; None: the row itself."""
    number: Query | None = None
    """Selects the number of rows, where that is known without counting them."""

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Any]:
        """A page of the list. Raises BadCursor."""
        reader = info.context.reader
        rows = await reader.read(short(lambda s: read_page(s.conn, self.row, *self.rows(s.run), page)))

        async def total() -> int:
            if self.number is not None:
                number = self.number
                return await reader.read(short(lambda s: s.conn.execute(number).scalar_one()))
            return await reader.read(short(lambda s: count(s.conn, self.rows(s.run)[0])))

        return connection_of(rows, _data(self, rows), node, total)


class PageableInMemory(Struct, Generic[R], frozen=True):
    """A list in memory, in the order of its keys. `name` tells this order from other orders of the list."""

    rows: Sequence[R]
    key: Callable[[R], Sequence[Any]]
    name: str

    async def page(self, _info: Info, page: PageRequest, node: Made) -> Connection[Any]:
        """A page of the list. Raises BadCursor."""
        rows = page_of_rows(self.rows, self.key, self.name, page)

        async def total() -> int:
            return len(self.rows)

        return connection_of(rows, rows.rows, node, total)


class PageableListOf(Struct, Generic[R], frozen=True):
    """A list that each of many owners has; lists of one `kind` differ only in the owner and are read together."""

    kind: tuple[object, ...]
    row: type[R]
    owner: str
    rows: Callable[[int], OfOwner]
    order: Order
    data: Callable[[R], Any] | None = None
    """Converts a row for its node; None: the row itself."""

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Any]:
        """A page of the list. Raises BadCursor."""
        reader = info.context.reader
        rows = await reader.load(
            short(lambda s, owners: read_pages(s.conn, self.row, owners, self.rows(s.run), self.order, page)),
            self.owner,
            kind=(*self.kind, page),
        )

        async def total() -> int:
            totals = await reader.load(
                short(lambda s, owners: counts(s.conn, owners, self.rows(s.run))),
                self.owner,
                kind=(*self.kind, "total"),
            )
            return totals or 0

        found = rows or RowPage()
        return connection_of(found, _data(self, found), node, total)


class PageablePlaces(Struct, Generic[R], frozen=True):
    """The places of a board as a pageable list."""

    row: type[R]
    board: BoardKey
    data: Callable[[R], Any]
    """Converts a row of the board."""

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Any]:
        """A page of the places. Raises BadCursor."""
        reader = info.context.reader

        async def total() -> int:
            return await reader.read(count_places, self.board)

        rows, players = await reader.read(read_places_with_players, self.row, self.board, page)
        reader.known(players_by_id).update(players)  # most who ask for places ask for the names
        return connection_of(rows, map(self.data, rows.rows), node, total)


def place_id(kind: str, board: BoardKey, competitor: str) -> strawberry.ID:
    """The id of a place for caches of clients. Another board, or another moment, gives another id."""
    return strawberry.ID(global_id(kind, f"{_digest(board)}:{competitor}"))


@lru_cache(1_024)
def _digest(board: BoardKey) -> str:
    """A digest of everything that defines a board, so that the ids of its places are short."""
    return sha256(msgspec.json.encode(board)).hexdigest()[:16]


def _data(listed: PageableList[R] | PageableListOf[R], page: RowPage[R]) -> Iterable[Any]:
    return page.rows if listed.data is None else map(listed.data, page.rows)


PAGE_ARGUMENTS: tuple[tuple[str, Any, str], ...] = (
    ("first", int | None, f"Return the first N rows; {DEFAULT} by default, at most {MOST}."),
    ("after", str | None, "Only rows after this cursor."),
    ("last", int | None, f"Return the last N rows, at most {MOST}."),
    ("before", str | None, "Only rows before this cursor."),
)


class PagedField(FieldExtension):
    """Adds the arguments of a connection to a field that returns a list, and returns the requested page."""

    def __init__(self, node: Made) -> None:
        self._node = node

    def apply(self, field: StrawberryField) -> None:
        """Add the arguments."""
        arguments = [
            StrawberryArgument(name, None, StrawberryAnnotation(kind), description=description, default=None)
            for name, kind, description in PAGE_ARGUMENTS
        ]
        field.arguments = [*field.arguments, *arguments]

    async def resolve_async(
        self, next_: Callable[..., Any], source: Any, info: Info, **arguments: Any
    ) -> Connection[Any]:
        """The page of the list that the field's function returns. Raises RequestError, InvalidCursor."""
        page = page_of(*(arguments.pop(name) for name, *_ in PAGE_ARGUMENTS))
        listed: Pageable = await next_(source, info, **arguments)
        try:
            return await listed.page(info, page, self._node)
        except (BadCursor, RecursionError) as error:  # too deep: a cursor of nested brackets
            raise InvalidCursor(say("This list did not issue this cursor.")) from error


def paged(kind: Any, description: str) -> Any:
    """A field that is a connection of this kind; its function returns something Pageable."""
    return field(graphql_type=kind, description=description, extensions=[PagedField(maker_of(kind))])


def cacheable_paged(kind: Any, description: str) -> Any:
    """Like `paged`, for a function that is `@cacheable`."""
    return lambda resolver: paged(kind, description)(cacheable(resolver))


def page_of(first: int | None, after: str | None, last: int | None, before: str | None) -> PageRequest:
    """The requested page. Raises RequestError, or ExcessivePagination for a page that is too large."""
    if first is not None and last is not None:
        raise RequestError(say("Use `first` or `last`, not both."), argument="last")
    for argument, size in (("first", first), ("last", last)):
        message = f"`{argument}` is {size}; a page has 0 to {MOST} rows."
        if size is not None and size < 0:
            raise RequestError(message, argument=argument)
        if size is not None and size > MOST:
            raise ExcessivePagination(message, argument=argument, most=MOST)
    size = first if first is not None else last if last is not None else DEFAULT
    return PageRequest(size, after, before, backward=last is not None)


def connection_of(rows: RowPage[Any], data: Iterable[Any], node: Made, total: Total) -> Connection[Any]:
    """A page as a connection. Its nodes are made of `data`."""
    return Connection(nodes=[node(one) for one in data], page=rows, total=total)
