"""How costs grow with the league: `python -m tests.bench.growth`, with 10,000, 100,000 and a million hands.

A slope is the power of the number of hands by which a cost grows between two sizes: 1 is in proportion, 0 not at all.
"""

from __future__ import annotations

import argparse
import io
import statistics
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from itertools import count
from math import log
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psycopg

from league.application.bootstrap import League, clock, open_league
from league.audit.verification import verify_log
from league.cli.verify import verify_league
from league.domain.match import OpenMatch, RecordHand
from league.eventlog import encoded_rows
from league.infra.database import connect, engine
from league.infra.settings import Settings
from league.transfer.backup import write_backup
from league.transfer.recorded_season import import_season
from tests.bench.answers import BOARD, CHANGE, PROFILE, afters, cursor_of
from tests.bench.made_league import RULESET, made_hand, make_league
from tests.bench.measure import one, say, timed
from tests.bench.requests import Server, serving

SIZES = (10_000, 100_000, 1_000_000)
HANDS_A_PLAYER = 20
TIMES = 40
"""Requests of each page, and hands recorded; the median counts."""
SEASON = Path("examples/cuban-2026")
RANDOM = Random(1)


def main() -> None:
    """Measure one size after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="hands")
    sizes = parser.parse_args().sizes
    found: list[dict[str, float]] = []
    for hands in sizes:
        found.append(costs_of(hands))
        say(f"{hands:,} hands: " + ", ".join(f"{name} {value:.4g}" for name, value in found[-1].items()))
    say(f"\n{'seconds':<40}" + "".join(f"{hands:>14,}" for hands in sizes) + "   slopes")
    for name in found[0]:
        values = [of[name] for of in found]
        slopes = [
            log(after / before) / log(larger / smaller)
            for before, after, smaller, larger in zip(values, values[1:], sizes, sizes[1:], strict=False)
        ]
        say(
            f"{name:<40}"
            + "".join(f"{value:>14.4g}" for value in values)
            + "   "
            + " ".join(f"{s:.2f}" for s in slopes)
        )


def costs_of(hands: int) -> dict[str, float]:
    """Seconds, by what is done, in a league of so many hands; and its size on disk in MB."""
    with TemporaryDirectory(prefix="league-growth-") as folder:
        data = Path(folder) / "data"
        with open_league(Settings(data_dir=data), prepare=True) as league:
            league.create("Bench", "UTC", "bench")
            found = {"storing the log": timed(lambda: make_league(league, hands, max(100, hands // HANDS_A_PLAYER)))}
            found["first projection"] = timed(league.project)
            found["rebuild"] = timed(lambda: league.project(rebuild=True))
            with psycopg.connect(league.database.url, autocommit=True) as conn:
                conn.execute("VACUUM ANALYZE")
            found |= checks(league, Path(folder) / "backup")
            with serving(DATA_DIR=str(data)) as server:
                found |= pages(league, server)
            found["a hand, until it is projected"] = recording(league)
            found["import of 423 matches, projected"] = timed(lambda: imported(league))
            with connect(league.database.url) as conn:
                found["database, MB"] = one(conn, "SELECT pg_database_size(current_database())") / 1e6
    return found


def checks(league: League, file: Path) -> dict[str, float]:
    """Verifying and backing up."""

    def log_alone() -> None:
        with connect(league.database.url) as conn:
            assert not verify_log(encoded_rows.rows(conn)).faults

    def everything() -> None:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert not verify_league(league, [], [], rebuild=True).faults

    def backup() -> None:
        with file.open("wb") as out:
            write_backup(league.database.url, out, clock())

    return {"verify, the log": timed(log_alone), "verify, all": timed(everything), "backup": timed(backup)}


def pages(league: League, server: Server) -> dict[str, float]:
    """Fresh answers: medians."""
    database = engine(league.database.url)
    values, different = afters(database), count()
    with connect(league.database.url) as conn:
        changes = conn.execute("SELECT match_id, id FROM changes JOIN official_run USING (run) LIMIT 1000").fetchall()

    def ask(query: str, variables: dict[str, object]) -> None:
        answer = server.post(query, variables).json()
        assert "errors" not in answer, answer

    def home() -> None:
        server.http.get("/", params={"different": next(different)}).raise_for_status()

    match, of = changes[0]
    asked: dict[str, Callable[[], None]] = {
        "a board page": lambda: ask(BOARD, {"after": cursor_of(next(values))}),
        "a profile": lambda: ask(PROFILE, {"id": f"p{next(different) % 100:05}", "points": 100}),
        "an explanation": lambda: ask(CHANGE, {"match": match, "of": of}),
        "the home page": home,
    }
    found = {name: median(work) for name, work in asked.items()}
    database.dispose()
    return found


def recording(league: League) -> float:
    """The median of hands of open matches, each until its rows are there."""
    numbers = count()

    def record() -> None:
        number = next(numbers)
        league.dispatcher.send(OpenMatch(f"new-{number}", RULESET, "1v1", "casual", ("p00001", "p00002")), "bench")
        league.dispatcher.send(RecordHand(f"new-{number}", made_hand(0, 5, 2, RANDOM).facts), "bench")
        league.project()

    return median(record)


def imported(league: League) -> None:
    """Import the recorded season."""
    import_season(SEASON, league.store, clock, "bench")
    league.project()


def median(work: Callable[[], None]) -> float:
    """The median of some times, without the first ones."""
    times = [timed(work) for _ in range(TIMES + 5)]
    return statistics.median(times[5:])


if __name__ == "__main__":
    main()
