"""How long a promotion takes, and for how long writers wait for it, while processes write as fast as they can."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.synchronize import Event
from random import Random

from msgspec import Struct
from structlog.testing import capture_logs

from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher
from league.domain.match import OpenMatch, RecordResult
from league.domain.result import AnnouncedResult
from league.domain.rulebook import parse_rulebook
from league.eventlog import codec
from league.eventlog.records import AppendRequest
from league.eventlog.store import EventStore
from league.projections.projector import AnotherProjector, Projector
from league.projections.replays.replay import ReplayPeriod, replay
from league.rulebook import shipped_edition
from tests.bench.made_league import RULESET
from tests.bench.measure import say, timed
from tests.bench.rebuild import made

ADMIN = AppendRequest("bench", "manual")
WRITERS = 4
ROUNDS = 5
CALM = 2.0
"""Seconds for which writes are counted before each promotion."""
EVENTS_A_WRITE = 2
"""A match that is opened and its result."""


class Promoted(Struct):
    """Promotions and rollbacks under the heaviest load."""

    promotion: float
    """Seconds that the slowest promotion took."""
    rolling_back: float
    """Seconds that the slowest rollback took."""
    held: int
    """Milliseconds for which a promotion or a rollback made all writers wait, at most."""
    before: float
    """Writes a second."""
    during: float
    """Writes a second while a promotion or a rollback was carried out."""


def bench_promotion(hands: int, players: int) -> None:
    """Promotions and rollbacks in a league of so many hands."""
    with made(hands, players) as league:
        league.project()
        say(line_of(promoted_under_load(league, players)))


def line_of(p: Promoted) -> str:
    """What promotions came to."""
    return (
        f"promotion     done in {p.promotion:.2f} s, rolled back in {p.rolling_back:.2f} s (the slowest of {ROUNDS})"
        f" while {WRITERS} processes write; writers wait {p.held} ms at most\n"
        f"  {p.before:,.0f} writes/s before, {p.during:,.0f} writes/s during it\n"
    )


def promoted_under_load(league: League, players: int, *, rounds: int = ROUNDS, calm: float = CALM) -> Promoted:
    """Promote and roll back in turn while others write and project."""
    found, during = Promoted(0.0, 0.0, 0, 0.0, 0.0), 0.0
    before = written = 0
    with load(league, players), capture_logs() as logs:
        start = league.store.head()
        while league.store.head() < start + WRITERS * EVENTS_A_WRITE:
            time.sleep(0.05)  # until all are there
        for number in range(rounds):
            head = league.store.head()
            time.sleep(calm)
            before += league.store.head() - head
            rules = parse_rulebook(f"[rating.k]\nprovisional = {32 + number}", shipped_edition(1))
            run = replay(league.database.url, rules, ReplayPeriod())
            head = league.store.head()
            promotion = timed(lambda run=run: league.promoter.promote(run, ADMIN))  # type: ignore[misc]
            written += league.store.head() - head
            league.project()  # the adoption is folded
            head = league.store.head()
            rolling_back = timed(lambda: league.promoter.roll_back(ADMIN))
            written += league.store.head() - head
            league.project()
            during += promotion + rolling_back
            found.promotion = max(found.promotion, promotion)
            found.rolling_back = max(found.rolling_back, rolling_back)
    found.held = max(entry["lock_held_ms"] for entry in logs if entry["event"] == "run_promoted")
    found.before, found.during = before / EVENTS_A_WRITE / calm / rounds, written / EVENTS_A_WRITE / during
    return found


@contextmanager
def load(league: League, players: int) -> Iterator[None]:
    """Processes that write without a pause, and one that projects, as long as this context lasts."""
    spawn = multiprocessing.get_context("spawn")
    stop = spawn.Event()
    works = [spawn.Process(target=_write, args=(league.database.url, stop, players)) for _ in range(WRITERS)]
    works.append(spawn.Process(target=_project, args=(league.database.url, stop)))
    for process in works:
        process.start()
    try:
        yield
    finally:
        stop.set()
        for process in works:
            process.join()


def _write(url: str, stop: Event, players: int) -> None:
    random, number = Random(os.getpid()), 0
    with EventStore(url, codec) as store:
        dispatcher = Dispatcher(store, clock)
        while not stop.is_set():
            number += 1
            match, seats = f"w{os.getpid()}-{number}", [f"p{n:05}" for n in random.sample(range(players), 2)]
            opened = OpenMatch(match, RULESET, "1v1", "casual", tuple(seats))
            dispatcher.send_all([opened, RecordResult(match, AnnouncedResult(0, (150, 90)))], "bench")


def _project(url: str, stop: Event) -> None:
    with EventStore(url, codec) as store:
        while not stop.is_set():
            with suppress(AnotherProjector), Projector(url, store) as projector:
                projector.follow(stop.is_set)
