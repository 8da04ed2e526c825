"""Replays, promotions and projections that are killed at any moment: no half state is ever read, and none remains."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from leagues import announced, catch_up, digest, import_cuban, league_at, part_of_season, rebuild, revised, send
from processes import started
from waiting import wait_until

from league.application import replay_requests
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.application.replay_folding import fold_replay
from league.application.replay_requests import Asked
from league.eventlog.records import Request
from league.infra.database import connect
from league.projections.projector import Projector
from league.projections.replays.replay import Period, replay
from league.projections.tables import OF_RUNS

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

KILLS = 20
MATCHES = 60
ADMIN = Request("admin", "manual")


def fold(url: str, number: int) -> None:
    """A worker's fold."""
    fold_replay(url, number)


def promote(url: str, run: int) -> None:
    """What the API does when a promotion is asked for."""
    with league_at(url) as league:
        league.promoter.promote(run, ADMIN)


def roll_back(url: str, _: int) -> None:
    """What the API does when it is asked to go back."""
    with league_at(url) as league:
        league.promoter.roll_back(ADMIN)


def project(url: str, _: int) -> None:
    """The projector."""
    with league_at(url) as league, Projector(url, league.store, page=50) as projector:
        projector.follow(lambda: False)


def killed(rng: random.Random, work: Callable[[str, int], None], url: str, number: int) -> None:
    """Let a process work, and kill it at some moment."""
    process = started(work, url, number)
    process.join(rng.uniform(0.02, 0.35))
    process.kill()
    process.join()
    assert process.exitcode in (0, 1, -signal.SIGKILL)


def assert_whole(url: str) -> None:
    """What readers are sent to is complete: every table is there, and every match that the facts know."""
    with connect(url) as conn:
        row = conn.execute("SELECT run, ready FROM official_run JOIN runs USING (run)").fetchone()
        assert row is not None
        run, ready = row
        assert ready
        for table in OF_RUNS:
            assert conn.execute("SELECT to_regclass(%s)", (f"{table.name}_{run}",)).fetchone() != (None,)
        counts = conn.execute(
            "SELECT (SELECT count(*) FROM matches WHERE run = %s), (SELECT count(*) FROM match_facts)", (run,)
        ).fetchone()
        assert counts is not None
        assert counts[0] == counts[1]


def a_run(league: League, number: int) -> int:
    """A replay to promote; each revises the rules in force."""
    return replay(league.database.url, revised(f"rating.k.provisional = {40 + number}"), Period())


def test_twenty_kills_leave_the_league_whole(database_url: str, tmp_path: Path, rng: random.Random) -> None:
    """Workers, promotions and projectors die, matches go on: each is in the league once, and a rebuild agrees."""
    url = database_url
    with league_at(url) as league:
        league.create("Liga", "UTC", "test")
        import_cuban(league, part_of_season(tmp_path / "season", MATCHES))
        catch_up(league)
        jobs = Jobs(url, None)
        for number in range(KILLS):
            send(
                league,
                announced(
                    f"live-{number}", rng.sample(["p001", "p002", "p003", "p004"], 2), number, competition="casual"
                ),
            )
            work = rng.choice([fold, promote, roll_back, project])
            target = 0
            if work is fold:
                target = replay_requests.start(league, Asked(revised(f"rating.k.standard = {number + 1}")), ADMIN)
            elif work is promote:
                target = a_run(league, number)
            killed(rng, work, url, target)
            assert_whole(url)
        unfinished(url, jobs)
        league.project()
        league.promoter.promote(a_run(league, KILLS), ADMIN)
        assert_whole(url)
        incremental = digest(url)
        rebuild(league)
        assert digest(url) == incremental


def unfinished(url: str, jobs: Jobs) -> None:
    """The next worker takes up what the killed ones left."""
    stop = threading.Event()
    worker = threading.Thread(target=jobs.work, args=(stop.is_set,))
    worker.start()
    try:
        with connect(url) as conn:
            left = "SELECT FROM replays WHERE run IS NULL AND failure IS NULL"
            wait_until(lambda: conn.execute(left).rowcount == 0)
    finally:
        stop.set()
        worker.join()
