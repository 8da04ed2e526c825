"""Live updates: what is watched is read anew after each commit of the read side, and sent when it has changed."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import strawberry
from strawberry import subscription

from league.api.arguments import MatchId, Region
from league.api.boards import Board, IncludeInactive, Kind
from league.api.context import Info
from league.api.ids import local_id
from league.api.matches import Match, match_named
from league.api.relay import MOST
from league.api.words import BoardKind
from league.projections.boards import Board as BoardOf
from league.projections.reads.matches import facts_by_id, matches_by_id
from league.projections.reads.pages import PageOf
from league.projections.reads.places import read_places
from league.projections.reads.snapshot import Snapshot

PATIENCE = 15.0
"""Seconds after which a watcher looks for itself, whatever it has heard."""


@strawberry.type(description="What can be followed live, over a WebSocket or as server-sent events.")
class Subscription:
    @subscription(description="A board: as it is now, then whenever one of its first 100 places changes.")
    async def board_changed(
        self,
        info: Info,
        kind: Kind = BoardKind.GLOBAL,
        region: Region = None,
        include_inactive: IncludeInactive = False,
    ) -> AsyncGenerator[Board, None]:
        watched = BoardOf(kind.value, region, include_inactive)

        def first_places(snapshot: Snapshot) -> Any:
            return read_places(snapshot, watched, PageOf(MOST)).rows

        async for _ in _each_change(info, first_places):
            yield Board(kind=kind, region=region, include_inactive=include_inactive, as_of=None)

    @subscription(
        description="A match: as it is now, then whenever something is said about it or it is scored anew; nothing "
        "before the league knows it."
    )
    async def match_changed(self, info: Info, match: MatchId) -> AsyncGenerator[Match, None]:
        id_ = local_id("Match", match)

        def state(snapshot: Snapshot) -> Any:
            facts, rows = facts_by_id(snapshot, [id_]), matches_by_id(snapshot, [id_])
            return [(facts[id_].changed_position, tuple(rows[id_]))] if id_ in rows else []

        async for _ in _each_change(info, state):
            found = await match_named(info, id_)
            if found is not None:
                yield found


async def _each_change(info: Info, look: Callable[[Snapshot], Any]) -> AsyncGenerator[None, None]:
    """Yields with the reader set to each new state of what `look` reads."""
    context, live = info.context, info.context.source.live
    seen: Any = None
    while True:
        commit = live.next()
        await context.read_after(0)
        now = await context.reader.read(look)
        if now != seen:
            seen = now
            yield
        await context.reader.close()
        await live.wait(commit, PATIENCE)
