"""Promotion while others write without a pause: it is done, and the projector folds what follows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from leagues import announced, catch_up, caught_up_digest, exported, official, rebuild, revised, send
from waiting import wait_until

from league.application.bootstrap import League
from league.eventlog.records import AppendRequest
from league.projections.projector import AnotherProjector, Projector
from league.projections.replays.replay import ReplayPeriod, replay

pytestmark = pytest.mark.heavy

ADMIN = AppendRequest("admin", "manual")
WRITERS = 4


@pytest.fixture
def known(league: League) -> League:
    """Six matches, projected."""
    for number in range(6):
        seats = ("ana", "bea") if number % 2 else ("cira", "dora")
        send(league, announced(f"m{number}", seats, number, (150, 10 * number)))
    catch_up(league)
    return league


def a_run(league: League, k: int = 32) -> int:
    """The run of a replay."""
    return replay(league.database.url, revised(f"rating.k.provisional = {k}"), ReplayPeriod())


@contextmanager
def written(league: League, writers: int = WRITERS) -> Iterator[list[str]]:
    """Writers write matches without a pause while this context lasts. Yields the ids of those that are written."""
    stop, matches = threading.Event(), list[str]()

    def write(writer: int) -> None:
        for number in range(1_000_000):
            if stop.is_set():
                return
            match = f"w{writer}-{number}"
            send(league, announced(match, ("eva", "flor"), 30, competition="casual"))
            matches.append(match)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: len(matches) > writers)
        yield matches
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextmanager
def projected(league: League) -> Iterator[None]:
    """A projector follows the log while this context lasts."""
    stop = threading.Event()

    def follow() -> None:
        while not stop.is_set():
            with suppress(AnotherProjector), Projector(league.database.url, league.store) as projector:
                projector.follow(stop.is_set, idle=0.05)

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_promotion_and_a_rollback_succeed_while_writers_write_without_a_pause(known: League) -> None:
    """Neither waits for a moment without writes; every match is counted once, and a rebuild gives the same digest."""
    url, before, run = known.database.url, official(known.database.url), a_run(known)
    with projected(known), written(known) as matches:
        known.promoter.promote(run, ADMIN)
        assert official(url) == run
        known.promoter.roll_back(ADMIN)
        assert official(url) == before
    incremental = caught_up_digest(known)
    (flor,) = [row for row in exported(url, "ratings") if (row["id"], row["mode"]) == ("flor", "1v1")]
    assert flor["matches"] == len(matches)
    assert rebuild(known) == incremental
