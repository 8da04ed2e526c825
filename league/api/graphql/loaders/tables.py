"""Live tables as their viewers see them, from their streams in the log."""

from collections.abc import Sequence

from msgspec import Struct

from league.api.auth.permissions import Viewer
from league.api.graphql.context import Context
from league.api.graphql.threads import in_thread
from league.domain.table.deadlines import Due, due_of
from league.domain.table.events import TableEvent
from league.domain.table.evolve import evolve
from league.domain.table.state import TableState
from league.domain.table.views import TableView, view_of
from league.eventlog.store import Stored


class SeenTable(Struct, frozen=True):
    """A table after some of its events, as one viewer sees it."""

    view: TableView
    due: Due | None
    position: int
    """Of the last of these events."""


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

    def seat_of(self, viewer: Viewer) -> int | None:
        """The viewer's seat; None for a spectator, also for an admin's token with the id of a player."""
        may_play = viewer.sub is not None and viewer.reach("playTile") is not None
        return self.state.seat_of(viewer.sub) if may_play and viewer.sub is not None else None

    def may_watch(self, viewer: Viewer) -> bool:
        """Whether the viewer may see the table at all: one by invitation is for its players and for those in charge."""
        opening = self.state.opening
        if opening is None:
            return False
        if opening.listed or viewer.may("watchTables"):
            return True
        seated = (seat.player for seat in self.state.seats)
        return viewer.sub is not None and viewer.sub in (opening.opened_by, *opening.invited, *seated)

    def seen_by(self, viewer: Viewer) -> SeenTable:
        """The table as it is now, for a viewer."""
        return SeenTable(view_of(self.state, self.seat_of(viewer)), due_of(self.state), self.position)


async def story(context: Context, id_: str) -> TableStory | None:
    """A table as it is now; None for one that the league does not know."""
    return (await stories(context, [id_])).get(id_)


async def table(context: Context, id_: str) -> SeenTable | None:
    """A table as the viewer sees it; None for one that the league does not know, or that the viewer may not see."""
    found = await story(context, id_)
    return None if found is None or not found.may_watch(context.viewer) else found.seen_by(context.viewer)


async def stories(context: Context, ids: Sequence[str]) -> dict[str, TableStory]:
    """Those of some tables that the league knows, by id, as they are now."""
    return await in_thread(newest, context, ids)


def newest(context: Context, ids: Sequence[str]) -> dict[str, TableStory]:
    """The same. Blocks."""
    found = context.league.dispatcher.tables.load_many(ids)
    return {
        id_: TableStory(table.state, table.position) for id_, table in found.items() if table.state.opening is not None
    }
