"""What the requests to a process share of live tables, and what keeps the tables going meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from msgspec import Struct
from prometheus_client import Histogram

from league.api.graphql.executing.context import Context, Process
from league.api.graphql.executing.metrics import BUCKETS
from league.application.background import in_background
from league.tables.api.table_feed import TableFeed
from league.tables.api.table_reviews import TableReviews
from league.tables.api.table_talk import TableTalk
from league.tables.application.clock_keeper import keep_clock
from league.tables.application.presence import Presence


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
