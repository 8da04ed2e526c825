"""How fast the read side is rebuilt: the whole log, at three sizes, and after a correction of its first match."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from msgspec import Struct
from psycopg import sql
from structlog.testing import capture_logs

from league.application.bootstrap import League, open_league
from league.domain.match import VoidMatch
from league.domain.rulebook import parse_rulebook
from league.domain.rules import Rulebook
from league.eventlog import codec
from league.eventlog.codec import UNFOLDED
from league.eventlog.records import AppendRequest
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.infra.settings import Settings
from league.projections import runs
from league.projections.projector import WINDOW, Projector
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.tables import RUN_TABLES, metadata, written_columns
from league.projections.writers import scored_matches
from league.projections.writers.catalogue import aliases_of, rules_of_run
from league.projections.writers.scored_matches import LogPart, scoring
from league.rulebook import shipped_edition
from tests.bench.arithmetic import bench_arithmetic
from tests.bench.made_league import make_league
from tests.bench.measure import best, copy_in, copy_out, one, peak_memory, say, timed

T = TypeVar("T")

ADMIN = AppendRequest("bench", "manual")

EVENTS = "originator_id, originator_version, topic, state, notification_id, position, recorded_at"
OF_A_RUN = [table.name for table in RUN_TABLES]
RESULTS = ("players", "match_facts", "match_players", *OF_A_RUN)


class Rebuilt(Struct):
    """A rebuild of a made league, in a process of its own."""

    hands: int
    events: int
    seconds: float
    floor: float
    """Seconds that the bare copies take: the same events out, the same rows in."""
    peak: int
    """MiB."""
    correction: float
    """Seconds until the first match of the season, voided, is gone from everything."""
    promotion: float
    """Seconds to make a replay official, whatever its size."""
    rolling_back: float
    """Seconds to make the rules before it official again."""


def bench_rebuild(hands: int, players: int) -> None:
    """From raw rows to committed rows with the ledger, for a hundredth, a tenth and all of these hands."""
    say(f"a league made for the bench: {hands:,} hands at most, {players:,} players, 1v1 and 2v2 in turn\n")
    say("full rebuild      hands     events    seconds  events/s  floor: COPY  ratio    peak")
    found = []
    for size in (hands // 100, hands // 10, hands):
        with made(size, players) as league:
            found.append(rebuilt(league, size))
            say(line_of(found[-1]))
            if size == hands:
                say(growth_of(*found) + "\n")
                one, two = (apart(score_matches, league.database.url, processes) for processes in (1, 2))
                say(f"fold 1, no rows stored {one:>6.2f} s   in two processes {two:.2f} s ({one / two:.2f} times)\n")
                with connect(league.database.url) as conn:
                    bench_arithmetic(conn)


def line_of(r: Rebuilt) -> str:
    """What a rebuild came to."""
    return (
        f"{r.hands:>23,} {r.events:>10,} {r.seconds:>10.2f} {r.events / r.seconds:>9,.0f}"
        f" {r.events / r.floor:>12,.0f}  {r.floor / r.seconds:.3f} {r.peak:>4} MiB"
        f"  first match voided after {r.correction / r.seconds:.2f} of a rebuild"
        f", promoted in {r.promotion * 1000:.0f} ms, back in {r.rolling_back * 1000:.0f} ms"
    )


def growth_of(hundredth: Rebuilt, tenth: Rebuilt, full: Rebuilt) -> str:
    """How time and memory grow where the events are more and the players are not."""
    steps = ((hundredth, tenth), (tenth, full))
    ours = [b.seconds / a.seconds / (b.events / a.events) for a, b in steps]
    floors = [b.floor / a.floor / (b.events / a.events) for a, b in steps]
    return (
        f"  seconds an event to those of the size before: {ours[0]:.2f}, {ours[1]:.2f} (the floor's: {floors[0]:.2f},"
        f" {floors[1]:.2f}); memory to that of a tenth of the events: {full.peak / max(1, tenth.peak):.2f}"
    )


def rebuilt(league: League, hands: int) -> Rebuilt:
    """Rebuild the read side of a made league; then void its first match."""
    times = 8 if hands <= 10_000 else 3 if hands <= 100_000 else 1  # what takes long varies less
    seconds, peak = apart(rebuild, league.database.url, times)
    with connect(league.database.url, autocommit=True) as conn:
        events = one(conn, "SELECT count(*) FROM stored_events")
        floor = min(rebuild_floor(conn) for _ in range(times))
    league.dispatcher.send(VoidMatch("m0000000", "not played at all"), "bench")
    correction = apart(catch_up, league.database.url)
    run = replay(league.database.url, revision(), ReplayPeriod())
    with capture_logs():  # so that they do not stand between the figures
        promotion = timed(lambda: league.promoter.promote(run, ADMIN))
        league.project()  # the adoption is folded
        rolling_back = timed(lambda: league.promoter.roll_back(ADMIN))
    return Rebuilt(hands, events, seconds, floor, peak, correction, promotion, rolling_back)


def revision() -> Rulebook:
    """Rules under which every rating differs."""
    return parse_rulebook("[rating.k]\nprovisional = 32", shipped_edition(1))


@contextmanager
def made(hands: int, players: int) -> Iterator[League]:
    """A league made for the bench, in an embedded database of its own."""
    with created() as league:
        make_league(league, hands, players)
        yield league


@contextmanager
def created() -> Iterator[League]:
    """An empty league, in an embedded database of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder) / "data"), prepare=True) as league,
    ):
        league.create("Bench", "UTC", "bench")
        yield league


def apart(work: Callable[..., T], *args: Any) -> T:
    """Do the work in a fresh process, so that its memory is its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *args).result()


def rebuild(url: str, times: int) -> tuple[float, int]:
    """Seconds of the fastest rebuild, and MiB."""
    with EventStore(url, codec) as store, Projector(url, store) as projector:
        return best(times, projector.rebuild), peak_memory()


def catch_up(url: str) -> float:
    """Seconds until everything is projected."""
    with EventStore(url, codec) as store, Projector(url, store) as projector:
        return timed(projector.catch_up)


def score_matches(url: str, processes: int) -> float:
    """Seconds that so many processes, once they have started, take to read, fold and score all matches."""
    scored_matches.WORTH_PROCESSES = 0
    scored_matches.cores = lambda: processes
    with EventStore(url, codec) as store, connect(url) as conn:
        run, head = runs.official_run(conn), store.followed_head()
        assert run is not None
        part = LogPart(run, 0, head, rules_of_run(conn, run), aliases_of(conn))
        with scoring(store, head) as score:

            def score_all() -> None:
                for _ in score(part, WINDOW):
                    pass

            score_all()
            return best(3, score_all)


def rebuild_floor(conn: psycopg.Connection[Any]) -> float:
    """Seconds to COPY the events out that a fold reads, and the rows in that it writes, into the same indexes."""
    run = runs.official_run(conn)
    assert run is not None
    read = sql.SQL("SELECT {} FROM stored_events WHERE topic <> ALL({})").format(sql.SQL(EVENTS), list(UNFOLDED))
    seconds = timed(lambda: copy_out(conn, read))
    for table in RESULTS:
        source = runs.table_of(run, table) if table in OF_A_RUN else sql.Identifier(table)
        columns = sql.SQL(", ").join(map(sql.Identifier, written_columns(metadata.tables[table])))
        block = copy_out(conn, sql.SQL("SELECT {} FROM {}").format(columns, source))
        with conn.transaction(force_rollback=True):
            conn.execute("SET LOCAL ROLE league_owner")
            conn.execute(sql.SQL("CREATE TABLE floor_rows (LIKE {} INCLUDING ALL)").format(source))
            into = sql.SQL("floor_rows ({})").format(columns)
            seconds += timed(lambda into=into, block=block: copy_in(conn, into, block))  # type: ignore[misc]
    return seconds
