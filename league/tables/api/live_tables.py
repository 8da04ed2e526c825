"""Live tables as viewers see them, and what all requests to this process share of them.

`seen_table` makes the view of a table from its stream in the log. A process shares who is there, what is said, events
that come and the figures of the tables.
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

    def take(self, stored: LoggedEvent) -> None:
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


async def onlooker_of(context: Context) -> Onlooker:
    """The viewer, with all ids of the person as they are now."""
    return await in_thread(_onlooker, context)


async def seen_table(context: Context, id_: str) -> SeenTable | None:
    """A table as the viewer sees it; None for one that the league does not know, or that the viewer may not see."""
    return await in_thread(_table, context, id_)


def is_hidden(context: Context, id_: str) -> bool:
    """Whether the viewer may know nothing of a table: they may not see it, or there is none. Blocks."""
    found = newest_stories(context, [id_]).get(id_)
    return found is None or not found.may_watch(_onlooker(context))


def _table(context: Context, id_: str) -> SeenTable | None:
    found, sub = newest_stories(context, [id_]).get(id_), context.viewer.sub
    if found is None:
        return None
    # Who sits there by the id of the token, as nearly all do, has no other seat.
    sits = sub is not None and found.state.seat_of(sub) is not None
    by = Onlooker(context.viewer, frozenset({sub or ""})) if sits else _onlooker(context)
    return found.seen_by(by) if found.may_watch(by) else None


def _onlooker(context: Context) -> Onlooker:
    sub = context.viewer.sub
    return Onlooker(context.viewer, frozenset() if sub is None else context.states().merges().ids_of(sub))


def newest_stories(context: Context, ids: Sequence[str]) -> dict[str, TableStory]:
    """Those of some tables that the league knows, by id, as they are now. Blocks."""
    found = context.league.dispatcher.state_cache.load_many(STREAM + id_ for id_ in ids)
    return {
        table.state.table: TableStory(table.state, table.position)
        for table in found.values()
        if table.state.opening is not None
    }


# ---------------------------------------------------------------- what requests share

KEPT = 100
"""Events of a table that are kept in memory: a client that is further behind reads the table's stream."""


class TableFeed:
    """What this process has read of the live tables that clients follow. `delays`: how old the events are by then."""

    def __init__(self, store: EventStore, live: Live, delays: Histogram) -> None:
        self._store, self._delays = store, delays
        self._followed: dict[str, _EventBuffer] = {}
        live.on_table(self._changed)

    async def follow(
        self, table: str, after: int, ended: asyncio.Future[str]
    ) -> AsyncGenerator[list[LoggedEvent], None]:
        """The events of a table after a position of the log: first those that are there, then each save.

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
    """The newest events of one table that clients follow."""

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
        """There may be new events."""
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
        self._is_read = True  # before the read: what is stored during it sets this back
        try:
            version = self._newest[-1].version if self._newest else 0
            new = await in_thread(self._store.load_after, self._stream, version)
        except BaseException:
            self._is_read = False
            raise
        self._newest += new
        if version and new:
            # Both clocks are of the servers; those of two machines may differ by some milliseconds.
            self._delays.observe((datetime.now(UTC) - new[-1].recorded_at).total_seconds())
        if len(self._newest) > KEPT:
            self._since = self._newest[-KEPT - 1].position
            self._newest = self._newest[-KEPT:]


MOST, WITHIN = 5, 10.0
"""So often a player may speak, mute and unmute within so many seconds, by what this process has seen."""
QUEUED = 20
"""Phrases that wait for a slow client; further ones are lost to it."""

log = structlog.get_logger()


class TableTalk:
    """The talk at the tables that clients of this process follow."""

    def __init__(self, live: Live) -> None:
        self._listeners: dict[str, set[asyncio.Queue[SaidPhrase]]] = {}
        self._said: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MOST))
        """By player, when they last spoke, muted or unmuted."""
        self._saying = threading.Lock()
        live.on_notice(CHANNEL, self._heard)

    async def follow(self, table: str) -> AsyncGenerator[SaidPhrase, None]:
        """What is said at a table from now on."""
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
        """Take note that a player speaks, mutes or unmutes. Safe between threads. Raises TooTalkative."""
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
            return  # of a process with a newer catalogue
        for queue in self._listeners.get(said.table, ()):
            if not queue.full():
                queue.put_nowait(said)


MOST_TABLES = 100
"""Tables whose finished hands are remembered; a hand takes some tens of kilobytes."""


class FinishedHandsCache:
    """The finished hands of the tables that were asked for last."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._known: OrderedDict[str, _CachedHands] = OrderedDict()

    async def hands(self, table: str, number: int) -> list[FinishedHand]:
        """The first hands of a table, `number` of them, which have ended. Whole, in order."""
        reviewed = self._known.setdefault(table, _CachedHands(table))
        self._known.move_to_end(table)
        if len(self._known) > MOST_TABLES:
            self._known.popitem(last=False)
        async with reviewed.reading:
            if len(reviewed.hands) < number:
                await in_thread(reviewed.read, self._store)
        return reviewed.hands[:number]


class _CachedHands:
    """The finished hands of one table."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._version = 0
        """Of the stream, after the last hand here."""
        self._beginning: list[DatedTableEvent] = []
        """The events that all hands need: under which rules they were played."""
        self.hands: list[FinishedHand] = []
        self.reading = asyncio.Lock()

    def read(self, store: EventStore) -> None:
        """Go on to the hands that have ended since. Blocks."""
        newer = store.load_after(TABLE_STREAM + self._table, self._version)
        beginning = self._beginning + dated_events(
            [one for one in newer if isinstance(one.event, TableOpened | PlayBegan)]
        )
        ended = [one.version for one in newer if isinstance(one.event, HandEnded)]
        if ended:
            hands = list(finished_hands(self._table, self._beginning + dated_events(newer)))
            self.hands, self._beginning, self._version = self.hands + hands, beginning, ended[-1]


class LiveTables(Struct, frozen=True):
    """The live tables that clients of this process follow."""

    feed: TableFeed
    finished_hands: FinishedHandsCache
    talk: TableTalk
    presence: Presence
    deadlines: Histogram


def shared(process: Process) -> LiveTables:
    """What the requests to a process share."""
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
    """What the requests to this process share."""
    return context.shared(LiveTables)


@contextmanager
def serving(process: Process) -> Iterator[None]:
    """Inside this context a process that answers requests also keeps the clock of live tables."""
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
    """What the tables do, which deadlines were missed, and how long AIs think."""
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
