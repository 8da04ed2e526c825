"""Replays as jobs: written down, handed out by a broker, folded in a process of their own, taken up again."""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from logging.handlers import BufferingHandler
from typing import Any

import dramatiq.worker
import psycopg
import pytest
import redis
from kills import Redis
from leagues import announced, at, at_once, catch_up, digest, league_at, official, revised, send
from msgspec.structs import replace
from structlog.typing import EventDict
from waiting import LIMIT, wait_until

from league.application import jobs as jobs_module
from league.application import replay_folding, replay_requests
from league.application.bootstrap import League
from league.application.jobs import Jobs, JobSearch
from league.application.replay_folding import LOCK_SPACE, fold_replay, run_of
from league.application.replay_requests import ReplaySpec
from league.domain.candidates import NothingRevised
from league.domain.refusals import KeyReused, NotFound, WrongState
from league.domain.rules import Rulebook
from league.eventlog.records import AppendRequest
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.photos.photo_jobs import PhotoJobs
from league.projections import runs
from league.projections.replays.replay import ReplayPeriod, replay

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

CANDIDATE = revised("rating.k.provisional = 32")
ANA = AppendRequest("ana", "manual")
REDIS = "redis://127.0.0.1:6379/0"


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    with league_at(league_url) as made:
        send(made, *(announced(f"m{n}", ("ana", "bea"), n) for n in range(4)))
        catch_up(made)
        yield made


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis of the tests' own; where there is no server to start, the one on the standard port."""
    server = shutil.which("redis-server")
    if server is None:
        if not answers(REDIS):
            reason = f"no redis-server on the path, and none at {REDIS}"
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
        yield REDIS
        return
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        url = f"redis://127.0.0.1:{port}/0"
        try:
            wait_until(lambda: answers(url))
            yield url
        finally:
            process.terminate()


def answers(url: str) -> bool:
    client = redis.Redis.from_url(url)
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
    finally:
        client.close()


def asked(
    league: League,
    candidate: Rulebook | None = CANDIDATE,
    period: ReplayPeriod = ReplayPeriod(),  # noqa: B008  # it is frozen
    moment: datetime | None = None,
    *,
    request: AppendRequest = ANA,
    jobs: Jobs | None = None,
) -> int:
    """The number of a replay that somebody asks for, and hands to workers where they are given."""
    number = replay_requests.start(league, ReplaySpec(candidate, period, moment), request).number
    if jobs is not None:
        jobs.hand_out(number)
    return number


def cancel(league: League, number: int) -> bool:
    return replay_requests.cancel(league, number, ANA)


def job(url: str, number: int) -> tuple[int | None, str | None, int, int]:
    """Run, failure, steps done, steps in all."""
    query = "SELECT run, failure, done, total FROM replays WHERE replay = %s"
    with connect(url) as conn:
        row = conn.execute(query, (number,)).fetchone()
    assert row is not None
    return row


def ended(url: str, number: int) -> Callable[[], bool]:
    return lambda: job(url, number)[:2] != (None, None)


class Working:
    """A worker in a thread while the context lasts."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs, self.stop = jobs, threading.Event()
        self.thread = threading.Thread(target=jobs.work, args=(self.stop.is_set,))

    def __enter__(self) -> Jobs:
        self.thread.start()
        return self.jobs

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(LIMIT)
        assert not self.thread.is_alive()
        self.jobs.broker.close()
        self.jobs.of(PhotoJobs).broker.close()


# ---------------------------------------------------------------- one fold


def test_a_replay_that_is_carried_out_knows_its_run(league: League) -> None:
    """A replay's row tells the run that it became, and that all steps are done, two a match."""
    url = league.database.url
    number = asked(league, period=ReplayPeriod(at(1), at(3)))
    assert job(url, number) == (None, None, 0, 0)
    fold_replay(url, number)
    run, failure, done, total = job(url, number)
    assert run == replay(url, CANDIDATE, ReplayPeriod(at(1), at(3)))
    assert (failure, done, total) == (None, 8, 8)


def test_a_message_that_comes_twice_does_no_harm(league: League) -> None:
    """A replay that was carried out is left alone."""
    url = league.database.url
    number = asked(league)
    fold_replay(url, number)
    before = job(url, number)
    send(league, announced("m9", ("cira", "dora"), 9))
    catch_up(league)
    fold_replay(url, number)
    assert job(url, number) == before


def test_a_replay_that_another_worker_folds_is_left_alone(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers do not fold the same replay."""
    monkeypatch.setattr(replay_folding, "LOCK_PATIENCE", "100ms")
    url = league.database.url
    number = asked(league)
    with psycopg.connect(url) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", (LOCK_SPACE, number))
        fold_replay(url, number)
        assert job(url, number)[0] is None
    fold_replay(url, number)
    assert job(url, number)[0] is not None


def test_a_refused_candidate_is_noted(league: League) -> None:
    """A candidate that the league refuses ends with the reason, and is not tried again."""
    url = league.database.url
    fewer = {name: rules for name, rules in CANDIDATE.rulesets.items() if name != "cuban-150"}
    number = asked(league, replace(CANDIDATE, rulesets=fewer))
    fold_replay(url, number)
    run, failure, *_ = job(url, number)
    assert run is None
    assert failure is not None
    assert failure.startswith("rulesets.cuban-150: is missing")
    assert not Jobs(url, None).send_unfinished_again()


def attempts(url: str, number: int) -> int:
    with connect(url) as conn:
        row = conn.execute("SELECT attempts FROM replays WHERE replay = %s", (number,)).fetchone()
    assert row is not None
    return int(row[0])


def test_a_fold_that_dies_is_tried_again_at_once_and_given_up_at_last(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fold that dies of anything but a refusal is tried three times, then its row says that it failed."""
    monkeypatch.setattr(replay_folding, "PAUSE", 0.05)
    url = league.database.url
    with psycopg.connect(url) as conn:
        conn.execute("ALTER TABLE match_facts RENAME TO lost")
    with Working(Jobs(url, None)) as jobs:
        number = asked(league, jobs=jobs)
        wait_until(ended(url, number))
    run, failure, *_ = job(url, number)
    assert (run, failure) == (None, "the fold died 3 times before its end; the worker's log says more")
    assert not jobs.send_unfinished_again()


def test_a_killed_fold_is_tried_again_while_the_worker_stays_up(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody kills the process that folds: the same worker starts another."""
    monkeypatch.setattr(replay_folding, "PAUSE", 0.05)
    url = league.database.url
    with Working(Jobs(url, None)) as jobs:
        with psycopg.connect(url) as other:
            other.execute("LOCK TABLE match_facts IN ACCESS EXCLUSIVE MODE")
            number = asked(league, jobs=jobs)
            wait_until(lambda: attempts(url, number) == 1)
            (fold,) = multiprocessing.active_children()
            fold.kill()
        wait_until(ended(url, number))
    assert job(url, number)[1] is None
    assert attempts(url, number) == 2


def test_a_worker_that_ends_breaks_its_fold_off(league: League) -> None:
    """Who stops a worker does not wait for a fold, and the fold does not count as one that died."""
    url = league.database.url
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE match_facts IN ACCESS EXCLUSIVE MODE")
        with Working(Jobs(url, None)) as jobs:
            number = asked(league, jobs=jobs)
            wait_until(lambda: attempts(url, number) == 1)
    assert job(url, number)[:2] == (None, None)
    assert attempts(url, number) == 0


# ---------------------------------------------------------------- cancelled, side by side, asked for again


def test_a_cancelled_replay_is_ended(league: League) -> None:
    """Its process stops, its rows are removed, and no worker starts it again."""
    url = league.database.url
    with psycopg.connect(url) as other, Working(Jobs(url, None)) as jobs:
        other.execute("LOCK TABLE match_facts IN ACCESS EXCLUSIVE MODE")
        number = asked(league, jobs=jobs)
        wait_until(lambda: attempts(url, number) == 1)
        cancel(league, number)
        wait_until(lambda: not multiprocessing.active_children())
        other.rollback()
        cancel(league, number)
        assert not jobs.send_unfinished_again()
    assert job(url, number)[:2] == (None, None)
    with connect(url) as conn:
        assert conn.execute("SELECT run FROM runs").fetchall() == [(official(url),)]


def test_a_replay_that_is_cancelled_as_it_ends_leaves_no_run(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cancellation comes between the commit of its run and the note of it."""
    url = league.database.url
    number = asked(league)

    def folded_and_cancelled(*asked: Any) -> int:
        run = replay(*asked)
        cancel(league, number)
        return run

    monkeypatch.setattr(replay_folding, "replay", folded_and_cancelled)
    fold_replay(url, number)
    assert job(url, number)[0] is None
    with connect(url) as conn:
        assert conn.execute("SELECT run FROM runs").fetchall() == [(official(url),)]


def test_a_run_that_is_dropped_before_it_is_noted_stays_dropped(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replay is done, and its run cannot be read any more."""
    url = league.database.url
    number = asked(league)

    def folded_and_dropped(*asked: Any) -> int:
        run = replay(*asked)
        assert replay_requests.drop(league, run, ANA)
        return run

    monkeypatch.setattr(replay_folding, "replay", folded_and_dropped)
    fold_replay(url, number)
    assert run_of(url, number) == number
    with connect(url) as conn:
        assert not runs.is_ready(conn, number)


def test_what_has_come_to_its_end_cannot_be_cancelled(league: League) -> None:
    """A replay that does not exist cannot be cancelled either."""
    url = league.database.url
    number = asked(league)
    fold_replay(url, number)
    with pytest.raises(WrongState, match="over"):
        cancel(league, number)
    with pytest.raises(NotFound):
        cancel(league, 999)
    assert run_of(url, number) == job(url, number)[0]


def test_a_run_is_dropped_and_written_down_or_neither(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused drop leaves no event in the trail; a drop that the log does not accept removes nothing."""
    url, append = league.database.url, EventStore.append
    number = asked(league)
    fold_replay(url, number)
    head = league.store.head()
    with pytest.raises(WrongState):
        replay_requests.drop(league, official(url), ANA)

    def killed_before_the_commit(store: EventStore, appends: Any, request: AppendRequest, within: Any) -> int:
        def die(*arguments: Any) -> None:
            within(*arguments)
            raise KeyboardInterrupt

        return append(store, appends, request, die)

    monkeypatch.setattr(EventStore, "append", killed_before_the_commit)
    with pytest.raises(KeyboardInterrupt):
        replay_requests.drop(league, run_of(url, number), ANA)
    assert league.store.head() == head
    with connect(url) as conn:
        assert runs.is_ready(conn, run_of(url, number))


def test_several_replays_run_side_by_side(league: League) -> None:
    """A fold that is held up holds up no other one."""
    url = league.database.url
    with psycopg.connect(url) as other, Working(Jobs(url, None)) as jobs:
        held_up = asked(league, jobs=jobs)
        # Its worker may look at the row, and not write to it.
        other.execute("SELECT FROM replays WHERE replay = %s FOR SHARE", (held_up,))
        number = asked(league, period=ReplayPeriod(at(1)), jobs=jobs)
        wait_until(ended(url, number))
        assert not ended(url, held_up)()
        other.rollback()
        wait_until(ended(url, held_up))


def test_two_who_ask_for_the_same_at_once_get_one_run(league: League) -> None:
    """They get one run even if both fold at the same time."""
    url = league.database.url
    one, other = at_once(*[lambda: replay(url, CANDIDATE, ReplayPeriod())] * 2)
    assert one == other


def test_a_replay_has_the_number_of_its_run_and_is_not_folded_twice(league: League) -> None:
    """A repeated request gets its number again until the league changes; then it is a new replay."""
    url = league.database.url
    number = asked(league)
    assert asked(league) not in (number, official(url)), "the first one is not done yet"
    fold_replay(url, number)
    assert run_of(url, number) == number == asked(league)
    league.promoter.promote(number, ANA)
    catch_up(league)
    with pytest.raises(NothingRevised):  # its rules are official now
        asked(league)
    send(league, announced("late", ("ana", "cira"), 9))
    catch_up(league)
    other = asked(league, revised("rating.k.provisional = 30"))
    fold_replay(url, other)
    assert run_of(url, other) == other > number


def test_the_same_key_asks_for_one_replay(league: League) -> None:
    """A key with another input is refused; keys are per actor."""
    number = asked(league, request=AppendRequest("ana", "manual", "k", "h"))
    assert asked(league, request=AppendRequest("ana", "manual", "k", "h")) == number
    assert asked(league, request=AppendRequest("bea", "manual", "k", "h")) != number
    with pytest.raises(KeyReused):
        asked(league, period=ReplayPeriod(at(1)), request=AppendRequest("ana", "manual", "k", "other"))


def test_a_replay_as_known_at_a_moment_is_folded_by_a_worker(league: League) -> None:
    """Without a candidate: the rules that held."""
    url = league.database.url
    before, moment = digest(url), league.store.read_after(league.store.head() - 1, 1)[0].recorded_at
    send(league, announced("late", ("ana", "cira"), 0.5))
    catch_up(league)
    number = asked(league, None, moment=moment)
    fold_replay(url, number)
    run, *_ = job(url, number)
    assert digest(url, run) == before != digest(url)


# ---------------------------------------------------------------- brokers and workers


def test_a_replay_goes_through_the_broker_of_the_process(league: League) -> None:
    """Without Redis a worker in the same process carries replays out, beside the official run."""
    url = league.database.url
    before = digest(url)
    with Working(Jobs(url, None)) as jobs:
        number = asked(league, jobs=jobs)
        wait_until(ended(url, number))
    run, failure, *_ = job(url, number)
    assert failure is None
    assert digest(url) == before != digest(url, run)


def test_a_replay_goes_through_redis(league: League, redis_url: str) -> None:
    """With Redis the worker is another process, which takes jobs until it is asked to end."""
    url = league.database.url
    with worker(url, redis_url) as process:
        number = asked(league, jobs=Jobs(url, redis_url))
        wait_until(ended(url, number))
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 0
    assert job(url, number)[1] is None


@pytest.mark.parametrize("with_its_fold", [True, False], ids=["with its fold", "without its fold"])
def test_what_a_killed_worker_left_is_taken_up_at_the_next_start(
    league: League, redis_url: str, with_its_fold: bool
) -> None:
    """A worker is killed in the middle of a replay: by the next start at the latest somebody carries it out, once."""
    url = league.database.url
    number = asked(league, jobs=Jobs(url, redis_url))
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(url) as other, psycopg.connect(url, autocommit=True) as looking:
        # The fold cannot read on.
        other.execute("LOCK TABLE match_facts IN ACCESS EXCLUSIVE MODE")
        with worker(url, redis_url) as process:
            wait_until(lambda: looking.execute(waiting).fetchone() == (1,))
            kill = os.killpg if with_its_fold else os.kill
            kill(process.pid, signal.SIGKILL)
    assert job(url, number)[:2] == (None, None) or not with_its_fold
    with worker(url, redis_url):
        wait_until(ended(url, number))
    run, failure, *_ = job(url, number)
    assert failure is None
    with connect(url) as conn:
        assert conn.execute("SELECT run FROM runs ORDER BY run").fetchall() == [(official(url),), (run,)]


@pytest.mark.skipif(
    shutil.which("redis-server") is None and os.environ.get("CI") != "true", reason="no redis-server on the path"
)
def test_a_worker_outlasts_a_redis_that_is_away(
    league: League, logs: list[EventDict], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so once, and folds what was asked meanwhile when Redis is there again; it also ends without Redis."""
    monkeypatch.setattr(jobs_module, "LOOK_AGAIN", 0.1)
    monkeypatch.setattr(dramatiq.worker, "CONSUMER_RESTART_DELAY_SECS", 0.1)
    looks, look = list[None](), JobSearch.look

    def counted(search: JobSearch) -> None:
        looks.append(None)
        look(search)

    monkeypatch.setattr(JobSearch, "look", counted)
    url, broker = league.database.url, Redis()
    broker.kill()
    of_libraries = BufferingHandler(1000)
    logging.getLogger().addHandler(of_libraries)
    try:
        with Working(Jobs(url, broker.url)):
            number = asked(league)
            wait_until(lambda: len(looks) > 2)
            assert [line["event"] for line in logs] == ["broker_away"]
            assert [line.name for line in of_libraries.buffer if "connection error" in line.getMessage()] == []
            broker.start()
            wait_until(ended(url, number))
            wait_until(lambda: [line["event"] for line in logs][:2] == ["broker_away", "broker_back"])
            broker.kill()
        assert job(url, number)[1] is None
    finally:
        broker.kill()
        logging.getLogger().removeHandler(of_libraries)


def test_a_lost_message_is_sent_again_at_the_next_start(league: League) -> None:
    """The queue of a process ends with it; what it held is in the table, and the next start hands it out."""
    url = league.database.url
    number = asked(league)
    with Working(Jobs(url, None)):
        wait_until(ended(url, number))
    assert job(url, number)[1] is None


class worker:  # noqa: N801  # reads as what it is in a with statement
    """`league worker` in a process of its own, killed at the end of the context."""

    def __init__(self, url: str, redis_url: str) -> None:
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "LEAGUE_DATABASE_URL": url}
        environment["LEAGUE_BROKER_URL"] = redis_url
        command = [sys.executable, "-m", "league", "worker"]
        self.process = subprocess.Popen(command, env=os.environ | environment, start_new_session=True)

    def __enter__(self) -> subprocess.Popen[bytes]:
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
