"""`make bench`: import, rebuild and fold, each beside a floor or a peer of the same run; and boards at three sizes."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg import sql
from riix.models.elo import Elo

from league.bootstrap import League, clock, open_league
from league.database import connect
from league.projections import catalogue, runs
from league.projections.decided import DecidedMatch
from league.projections.match_rows import decided_after
from league.projections.projector import Projector
from league.projections.ratings import LeagueState, evolve
from league.recorded import import_season
from league.settings import Settings
from tests.bench.boards import bench_boards

SEASON = Path("examples/cuban-2026")
EVENTS = "originator_id, originator_version, topic, state, notification_id, position, recorded_at"
RESULTS = ("match_facts", "match_players", *runs.PARTITIONED)


def main() -> None:
    """Make a league of copies of the recorded season, and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--copies", type=int, default=20, help="of the recorded season (423 matches each)")
    parser.add_argument("--players", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="on the boards")
    given = parser.parse_args()
    copies: int = given.copies
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder, quiet_league(Path(folder)) as league:
        season = copied_season(Path(folder) / "season", copies)
        say(f"{copies} copies of the recorded season; figures are medians of three where they are cheap to repeat\n")
        bench_import(league, season)
        bench_rebuild(league)
        bench_fold(league)
        bench_boards(league, given.players)


@contextmanager
def quiet_league(folder: Path) -> Iterator[League]:
    """An empty league in an embedded database of its own."""
    with open_league(Settings(data_dir=folder / "data")) as league:
        league.create("Bench", "UTC", "bench")
        yield league


def bench_import(league: League, season: Path) -> None:
    """A recorded season, checked and stored whole; the floor is a bare COPY of the same rows into the same indexes."""
    started = time.perf_counter()
    report = import_season(season, league.store, clock, "bench")
    ours = time.perf_counter() - started
    with connect(league.database.url, autocommit=True) as conn:
        block = copy_out(conn, sql.SQL("SELECT {} FROM stored_events").format(sql.SQL(EVENTS)))
        conn.execute("CREATE TABLE floor_events (LIKE stored_events INCLUDING ALL)")
        floor = timed(lambda: copy_in(conn, sql.SQL("floor_events ({})").format(sql.SQL(EVENTS)), block))
        conn.execute("DROP TABLE floor_events")
    events, hands = report.events, report.hands_added
    say(f"import        {events / ours:>10,.0f} events/s   ({events:,} events, {hands:,} hands, {ours:.1f} s)")
    say(f"  floor: COPY {events / floor:>10,.0f} events/s   ratio {floor / ours:.3f}\n")


def bench_rebuild(league: League) -> None:
    """From raw rows to committed rows with the ledger; the floor copies the same events out and the same rows in."""
    with Projector(league.database.url, league.store) as projector:
        projector.catch_up()
        ours = median(3, projector.rebuild)
    with connect(league.database.url, autocommit=True) as conn:
        events = one(conn, "SELECT count(*) FROM stored_events")
        floor = median(3, lambda: rebuild_floor(conn))
        memory = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next((line.split()[1] for line in memory.splitlines() if line.startswith("VmHWM")), "0")
    say(f"full rebuild  {events / ours:>10,.0f} events/s   ({events:,} events, {ours:.2f} s)")
    say(
        f"  floor: COPY {events / floor:>10,.0f} events/s   ratio {floor / ours:.3f}   (peak {int(peak) // 1024} MiB)\n"
    )


def rebuild_floor(conn: psycopg.Connection[Any]) -> None:
    """COPY the events out that a fold reads, and the rows in that it writes."""
    run = runs.official_run(conn)
    assert run is not None
    copy_out(conn, sql.SQL("SELECT {} FROM stored_events WHERE topic <> 'hand-transcribed/1'").format(sql.SQL(EVENTS)))
    with conn.transaction(force_rollback=True):
        for table in RESULTS:
            source = runs.table_of(run, table) if table in runs.PARTITIONED else sql.Identifier(table)
            block = _blocks.setdefault(table, copy_out(conn, sql.SQL("TABLE {}").format(source)))
            conn.execute(sql.SQL("CREATE TABLE floor_rows (LIKE {} INCLUDING ALL)").format(source))
            copy_in(conn, sql.SQL("floor_rows"), block)
            conn.execute("DROP TABLE floor_rows")


_blocks: dict[str, bytes] = {}


def bench_fold(league: League) -> None:
    """The arithmetic of the ratings alone, on matches in memory; the peer is riix's bare Elo on the 1v1 ones."""
    with connect(league.database.url) as conn:
        run = runs.official_run(conn)
        assert run is not None
        rules = catalogue.rules_of_run(conn, run)
        matches = list(all_decided(conn, run))

    def fold(chosen: list[DecidedMatch]) -> Callable[[], None]:
        def go() -> None:
            state = LeagueState()
            for match in chosen:
                evolve(state, match, rules.by_hash[match.edition].rulebook.rating)

        return go

    duels = [match for match in matches if match.mode == "1v1"]
    ours_all, ours = median(3, fold(matches)), median(3, fold(duels))
    index = {player: number for number, player in enumerate(sorted({p for m in duels for (p,) in m.sides}))}
    pairs = np.array([[index[player] for (player,) in match.sides] for match in duels])
    outcomes = np.array([1.0 - match.winner for match in duels])
    peer = median(3, lambda: Elo(list(index)).iterative_update(pairs, outcomes))
    say(
        f"fold alone    {len(matches) / ours_all:>10,.0f} matches/s  ({len(matches):,} matches, 1v1 and 2v2 with teams)"
    )
    say(f"  1v1 only    {len(duels) / ours:>10,.0f} matches/s")
    say(
        f"  peer: riix  {len(duels) / peer:>10,.0f} matches/s  ratio {peer / ours:.3f} (bare Elo, no terms, no reasons)"
    )


def all_decided(conn: psycopg.Connection[Any], run: int) -> Iterator[DecidedMatch]:
    """Every decided match of a run, in the order of ratings."""
    last = None
    while page := decided_after(conn, run, last, 5_000):
        yield from page
        last = (page[-1].decided_at, page[-1].match)


def copied_season(folder: Path, copies: int) -> Path:
    """The recorded season several times over: other players and matches each time, the same hands."""
    folder.mkdir()
    with (folder / "players.jsonl").open("w") as out:
        for line in (SEASON / "players.jsonl").read_text().splitlines():
            player = json.loads(line)
            for copy in range(copies):
                out.write(json.dumps({**player, "player": f"{player['player']}.{copy}"}) + "\n")
    with (folder / "matches.jsonl").open("w") as out:
        for line in (SEASON / "matches.jsonl").read_text().splitlines():
            match = json.loads(line)
            played_at = datetime.fromisoformat(match["played_at"])
            for copy in range(copies):
                match["match"] = f"{match['match'].partition('.')[0]}.{copy}"
                match["seats"] = [f"{seat.partition('.')[0]}.{copy}" for seat in match["seats"]]
                match["played_at"] = (played_at + timedelta(seconds=copy)).isoformat()
                out.write(json.dumps(match) + "\n")
    return folder


def copy_out(conn: psycopg.Connection[Any], query: sql.Composable) -> bytes:
    """The rows of a query, as PostgreSQL sends them."""
    with conn.cursor() as cursor, cursor.copy(sql.SQL("COPY ({}) TO STDOUT").format(query)) as copy:
        return b"".join(copy)


def copy_in(conn: psycopg.Connection[Any], target: sql.Composable, block: bytes) -> None:
    """Rows that were copied out, into a table."""
    with conn.cursor() as cursor, cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
        copy.write(block)


def one(conn: psycopg.Connection[Any], query: str) -> Any:
    """The one value of a query."""
    row = conn.execute(query).fetchone()
    assert row is not None
    return row[0]


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def median(times: int, work: Callable[[], object]) -> float:
    """The median of several runs, in seconds."""
    return sorted(timed(work) for _ in range(times))[times // 2]


def say(line: str) -> None:
    """Print at once: a bench is watched."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


main()
