"""What the events of live tables cost those who follow the league, and do not read them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event

from msgspec import Struct
from structlog.testing import capture_logs

from league.application.bootstrap import League
from league.projections.replays.replay import ReplayPeriod, replay
from tests.bench.made_league import make_league
from tests.bench.measure import say, timed
from tests.bench.rebuild import ADMIN, apart, catch_up, created, made, rebuild, revision
from tests.bench.table_events import add_table_events

MATCHES_BETWEEN = 25
"""So many matches are stored between the events of tables, each time."""
PLAYED_AT_ONCE = 100
ROUNDS = 4


class InTheWay(Struct):
    """A league without events of tables beside the same one with them; seconds."""

    table_events: int
    rebuild_without: float
    rebuild_with: float
    nothing: float
    """To catch up with a log that has nothing new."""
    catching_up: float
    """To catch up with a log that has as many new events again, all of them of tables."""
    promotion: float
    """To promote a run while events of tables are appended without a pause."""
    played_meanwhile: int
    """How many."""


def bench_beside_tables(hands: int, players: int, table_events: int) -> None:
    """Rebuild, project and promote beside the events of live tables."""
    with made(hands, players) as without, created() as with_tables:
        make_with_tables(with_tables, hands, players, table_events)
        say(line_of(in_the_way(without, with_tables, table_events), hands))


def make_with_tables(league: League, hands: int, players: int, table_events: int) -> None:
    """Make the matches of the other league, with events of tables between them."""
    times = -(-(hands // 8) // MATCHES_BETWEEN)
    some = table_events // times
    make_league(league, hands, players, MATCHES_BETWEEN, lambda: add_table_events(league.database.url, some))


def in_the_way(without: League, with_tables: League, table_events: int) -> InTheWay:
    """Measure both in turn, so that what else the machine does slows both."""
    url, both = with_tables.database.url, (without, with_tables)
    rebuilds = [[apart(rebuild, league.database.url, 2)[0] for league in both] for _ in range(ROUNDS)]
    nothing = min(apart(catch_up, url) for _ in range(ROUNDS))
    add_table_events(url, table_events)
    catching_up = min(apart(catch_up, url) for _ in range(ROUNDS))
    run = replay(url, revision(), ReplayPeriod())
    with playing(url), capture_logs():  # so that the log does not stand between the figures
        start = with_tables.store.head()
        promotion = timed(lambda: with_tables.promoter.promote(run, ADMIN))
        played = with_tables.store.head() - start
    return InTheWay(table_events, *map(min, zip(*rebuilds, strict=True)), nothing, catching_up, promotion, played)


def line_of(found: InTheWay, hands: int) -> str:
    """What they cost."""
    ratio = found.rebuild_with / found.rebuild_without
    return (
        f"live tables   rebuild of {hands:,} hands: {found.rebuild_without:.2f} s alone, {found.rebuild_with:.2f} s"
        f" with {found.table_events:,} events of tables between them, ratio {ratio:.2f} (at most 1.1)\n"
        f"  {found.table_events:,} more at the end of the log: projected in {found.catching_up * 1000:.0f} ms"
        f" (nothing new: {found.nothing * 1000:.0f} ms)\n"
        f"  promoted in {found.promotion * 1000:.0f} ms while {found.played_meanwhile:,} more came\n"
    )


@contextmanager
def playing(url: str) -> Iterator[None]:
    """A process that appends events of tables without a pause, as long as this context lasts."""
    spawn = multiprocessing.get_context("spawn")
    stop, begun = spawn.Event(), spawn.Event()
    process = spawn.Process(target=_play, args=(url, stop, begun))
    process.start()
    begun.wait()
    try:
        yield
    finally:
        stop.set()
        process.join()


def _play(url: str, stop: Event, begun: Event) -> None:
    while not stop.is_set():
        add_table_events(url, PLAYED_AT_ONCE)
        begun.set()
