"""Live tables as their viewers see them, from their streams in the log."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import strawberry
from msgspec import Struct

from league.api.auth.permissions import Viewer
from league.api.graphql.executing.context import Context
from league.api.graphql.threads import in_thread
from league.eventlog.records import Stored
from league.tables.application.table_states import STREAM
from league.tables.domain.deadlines import Due, due_of
from league.tables.domain.events import TableEvent
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState
from league.tables.domain.views import TableView, view_of

TableId = Annotated[strawberry.ID, strawberry.argument(description="Global id, or the table's id in the league.")]


class SeenTable(Struct, frozen=True):
    """A table after some of its events, as one viewer sees it."""

    view: TableView
    due: Due | None
    position: int
    """Of the last of these events."""


class Onlooker(Struct, frozen=True):
    """A viewer who looks at tables, with all ids under which the person may sit there."""

    viewer: Viewer
    ids: frozenset[str]

    @property
    def may_play(self) -> bool:
        """Whether they may have a seat; an admin's token with the id of a player may not."""
        return self.viewer.reach("playTile") is not None

    def is_among(self, players: Iterable[str | None]) -> bool:
        """Whether they are one of these players."""
        return not self.ids.isdisjoint(players)


class TableStory:
    """A table while its events are followed."""

    def __init__(self, state: TableState, position: int) -> None:
        """`position`: that of the last event that led to the state; 0 for none."""
        self.state, self.position = state, position

    def take(self, stored: Stored) -> None:
        """Go on to the next event."""
        assert isinstance(stored.event, TableEvent), "the stream has no others"
        self.state = evolve(self.state, stored.event, stored.recorded_at)
        self.position = stored.position

    def seated_id(self, onlooker: Onlooker) -> str | None:
        """The id with which they sit at the table: that of their token before any other; None for a spectator."""
        seated = {seat.player for seat in self.state.seats} & onlooker.ids
        if not seated or not onlooker.may_play:
            return None
        return onlooker.viewer.sub if onlooker.viewer.sub in seated else min(filter(None, seated))

    def seat_of(self, onlooker: Onlooker) -> int | None:
        """Their seat; None for a spectator."""
        player = self.seated_id(onlooker)
        return None if player is None else self.state.seat_of(player)

    def may_watch(self, onlooker: Onlooker) -> bool:
        """Whether they may see the table at all: one by invitation is for its players and for those in charge."""
        opening = self.state.opening
        if opening is None:
            return False
        if opening.listed or onlooker.viewer.may("watchTables"):
            return True
        return onlooker.is_among((opening.opened_by, *opening.invited, *(seat.player for seat in self.state.seats)))

    def seen_by(self, onlooker: Onlooker) -> SeenTable:
        """The table as it is now, for them."""
        return SeenTable(view_of(self.state, self.seat_of(onlooker)), due_of(self.state), self.position)


async def onlooker(context: Context) -> Onlooker:
    """The viewer, with all ids of the person as they are now."""
    return await in_thread(_onlooker, context)


async def story(context: Context, id_: str) -> TableStory | None:
    """A table as it is now; None for one that the league does not know."""
    return (await stories(context, [id_])).get(id_)


async def table(context: Context, id_: str) -> SeenTable | None:
    """A table as the viewer sees it; None for one that the league does not know, or that the viewer may not see."""
    return await in_thread(_table, context, id_)


async def stories(context: Context, ids: Sequence[str]) -> dict[str, TableStory]:
    """Those of some tables that the league knows, by id, as they are now."""
    return await in_thread(newest, context, ids)


def is_hidden(context: Context, id_: str) -> bool:
    """Whether the viewer may know nothing of a table: they may not see it, or there is none. Blocks."""
    found = newest(context, [id_]).get(id_)
    return found is None or not found.may_watch(_onlooker(context))


def _table(context: Context, id_: str) -> SeenTable | None:
    found, sub = newest(context, [id_]).get(id_), context.viewer.sub
    if found is None:
        return None
    # Who sits there by the id of the token, as nearly all do, has no other seat.
    sits = sub is not None and found.state.seat_of(sub) is not None
    by = Onlooker(context.viewer, frozenset({sub or ""})) if sits else _onlooker(context)
    return found.seen_by(by) if found.may_watch(by) else None


def _onlooker(context: Context) -> Onlooker:
    sub = context.viewer.sub
    return Onlooker(context.viewer, frozenset() if sub is None else context.states().merges().ids_of(sub))


def newest(context: Context, ids: Sequence[str]) -> dict[str, TableStory]:
    """The same. Blocks."""
    found = context.league.dispatcher.kept_states.load_many(STREAM + id_ for id_ in ids)
    return {
        table.state.table: TableStory(table.state, table.position)
        for table in found.values()
        if table.state.opening is not None
    }
