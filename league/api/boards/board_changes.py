"""Live updates of boards: one board with its places, or which boards may have moved.

The moves are found once for each state of the read side, however many subscribe to them.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Any

import strawberry
from msgspec import Struct
from strawberry import field, subscription

from league.api.boards.boards import Board, IncludeInactive, Kind, OfMonth, OfSeries, wanted_board
from league.api.graphql.executing.context import Context, Info
from league.api.graphql.executing.limits import MOST
from league.api.graphql.leaf_types import GLOBAL_BOARD, BigInt, BoardKind, SeriesMode
from league.api.graphql.live.watches import Results
from league.api.graphql.shaping.arguments import Region
from league.api.graphql.shaping.each_change import each_change, each_new, session_to_watch, shared
from league.projections.boards.board import BoardKey as BoardOf
from league.projections.boards.definitions import BOARDS
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import BoardOfLeague, Moved, PlaceRow, SeenState, moved_boards, read_places
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot


class MovesSoFar(Struct, frozen=True):
    """The moves of all boards since the first client subscribed. A client that skips some states misses no move."""

    position: int
    number: int = 0
    """Number of states that were read before. A promotion makes a new state at the same position."""
    latest: dict[tuple[BoardOfLeague, str | None], int] = {}
    """Number of the state in which each board, of the whole league or of a region, may have moved last."""
    errors: None = None

    def then(self, moved: Moved, position: int) -> "MovesSoFar":
        """These moves, with those up to the next state added."""
        number = self.number + 1
        boards = {(board, region): number for board, regions in moved.items() for region in (None, *regions)}
        return MovesSoFar(position, number, {**self.latest, **boards})

    def since(self, sent: "MovesSoFar") -> Moved:
        """The boards that may have moved since an earlier state."""
        found: Moved = {}
        for (board, region), number in self.latest.items():
            if number > sent.number:
                found.setdefault(board, set()).update([] if region is None else [region])
        return found


async def each_move(of: Context) -> Results[MovesSoFar]:
    """The moves at each new state of the read side."""
    context = of.of_nobody()
    seen: SeenState | None = None
    moves: MovesSoFar | None = None
    async for _ in each_new(context, SeenState.of):
        now = await context.reader.read(SeenState.of)
        if seen is None or moves is None:
            moves = MovesSoFar(now.position)
        else:
            moves = moves.then(await context.reader.read(moved_boards, seen), now.position)
        seen = now
        yield context.reader.state, moves


@strawberry.type(description="A board that may have moved, for the whole league and for some regions.")
class MovedBoard:
    kind: BoardKind = field(description="Which board.")
    month: str | None = field(
        description="On SERIES the month, such as `2026-03`; null: every month may have moved. Null on other boards."
    )
    mode: SeriesMode | None = field(description="On SERIES the mode; null: both may have moved. Null on other boards.")
    regions: list[str] = field(description="The regions whose own board may have moved, too.")


@strawberry.type(description="The boards that may have moved between two positions of the log.")
class BoardsChanged:
    since: BigInt = field(description="The position of the previous message; in the first message its own position.")
    position: BigInt = field(description="The position up to which boards can be read now.")
    boards: list[MovedBoard] = field(description="The boards; none in the first message.")

    @classmethod
    def of(cls, moved: Moved, since: int, position: int) -> "BoardsChanged":
        """The boards found by the read side."""
        boards = [
            MovedBoard(
                kind=BoardKind(board.kind),
                month=board.month or None,
                mode=SeriesMode(board.mode) if board.mode else None,
                regions=sorted(regions),
            )
            for board, regions in sorted(moved.items())
        ]
        return cls(since=BigInt(since), position=BigInt(position), boards=boards)


@strawberry.type
class BoardSubscriptions:
    @subscription(
        description="A board: its current state, then its state after every change of its first 100 places. If all "
        "fields that you select are cacheable, it is sent after every change of those fields, and only then. "
        "SERIES without a month goes over to the next month with its first game."
    )
    @shared
    async def board_changed(
        self,
        info: Info,
        kind: Kind = GLOBAL_BOARD,
        region: Region = None,
        include_inactive: IncludeInactive = False,
        month: OfMonth = None,
        mode: OfSeries = None,
    ) -> AsyncGenerator[Board, None]:
        def first_places(snapshot: Snapshot) -> Any:
            series = {}
            if BOARDS[kind.value].monthly:
                played = (mode or SeriesMode.ONE_ON_ONE).value
                series = {"month": month_named(snapshot, played, month).month, "mode": played}
            board = BoardOf(kind.value, region, include_inactive, **series)
            return board, read_places(snapshot, PlaceRow, board, PageRequest(MOST)).rows

        async for _ in each_change(info, first_places):
            yield Board.of(await wanted_board(info, kind, region, include_inactive, None, month, mode))

    @subscription(
        description="Which boards may have moved. The first message names none and gives the starting position; "
        "then each change sends one. The list is derived from events, without comparing boards: it names every "
        "board that moved, and a named board may be unchanged. After a reconnect, read the boards "
        "again if the first position is not the last one that you received."
    )
    async def boards_changed(self, info: Info) -> AsyncGenerator[BoardsChanged, None]:
        context = info.context
        sent: MovesSoFar | None = None
        with context.open_sessions.opened(session_to_watch(context)) as ended:
            watch = context.watches.of("the moves of boards", partial(each_move, context))
            async with aclosing(watch.follow(ended)) as newest:
                async for moves in newest:
                    moved = {} if sent is None else moves.since(sent)
                    if sent is None or moved:
                        yield BoardsChanged.of(moved, (sent or moves).position, moves.position)
                        sent = moves
