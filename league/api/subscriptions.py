"""Live updates: after each commit of the read side the subject is read again, and sent when it has changed."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

import strawberry
from strawberry import field, subscription

from league.api.auth.tokens import Session
from league.api.boards.boards import Board, IncludeInactive, Kind, OfSeries, wanted_board
from league.api.graphql import loaders
from league.api.graphql.arguments import MatchId, MonthName, Region
from league.api.graphql.context import Info
from league.api.graphql.enums import GLOBAL_BOARD, BoardKind, SeriesMode
from league.api.graphql.ids import local_id
from league.api.graphql.keepable import keepable
from league.api.graphql.relay import MOST
from league.api.graphql.request_errors import RequestError, Unauthenticated
from league.api.graphql.scalars import BigInt
from league.api.matches.matches import Match
from league.api.replays.replays import OVER, Number, Replay
from league.application.jobs import CHANNEL as REPLAYS
from league.projections.queries.matches import facts_by_id, matches_by_id
from league.projections.queries.moved_boards import Moved, Seen, moved_boards
from league.projections.queries.pages import PageOf
from league.projections.queries.places import PlaceRow, read_places
from league.projections.queries.replays import replay as read_replay
from league.projections.queries.snapshot import Snapshot
from league.projections.read_state import CHANNEL as COMMITS

PATIENCE = 15.0
"""Seconds after which a watcher reads without a notification."""


@strawberry.type(description="A board that may have moved: that of the whole league, and those of some regions.")
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


@strawberry.type(description="Live updates, over a WebSocket or as server-sent events.")
class Subscription:
    @subscription(
        description="A board: its current state, then every change of its first 100 places. SERIES without a month "
        "stays with the month in which the subscription began."
    )
    @keepable
    async def board_changed(
        self,
        info: Info,
        kind: Kind = GLOBAL_BOARD,
        region: Region = None,
        include_inactive: IncludeInactive = False,
        month: MonthName = None,
        mode: OfSeries = SeriesMode.ONE_ON_ONE,
    ) -> AsyncGenerator[Board, None]:
        board = Board.of(await wanted_board(info, kind, region, include_inactive, None, month, mode))

        def first_places(snapshot: Snapshot) -> Any:
            return read_places(snapshot, PlaceRow, board.meant, PageOf(MOST)).rows

        async for _ in _each_change(info, first_places):
            yield board

    @subscription(
        description="Which boards may have moved. The first message names none and gives the starting position; "
        "then each change sends one. The list is derived from events, without comparing boards: it names every "
        "board that moved, and a named board may be unchanged. After a reconnect, read the boards "
        "again if the first position is not the last one that you received."
    )
    async def boards_changed(self, info: Info) -> AsyncGenerator[BoardsChanged, None]:
        seen: Seen | None = None
        sent = 0
        async for _ in _each_change(info, Seen.of):
            now = await info.context.reader.read(Seen.of)
            moved = {} if seen is None else await info.context.reader.read(moved_boards, seen)
            if seen is None or moved:
                since = now.position if seen is None else sent
                sent = now.position
                yield BoardsChanged.of(moved, since, sent)
            seen = now

    @subscription(
        description="A match: its current state, then every change of its facts or its score; nothing"
        "before the league knows it."
    )
    @keepable
    async def match_changed(self, info: Info, match: MatchId) -> AsyncGenerator[Match, None]:
        id_ = local_id("Match", match)

        def state(snapshot: Snapshot) -> Any:
            facts, rows = facts_by_id(snapshot, [id_]), matches_by_id(snapshot, [id_])
            return [(facts[id_].changed_position, tuple(rows[id_]))] if id_ in rows else []

        async for _ in _each_change(info, state):
            found = await loaders.matches.match(info, id_)
            if found is not None:
                yield Match.of(found)

    @subscription(
        description="A replay: its current state, then each further step, until it is neither waiting nor running."
    )
    async def replay_changed(self, info: Info, number: Number) -> AsyncGenerator[Replay, None]:
        def state(snapshot: Snapshot) -> Any:
            return (read_replay(snapshot, number),)

        async for _ in _each_change(info, state, REPLAYS):
            found = await loaders.replays.replay(info, number)
            if found is None:
                raise RequestError(f"There is no replay {number}.", argument="number")
            shown = Replay.of(found)
            yield shown
            if shown.state in OVER:
                return


async def _each_change(
    info: Info, look: Callable[[Snapshot], Any], channel: str = COMMITS
) -> AsyncGenerator[None, None]:
    """Yields with the reader set to each new state of what `look` reads."""
    context, live = info.context, info.context.source.live
    # A socket is closed as a whole when its token ends.
    session = context.session if context.connection_params is None else Session()
    seen: Any = None
    with context.open_sessions.opened(session) as ended:
        while True:
            commit = live.next(channel)
            await context.read_after(0)
            now = await context.reader.read(look)
            if now != seen:
                seen = now
                yield
            await context.reader.close()
            await _first_of(live.wait(commit, PATIENCE), ended)
            if ended.done():
                raise Unauthenticated(ended.result())


async def _first_of(waiting: Coroutine[Any, Any, None], ended: asyncio.Future[str]) -> None:
    """Wait for one of them; `ended` goes on."""
    task = asyncio.create_task(waiting)
    try:
        await asyncio.wait((task, ended), return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
