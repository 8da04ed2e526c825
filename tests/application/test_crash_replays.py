"""Replays, promotions and projections that are killed at any moment: no half state is ever read, and none remains."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from leagues import announced, catch_up, digest, import_cuban, league_at, part_of_season, rebuild, revised, send
from processes import Point, killed
from waiting import wait_until

from league.application import replay_requests
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.projector import Projector
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.tables import RUN_TABLES

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

MATCHES = 30
ADMIN = AppendRequest("admin", "manual")
PAIRS = (("p001", "p002"), ("p003", "p004"), ("p002", "p003"))


def fold(url: str, number: int) -> None:
    """A worker's fold."""
    fold_replay(url, number)


def score(url: str, number: int) -> None:
    """A worker's fold under rules for which hands are scored again."""
    fold_replay(url, number)


def promote(url: str, run: int) -> None:
    """Promote a run as the API does."""
    with league_at(url) as league:
        league.promoter.promote(run, ADMIN)


def roll_back(url: str, _: int) -> None:
    """Roll back as the API does."""
    with league_at(url) as league:
        league.promoter.roll_back(ADMIN)


def project(url: str, _: int) -> None:
    """The projector."""
    with league_at(url) as league, Projector(url, league.store, page=50) as projector:
        projector.follow(lambda: False)


FOLDING, REPLAY = "league.application.replay_folding", "league.projections.replays.replay"
PROMOTION, PROJECTOR = "league.application.promotion", "league.projections.projector"
RUNS, COPIES = "league.projections.runs", "league.projections.replays.starting_points"
KILLS: tuple[tuple[Callable[[str, int], None], Point], ...] = (
    (score, Point("after", f"{REPLAY}:store_matches")),
    (promote, Point("after", f"{PROMOTION}:catch_up")),
    (score, Point("before", f"{REPLAY}:fold_from")),
    (fold, Point("after", f"{COPIES}:copy_to_run", 3)),
    (fold, Point("before", f"{COPIES}:rate_all")),
    (promote, Point("after", f"{PROMOTION}:Promoter.promote")),  # committed, not answered
    (project, Point("after", f"{PROJECTOR}:write_difference")),
    (fold, Point("after", f"{RUNS}:attach")),
    (promote, Point("before", f"{RUNS}:promote")),
    (project, Point("before", f"{PROJECTOR}:fold_from")),
    (promote, Point("after", f"{RUNS}:promote")),
    (fold, Point("before", f"{FOLDING}:_note_run")),  # its run is committed
    (promote, Point("after", f"{PROMOTION}:Promoter.promote")),
    (roll_back, Point("before", f"{PROMOTION}:catch_up")),
    (project, Point("after", f"{PROJECTOR}:fold_from")),
    (roll_back, Point("after", f"{RUNS}:promote")),
    (fold, Point("after", f"{FOLDING}:_note_run")),
    (roll_back, Point("after", f"{PROMOTION}:Promoter.roll_back")),
    (project, Point("before", f"{PROJECTOR}:raise_generation")),
    (project, Point("after", f"{PROJECTOR}:Projector._step")),
)
"""Who is killed, and where: within a transaction, before its commit, and after it, before anybody hears of it."""


def assert_whole(url: str) -> None:
    """The official run is complete: it has every table, and every match that the facts know."""
    with connect(url) as conn:
        row = conn.execute("SELECT run, ready FROM official_run JOIN runs USING (run)").fetchone()
        assert row is not None
        run, ready = row
        assert ready
        for table in RUN_TABLES:
            assert conn.execute("SELECT to_regclass(%s)", (f"{table.name}_{run}",)).fetchone() != (None,)
        counts = conn.execute(
            "SELECT (SELECT count(*) FROM matches WHERE run = %s), (SELECT count(*) FROM match_facts)", (run,)
        ).fetchone()
        assert counts is not None
        assert counts[0] == counts[1]


def a_run(league: League, number: int) -> int:
    """A replay to promote; each revises the rules in force."""
    return replay(league.database.url, revised(f"rating.k.provisional = {40 + number}"), ReplayPeriod())


def test_kills_leave_the_league_whole(database_url: str, tmp_path: Path) -> None:
    """Workers, promotions and projectors die, matches go on: each is in the league once, and a rebuild agrees."""
    url = database_url
    with league_at(url) as league:
        league.create("Liga", "UTC", "test")
        import_cuban(league, part_of_season(tmp_path / "season", MATCHES))
        catch_up(league)
        jobs = Jobs(url, None)
        for number, (work, point) in enumerate(KILLS):
            send(league, announced(f"live-{number}", PAIRS[number % len(PAIRS)], number, competition="casual"))
            target = 0
            if work in (fold, score):
                changed = "rating.k.standard" if work is fold else "boards.active_days"
                target = replay_requests.start(league, ReplaySpec(revised(f"{changed} = {number + 1}")), ADMIN).number
            elif work is promote:
                target = a_run(league, number)
            killed(point, work, url, target)
            assert_whole(url)
        unfinished(url, jobs)
        league.project()
        league.promoter.promote(a_run(league, len(KILLS)), ADMIN)
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
