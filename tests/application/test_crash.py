"""Processes that are killed at any moment: what was acknowledged stays, nothing is counted twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import processes
import psycopg
import pytest
from leagues import (
    announced,
    caught_up_digest,
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
from processes import Point, command, killed
from waiting import LIMIT

from league.application.bootstrap import League
from league.projections.projector import Projector

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

MATCHES = 60

RECORDER, PROJECTOR = "league.eventlog.recorder", "league.projections.projector"
PAGE_FOLD = "league.projections.page_fold"
IMPORTS = {
    Point("before", f"{RECORDER}:insert_next"): False,
    Point("after", f"{RECORDER}:insert_next"): False,
    Point("after", f"{RECORDER}:Recorder.insert"): True,
}
"""Where an import is killed, and whether it is stored by then."""
FOLLOWING = (
    Point("after", f"{PAGE_FOLD}:store_matches"),
    Point("before", f"{PROJECTOR}:fold_from", 2),
    Point("after", f"{PROJECTOR}:fold_from", 3),
    Point("after", f"{PROJECTOR}:Projector._step", 2),
)
"""Where a projector is killed: in a page, between its folds, before the commit of a page and after it."""
REBUILDING = (
    Point("after", f"{PAGE_FOLD}:store_scored"),
    Point("after", "league.projections.runs:attach"),
    Point("after", f"{PROJECTOR}:raise_generation"),
)
"""Where a rebuild is killed: in its rows, before readers find the new run, and before the commit."""


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


def undisturbed(server_url: str, folder: Path) -> Any:
    """The digest and rows of the season in a league whose processes were not killed."""
    with own_database(server_url) as url, league_at(url) as league:
        league.create("Domino league", "UTC", "league")
        import_cuban(league, folder)
        return caught_up_digest(league), everything(url, but=()), league.store.head()


def test_imports_killed_at_any_moment(database_url: str, season: Path) -> None:
    """After each kill all of the import is in the log or nothing; in the end the league is the undisturbed one."""
    expected, rows, whole = undisturbed(database_url, season)
    with league_at(database_url) as league:
        before = league.create("Domino league", "UTC", "league")
        for point, is_stored in IMPORTS.items():
            killed(point, processes.league, database_url, "import", str(season))
            assert league.store.head() == (whole if is_stored else before)
        finish(database_url, "import", str(season))
        assert league.store.head() == whole
        assert digest(database_url) == expected
        assert everything(database_url, but=()) == rows


def test_projections_killed_at_any_moment(database_url: str, season: Path) -> None:
    """After each kill rows and position agree; in the end the league is the undisturbed one."""
    with league_at(database_url) as league:
        league.create("Domino league", "UTC", "league")
        import_cuban(league, season)
        expected, shared = caught_up_digest(league), shared_rows(database_url)
        forget_projections(database_url)
        for point in FOLLOWING:
            killed(point, follow, database_url, 97)
            assert_rows_agree_with_their_position(league)
        for point in REBUILDING:
            killed(point, processes.league, database_url, "project", "--rebuild")
            assert_rows_agree_with_their_position(league)
        finish(database_url, "project", "--once")
        assert digest(database_url) == expected
        assert shared_rows(database_url) == shared


def assert_rows_agree_with_their_position(league: League) -> None:
    """The official run has the rows of exactly the events up to its position."""
    url = league.database.url
    with psycopg.connect(url) as conn:
        found = conn.execute("SELECT position FROM runs JOIN official_run USING (run)").fetchone()
        if found is None:
            return
        (reached,) = found
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


def test_a_projector_killed_while_writers_write(league_url: str) -> None:
    """After kills of a following projector, every position returned to a writer is projected exactly once."""
    with league_at(league_url) as league:
        with writers(league) as reported:
            for point in FOLLOWING:
                killed(point, follow, league_url, 5)
                assert_rows_agree_with_their_position(league)
        assert max(reported) == league.store.head()
        finish(league_url, "project", "--once")
        as_it_happened = digest(league_url)
        decided = {row["position"] for row in exported(league_url, "changes")}
        assert decided == set(reported)
        assert rebuild(league) == as_it_happened
