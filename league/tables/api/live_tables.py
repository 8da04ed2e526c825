"""Live tables as viewers see them, and the services that all requests to this process share.

`seen_table` makes a viewer's view of a table from its stream in the log. The shared services are: new events, finished
hands, phrases, presence, and the metrics of live tables.
"""

import asyncio
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from math import ceil
from typing import Annotated, Any

import msgspec
import psycopg
import strawberry
import structlog
from msgspec import Struct
from prometheus_client import Histogram
from prometheus_client.core import GaugeMetricFamily

from league.api.auth.permissions import Viewer
from league.api.graphql.executing.context import Context, Process
from league.api.graphql.executing.metrics import BUCKETS
from league.api.graphql.leaf_types import argument
from league.api.graphql.live.listening import PATIENCE, Live
from league.api.graphql.live.watches import first_of
from league.api.graphql.threads import in_thread
from league.application.bootstrap import in_background
from league.eventlog.recorder import TABLE_STREAM, StoreUnavailable
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.tables.application.clock_keeper import keep_clock
from league.tables.application.presence_and_talk import CHANNEL, PHRASES, Presence, SaidPhrase, heard
from league.tables.domain.commands_and_events import HandEnded, PlayBegan, TableEvent, TableOpened
from league.tables.domain.evolve import evolve
from league.tables.domain.proof_of_deal import DatedTableEvent, FinishedHand, finished_hands
from league.tables.domain.refusals import TooTalkative
from league.tables.domain.state import Deadline, TableState, TableView, due_of, view_of
from league.tables.events import STREAM
from league.tables.projections import dated_events

# ---------------------------------------------------------------- what viewers see

TableId = Annotated[strawberry.ID, argument("Global id, or the table's id in the league.")]


class SeenTable(Struct, frozen=True):
    """A table after some of its events, as one viewer sees it."""

    view: TableView
    due: Deadline | None
    position: int
    """Position of the last of these events."""


class Onlooker(Struct, frozen=True):
    """A viewer of tables, with all ids under which the person may sit at them."""

    viewer: Viewer
    ids: frozenset[str]

    @property
    def may_play(self) -> bool:
        """Whether they may have a seat. An admin's token may not, even if it has the id of a player."""
        return self.viewer.reach("playTile") is not None

    def is_among(self, players: Iterable[str | None]) -> bool:
        """Whether the viewer is one of these players."""
        return not self.ids.isdisjoint(players)


class TableStory:
    """A table that is kept up to date event by event."""

    def __init__(self, state: TableState, position: int) -> None:
        """`position`: of the last event that led to the state; 0 if there is none."""
        self.state, self.position = state, position

    def take(self, stored: LoggedEvent) -> None:
        """Apply the next event."""
        assert isinstance(stored.event, TableEvent), "the stream has no others"
        self.state = evolve(self.state, stored.event, stored.recorded_at)
        self.position = stored.position

    def seated_id(self, onlooker: Onlooker) -> str | None:
        """The id under which the onlooker sits at the table, preferably that of their token; None for a spectator."""
        seated = {seat.player for seat in self.state.seats} & onlooker.ids
        if not seated or not onlooker.may_play:
            return None
        return onlooker.viewer.sub if onlooker.viewer.sub in seated else min(filter(None, seated))

    def seat_of(self, onlooker: Onlooker) -> int | None:
        """The seat of the onlooker; None for a spectator."""
        player = self.seated_id(onlooker)
        return None if player is None else self.state.seat_of(player)

    def may_watch(self, onlooker: Onlooker) -> bool:
        """Whether the onlooker may see the table. A table by invitation is for its players and those in charge."""
        opening = self.state.opening
        if opening is None:
            return False
        if opening.listed or onlooker.viewer.may("watchTables"):
            return True
        return onlooker.is_among((opening.opened_by, *opening.invited, *(seat.player for seat in self.state.seats)))

    def seen_by(self, onlooker: Onlooker) -> SeenTable:
        """The table as it is now, as the onlooker sees it."""
        return SeenTable(view_of(self.state, self.seat_of(onlooker)), due_of(self.state), self.position)


async def onlooker_of(context: Context) -> Onlooker:
    """The viewer of a context, with all ids that the person has now."""
    return await in_thread(_onlooker, context)


async def seen_table(context: Context, id_: str) -> SeenTable | None:
    """A table as the viewer sees it; None if it does not exist, or if the viewer may not see it."""
    return await in_thread(_table, context, id_)


def is_hidden(context: Context, id_: str) -> bool:
    """Whether a table must look to the viewer as if it did not exist, or does not exist. Blocks."""
    found = newest_stories(context, [id_]).get(id_)
    return found is None or not found.may_watch(_onlooker(context))


def _table(context: Context, id_: str) -> SeenTable | None:
    found, sub = newest_stories(context, [id_]).get(id_), context.viewer.sub
    if found is None:
        return None
    # Nearly all players sit under the id of their token. Then their other ids need not be looked up.
    sits = sub is not None and found.state.seat_of(sub) is not None
    by = Onlooker(context.viewer, frozenset({sub or ""})) if sits else _onlooker(context)
    return found.seen_by(by) if found.may_watch(by) else None


def _onlooker(context: Context) -> Onlooker:
    sub = context.viewer.sub
    return Onlooker(context.viewer, frozenset() if sub is None else context.states().merges().ids_of(sub))


def newest_stories(context: Context, ids: Sequence[str]) -> dict[str, TableStory]:
    """The current state of some tables, by id. Tables that do not exist are left out. Blocks."""
    found = context.league.dispatcher.state_cache.load_many(STREAM + id_ for id_ in ids)
    return {
        table.state.table: TableStory(table.state, table.position)
        for table in found.values()
        if table.state.opening is not None
    }


# ---------------------------------------------------------------- what requests share

KEPT = 100
"""Limit on the events of a table that are cached. For a client that is further behind, the stream is read."""


class TableFeed:
    """Sends new events of live tables to the subscribers in this process."""

    def __init__(self, store: EventStore, live: Live, delays: Histogram) -> None:
        """`delays`: observes the age of events, in seconds, when this process reads them."""
        self._store, self._delays = store, delays
        self._followed: dict[str, _EventBuffer] = {}
        live.on_table(self._changed)

    async def follow(
        self, table: str, after: int, ended: asyncio.Future[str]
    ) -> AsyncGenerator[list[LoggedEvent], None]:
        """The events of a table after a log position: first those that exist, then those of each save.

        While the database is away it waits. Raises Unauthenticated when the client's session has `ended`.
        """
        followed = self._followed.setdefault(table, _EventBuffer(self._store, TABLE_STREAM + table, self._delays))
        followed.clients += 1
        try:
            while True:
                changed = followed.changed
                try:
                    new = await followed.after(after)
                except StoreUnavailable:
                    await first_of(asyncio.sleep(PATIENCE), ended)
                    continue
                if new:
                    after = new[-1].position
                    yield new
                else:
                    await first_of(changed.wait(), ended)
        finally:
            followed.clients -= 1
            if followed.clients == 0:
                del self._followed[table]

    def _changed(self, table: str | None) -> None:
        for followed in self._followed.values() if table is None else filter(None, [self._followed.get(table)]):
            followed.wake()


class _EventBuffer:
    """A buffer of the newest events of one table that has subscribers."""

    def __init__(self, store: EventStore, stream: str, delays: Histogram) -> None:
        self._store, self._stream, self._delays = store, stream, delays
        self._newest: list[LoggedEvent] = []
        self._since = 0
        """The position after which `_newest` has all events of the table."""
        self._is_read = False
        self._reading = asyncio.Lock()
        self.changed = asyncio.Event()
        self.clients = 0

    def wake(self) -> None:
        """Tell the subscribers that there may be new events."""
        waiting, self.changed = self.changed, asyncio.Event()
        self._is_read = False
        waiting.set()

    async def after(self, position: int) -> list[LoggedEvent]:
        """The events after a position. Raises StoreUnavailable."""
        async with self._reading:
            if not self._is_read:
                await self._read()
        if position < self._since:
            stream = await in_thread(self._store.load_after, self._stream, 0)
            return [stored for stored in stream if stored.position > position]
        return [stored for stored in self._newest if stored.position > position]

    async def _read(self) -> None:
        self._is_read = True  # set before the read, because an event that is stored meanwhile resets it
        try:
            version = self._newest[-1].version if self._newest else 0
            new = await in_thread(self._store.load_after, self._stream, version)
        except BaseException:
            self._is_read = False
            raise
        self._newest += new
        if version and new:
            # The clocks of the database and of this server may differ by some milliseconds.
            self._delays.observe((datetime.now(UTC) - new[-1].recorded_at).total_seconds())
        if len(self._newest) > KEPT:
            self._since = self._newest[-KEPT - 1].position
            self._newest = self._newest[-KEPT:]


MOST, WITHIN = 5, 10.0
"""Limit on phrases, mutes and unmutes per player, and its window in seconds. Each process counts for itself."""
QUEUED = 20
"""Limit on phrases that wait for a slow client. Further ones are lost to this client."""

log = structlog.get_logger()


class TableTalk:
    """Sends phrases to the subscribers of this process, and limits how often a player may speak."""

    def __init__(self, live: Live) -> None:
        self._listeners: dict[str, set[asyncio.Queue[SaidPhrase]]] = {}
        self._said: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MOST))
        """When each player last spoke, muted or unmuted; in monotonic seconds, by player."""
        self._saying = threading.Lock()
        live.on_notice(CHANNEL, self._heard)

    async def follow(self, table: str) -> AsyncGenerator[SaidPhrase, None]:
        """The phrases said at a table from now on."""
        queue = asyncio.Queue[SaidPhrase](QUEUED)
        listeners = self._listeners.setdefault(table, set())
        listeners.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            listeners.discard(queue)
            if not listeners:
                self._listeners.pop(table, None)

    def count(self, player: str) -> None:
        """Count that a player speaks, mutes or unmutes. Safe between threads. Raises TooTalkative over the limit."""
        with self._saying:
            said, now = self._said[player], time.monotonic()
            if len(said) == MOST and now - said[0] < WITHIN:
                raise TooTalkative(MOST, round(WITHIN), retry_after=ceil(WITHIN - (now - said[0])))
            said.append(now)

    def _heard(self, payload: str) -> None:
        try:
            said = heard(payload)
        except msgspec.DecodeError as error:
            log.warning("unreadable_phrase", error=str(error))
            return
        if said.phrase not in PHRASES:
            return  # it comes from a process with a newer catalogue
        for queue in self._listeners.get(said.table, ()):
            if not queue.full():
                queue.put_nowait(said)


MOST_TABLES = 100
"""Limit on tables whose finished hands are cached. A hand takes some tens of kilobytes."""


class FinishedHandsCache:
    """Caches the finished hands of the tables that were used last."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._known: OrderedDict[str, _CachedHands] = OrderedDict()

    async def hands(self, table: str, number: int) -> list[FinishedHand]:
        """The first `number` finished hands of a table, in order."""
        reviewed = self._known.setdefault(table, _CachedHands(table))
        self._known.move_to_end(table)
        if len(self._known) > MOST_TABLES:
            self._known.popitem(last=False)
        async with reviewed.reading:
            if len(reviewed.hands) < number:
                await in_thread(reviewed.read, self._store)
        return reviewed.hands[:number]


class _CachedHands:
    """The cached hands of one table."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._version = 0
        """Version of the stream after the last cached hand."""
        self._beginning: list[DatedTableEvent] = []
        """The events that all hands need, because they hold the rules of play."""
        self.hands: list[FinishedHand] = []
        self.reading = asyncio.Lock()

    def read(self, store: EventStore) -> None:
        """Read the hands that have ended since the last read. Blocks."""
        newer = store.load_after(TABLE_STREAM + self._table, self._version)
        beginning = self._beginning + dated_events(
            [one for one in newer if isinstance(one.event, TableOpened | PlayBegan)]
        )
        ended = [one.version for one in newer if isinstance(one.event, HandEnded)]
        if ended:
            hands = list(finished_hands(self._table, self._beginning + dated_events(newer)))
            self.hands, self._beginning, self._version = self.hands + hands, beginning, ended[-1]


class LiveTables(Struct, frozen=True):
    """The services for live tables that all requests to a process share."""

    feed: TableFeed
    finished_hands: FinishedHandsCache
    talk: TableTalk
    presence: Presence
    deadlines: Histogram


def shared(process: Process) -> LiveTables:
    """Make the services for live tables that all requests to a process share."""
    registry, live, store = process.metrics.registry, process.source.live, process.league.store
    events = Histogram(
        "league_table_event_delay_seconds",
        "Time from the recording of an event of a live table until this process had it for those who follow.",
        buckets=BUCKETS,
        registry=registry,
    )
    deadlines = Histogram(
        "league_deadline_delay_seconds",
        "Time from a deadline of a live table until this process had met it.",
        buckets=BUCKETS,
        registry=registry,
    )
    return LiveTables(
        TableFeed(store, live, events),
        FinishedHandsCache(store),
        TableTalk(live),
        Presence(process.league.database.url),
        deadlines,
    )


def live_tables(context: Context) -> LiveTables:
    """The services for live tables in this process."""
    return context.shared(LiveTables)


@contextmanager
def serving(process: Process) -> Iterator[None]:
    """Inside this context a server process also keeps the clock of live tables and writes signs of life."""
    tables: LiveTables = process.shared[LiveTables]
    keep = partial(keep_clock, process.league, on_deadline=tables.deadlines.observe)
    with tables.presence.written(), in_background(keep):
        yield


_TABLES = "SELECT phase, count(*) AS tables FROM live_tables GROUP BY phase"
_AI_TURNS = (
    "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(changed_at)), 0)::float8"
    " FROM live_tables WHERE ai_seat IS NOT NULL"
)
_OVERDUE = "SELECT count(*) FROM live_tables WHERE due_at < clock_timestamp() - interval '1 second'"
_PHASES = ("open", "shuffling", "offering", "playing", "paused")


def figures(conn: psycopg.Connection[Any]) -> Iterator[GaugeMetricFamily]:
    """Metrics of live tables: their phases, missed deadlines, and how long turns of AIs last."""
    tables: dict[str, int] = dict(conn.execute(_TABLES).fetchall())
    phases = GaugeMetricFamily("league_live_tables", "Live tables, by what they are doing.", labels=["phase"])
    for phase in _PHASES:
        phases.add_metric([phase], tables.get(phase, 0))
    yield phases
    [(overdue,)] = conn.execute(_OVERDUE)
    yield GaugeMetricFamily("league_overdue_tables", "Live tables whose deadline passed a second ago.", overdue)
    [(ai_turns, oldest)] = conn.execute(_AI_TURNS)
    yield GaugeMetricFamily("league_ai_turns", "Live tables at which it is the turn of an AI.", ai_turns)
    yield GaugeMetricFamily("league_ai_turn_seconds", "How long the longest of these turns has lasted.", oldest)
