"""What all requests to this process share of live tables: who is there, what is said, and events that come."""

import asyncio
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from math import ceil

import msgspec
import structlog
from msgspec import Struct
from prometheus_client import Histogram

from league.api.graphql.executing.context import Context, Process
from league.api.graphql.executing.metrics import BUCKETS
from league.api.graphql.live.listening import PATIENCE, Live
from league.api.graphql.live.watches import first_of
from league.api.graphql.threads import in_thread
from league.application.bootstrap import in_background
from league.eventlog.recorder import TABLE_STREAM, StoreUnavailable
from league.eventlog.records import Stored
from league.eventlog.store import EventStore
from league.tables.application.clock_keeper import keep_clock
from league.tables.application.presence import Presence
from league.tables.application.talk import CHANNEL, Said, heard
from league.tables.domain.events import HandEnded, PlayBegan, TableOpened
from league.tables.domain.refusals import TooTalkative
from league.tables.domain.review import FinishedHand, Happened, finished_hands
from league.tables.phrases import PHRASES
from league.tables.projections.played_hands import happened

KEPT = 100
"""Events of a table that are kept in memory: a client that is further behind reads the table's stream."""


class TableFeed:
    """What this process has read of the live tables that clients follow. `delays`: how old the events are by then."""

    def __init__(self, store: EventStore, live: Live, delays: Histogram) -> None:
        self._store, self._delays = store, delays
        self._followed: dict[str, _Followed] = {}
        live.on_table(self._changed)

    async def follow(self, table: str, after: int, ended: asyncio.Future[str]) -> AsyncGenerator[list[Stored], None]:
        """The events of a table after a position of the log: first those that are there, then each save.

        While the database is away it waits. Raises Unauthenticated when the client's session has `ended`.
        """
        followed = self._followed.setdefault(table, _Followed(self._store, TABLE_STREAM + table, self._delays))
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


class _Followed:
    """The newest events of one table that clients follow."""

    def __init__(self, store: EventStore, stream: str, delays: Histogram) -> None:
        self._store, self._stream, self._delays = store, stream, delays
        self._newest: list[Stored] = []
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

    async def after(self, position: int) -> list[Stored]:
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
        self._listeners: dict[str, set[asyncio.Queue[Said]]] = {}
        self._said: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MOST))
        """By player, when they last spoke, muted or unmuted."""
        self._saying = threading.Lock()
        live.on_notice(CHANNEL, self._heard)

    async def follow(self, table: str) -> AsyncGenerator[Said, None]:
        """What is said at a table from now on."""
        queue = asyncio.Queue[Said](QUEUED)
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


class TableReviews:
    """The finished hands of the tables that were asked for last."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._known: OrderedDict[str, _Reviewed] = OrderedDict()

    async def hands(self, table: str, number: int) -> list[FinishedHand]:
        """The first hands of a table, `number` of them, which have ended. Whole, in order."""
        reviewed = self._known.setdefault(table, _Reviewed(table))
        self._known.move_to_end(table)
        if len(self._known) > MOST_TABLES:
            self._known.popitem(last=False)
        async with reviewed.reading:
            if len(reviewed.hands) < number:
                await in_thread(reviewed.read, self._store)
        return reviewed.hands[:number]


class _Reviewed:
    """The finished hands of one table."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._version = 0
        """Of the stream, after the last hand here."""
        self._beginning: list[Happened] = []
        """The events that all hands need: under which rules they were played."""
        self.hands: list[FinishedHand] = []
        self.reading = asyncio.Lock()

    def read(self, store: EventStore) -> None:
        """Go on to the hands that have ended since. Blocks."""
        newer = store.load_after(TABLE_STREAM + self._table, self._version)
        beginning = self._beginning + happened([one for one in newer if isinstance(one.event, TableOpened | PlayBegan)])
        ended = [one.version for one in newer if isinstance(one.event, HandEnded)]
        if ended:
            hands = list(finished_hands(self._table, self._beginning + happened(newer)))
            self.hands, self._beginning, self._version = self.hands + hands, beginning, ended[-1]


class LiveTables(Struct, frozen=True):
    """The live tables that clients of this process follow."""

    feed: TableFeed
    reviews: TableReviews
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
        TableReviews(store),
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
    with tables.presence.kept(), in_background(keep):
        yield
