"""Processes that are killed at any moment: what was acknowledged stays, nothing is counted twice."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psycopg
import pytest
from leagues import (
    announced,
    catch_up,
    digest,
    everything,
    exported,
    forget_projections,
    import_cuban,
    league_at,
    own_database,
    part_of_season,
    rebuild,
    send,
    shared_rows,
)
from processes import command, started
from waiting import LIMIT, wait_until

from league.application.bootstrap import League
from league.projections.projector import ADVISORY_LOCK, Projector

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

MATCHES = 60
KILLS = 5
"""Of imports, and again of projections: ten together."""


@pytest.fixture
def season(tmp_path: Path) -> Path:
    return part_of_season(tmp_path / "season", MATCHES)


def follow(url: str, page: int) -> None:
    """The projector that follows the log, in pages of so many events."""
    with league_at(url) as league, Projector(url, league.store, page=page) as projector:
        projector.follow(lambda: False)


def finish(url: str, *arguments: str) -> None:
    process = command(url, *arguments)
    process.join(LIMIT)
    assert process.exitcode == 0


def wait_until_connected(url: str, process: BaseProcess) -> None:
    """Until the process has reached the database, or has ended: before that a kill meets nothing."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(url, autocommit=True) as conn:
        (others,) = conn.execute(query).fetchone() or (0,)
        wait_until(lambda: not process.is_alive() or conn.execute(query).fetchone() > (others,))


def kill(process: BaseProcess) -> bool:
    """Kill it. Whether it had ended by itself, and so said that it was done."""
    done = process.exitcode == 0
    process.kill()
    process.join()
    return done


def undisturbed(server_url: str, folder: Path) -> Any:
    """The digest and rows of the season in a league whose processes were not killed."""
    with own_database(server_url) as url, league_at(url) as league:
        league.create("Domino league", "UTC", "league")
        import_cuban(league, folder)
        return catch_up(league), everything(url, but=()), league.store.head()


def test_imports_killed_at_any_moment(database_url: str, season: Path, rng: random.Random) -> None:
    """After each kill all of the import is in the log or nothing; in the end the league is the undisturbed one."""
    expected, rows, whole = undisturbed(database_url, season)
    with league_at(database_url) as league:
        before = league.create("Domino league", "UTC", "league")
        for _ in range(KILLS):
            process = command(database_url, "import", str(season))
            wait_until_connected(database_url, process)
            time.sleep(rng.uniform(0, 0.4))
            done = kill(process)
            assert league.store.head() in ((whole,) if done else (before, whole))
        finish(database_url, "import", str(season))
        assert league.store.head() == whole
        assert digest(database_url) == expected
        assert everything(database_url, but=()) == rows


def test_projections_killed_at_any_moment(database_url: str, season: Path, rng: random.Random) -> None:
    """After each kill rows and position agree; in the end the league is the undisturbed one."""
    with league_at(database_url) as league:
        league.create("Domino league", "UTC", "league")
        import_cuban(league, season)
        expected, shared = catch_up(league), shared_rows(database_url)
        forget_projections(database_url)
        for number in range(KILLS):
            # One page, the pages of a small projector, or a whole rebuild.
            commands = (("project", "--once"), None, ("project", "--rebuild"))
            arguments = commands[number % 3]
            process = command(database_url, *arguments) if arguments else started(follow, database_url, 97)
            wait_until_connected(database_url, process)
            time.sleep(rng.uniform(0, 0.4))
            done = kill(process)
            assert_rows_agree_with_their_position(league, whole=done)
        finish(database_url, "project", "--once")
        assert digest(database_url) == expected
        assert shared_rows(database_url) == shared


def assert_rows_agree_with_their_position(league: League, *, whole: bool) -> None:
    """The official run has the rows of exactly the events up to its position."""
    url = league.database.url
    with psycopg.connect(url) as conn:
        found = conn.execute("SELECT position FROM runs JOIN official_run USING (run)").fetchone()
        if found is None:
            assert not whole
            return
        (reached,) = found
        assert reached == league.store.head() or not whole
        opened = "SELECT count(*) FROM stored_events WHERE topic = 'match-opened/1' AND position <= %s"
        hands = "SELECT count(*) FROM stored_events WHERE topic = 'hand-recorded/1' AND position <= %s"
        assert conn.execute(opened, (reached,)).fetchone() == conn.execute("SELECT count(*) FROM matches").fetchone()
        assert conn.execute(hands, (reached,)).fetchone() == conn.execute("SELECT count(*) FROM hands").fetchone()


EIGHT_DAYS = 8 * 24
"""Between the matches of a pair: of more than four in a month the fifth would be refused."""


@contextmanager
def writers(league: League) -> Iterator[list[int]]:
    """Two writers that record one match after the other; yields the positions returned to them."""
    reported: list[int] = []
    ended = threading.Event()

    def write(name: str, seats: tuple[str, ...]) -> None:
        number = 0
        while not ended.is_set():
            began = EIGHT_DAYS * (number - 1_000)
            reported.append(send(league, announced(f"{name}{number:04}", seats, began)))
            number += 1
            time.sleep(0.005)

    names = {"a": ("ana", "bea"), "b": ("cira", "dora")}
    threads = [threading.Thread(target=write, args=pair) for pair in names.items()]
    for thread in threads:
        thread.start()
    try:
        yield reported
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def projects(url: str) -> bool:
    """Whether a process projects: one at a time holds the lock."""
    held = (
        "SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database()"
        " AND locktype = 'advisory' AND (classid::bigint << 32) + objid::bigint = %s"
    )
    with psycopg.connect(url, autocommit=True) as conn:
        return conn.execute(held, (ADVISORY_LOCK,)).rowcount > 0


def test_a_projector_killed_while_writers_write(league_url: str, rng: random.Random) -> None:
    """After kills of a following projector, every position returned to a writer is projected exactly once."""
    with league_at(league_url) as league:
        with writers(league) as reported:
            for _ in range(3):
                process = started(follow, league_url, 5)
                wait_until(partial(projects, league_url))
                time.sleep(rng.uniform(0.05, 0.4))
                kill(process)
                assert_rows_agree_with_their_position(league, whole=False)
        assert max(reported) == league.store.head()
        finish(league_url, "project", "--once")
        as_it_happened = digest(league_url)
        decided = {row["position"] for row in exported(league_url, "changes")}
        assert decided == set(reported)
        assert rebuild(league) == as_it_happened
