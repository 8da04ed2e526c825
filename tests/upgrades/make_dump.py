"""Makes a dump of a small league, for the tests of upgrades from this version of the program on.

    PYTHONPATH=tests LEAGUE_TEST_DATABASE_URL=postgresql://… .venv/bin/python tests/upgrades/make_dump.py

It writes NAME.sql.gz and NAME.json beside this file, where NAME is the newest migration. The server must be of the
oldest PostgreSQL that the program supports: newer ones load the dump, too. docs/upgrading.md says when to make one.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import psycopg
from databases import url_of
from leagues import REVISED, TABLE_SECRET, adopt, announced, at, block, domino, found, league_at, played, send
from live_tables import SLOW, dealt, play

from league.application.bootstrap import League
from league.domain.disputes import DisputeResult
from league.domain.league import CloseMonth, OpenSeason
from league.domain.match import CorrectHand, VoidMatch
from league.domain.members import AddMember
from league.domain.player import MergePlayers, RegisterPlayer
from league.infra.database import migrate
from league.infra.league_version import newest_migration

FOLDER = Path(__file__).parent
NAME = "league_upgrade_dump"
KEY = "bm90IGEgc2VjcmV0OiBpdCBzaWducyB0ZXN0cyBvbmw="
"""Signs the heads of the dump; it is no secret, as the upgraded league goes on signing with it."""
SHOWN = (
    ("board", "1v1", "--json"),
    ("board", "2v2", "--json"),
    ("board", "teams", "--json"),
    ("export", "standings"),
    ("export", "ratings"),
    ("export", "matches"),
    ("export", "hands"),
    ("export", "changes"),
    ("export", "series"),
    ("export", "badges"),
)
"""Commands whose answers an upgrade leaves as they are."""


def environment(url: str) -> dict[str, str]:
    """The settings of the league of the dump."""
    return {
        "LEAGUE_DATABASE_URL": url, "LEAGUE_SIGNING_KEY": KEY, "LEAGUE_TABLE_SECRET": TABLE_SECRET,
        "LEAGUE_SECRET": "a secret that signs tokens of tests only", "LEAGUE_ACTOR": "kim",
    }  # fmt: skip


def main() -> None:
    """Make the league, ask it what it shows, and dump it."""
    server = os.environ["LEAGUE_TEST_DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as superuser:
        superuser.execute(f"DROP DATABASE IF EXISTS {NAME}")
        superuser.execute(f"CREATE DATABASE {NAME}")
        url = url_of(server, NAME)
        migrate(url)
        os.environ.update(environment(url))
        with league_at(url) as league:
            play_a_month(league)
            decide(league)
        operate()
        answers = {" ".join(command): run(*command) for command in SHOWN}
        shown = {"program": version("domino-league"), "digest": json.loads(run("digest")), "answers": answers}
        (FOLDER / f"{newest_migration()}.sql.gz").write_bytes(gzip.compress(dumped(url).encode(), mtime=0))
        text = json.dumps(shown, ensure_ascii=False, indent=1) + "\n"
        (FOLDER / f"{newest_migration()}.json").write_text(text, encoding="utf-8")
        superuser.execute(f"DROP DATABASE {NAME}")


def play_a_month(league: League) -> None:
    """Facts of every kind, most of them of one month."""
    found(league)
    first, last = domino(0, 0, 40, 3, 30), domino(0, 0, 80, 3, 70)
    send(
        league,
        OpenSeason("s1", "Spring", at(-24)),
        played("m1", ("ana", "bea", "cira", "dora"), 0, first, block(1, 3, 1, 9, 12), last),
        played("m2", ("ana", "bea"), 5, domino(0, 0, 151)),
        announced("m3", ("bea", "cira"), 10),
        announced("m4", ("cira", "dora", "eva", "flor"), 15, (90, 150)),
        announced("m5", ("ana", "cira"), 20),
        announced("m6", ("ana", "dora"), 24 * 40),
        RegisterPlayer("flora", "Flor", None),
    )
    send(
        league,
        CorrectHand("m2", 1, domino(0, 0, 150), "counted again"),
        VoidMatch("m3", "entered twice"),
        MergePlayers("flor", "flora"),
    )
    adopt(league, SLOW)
    play(league, dealt(league, "t1", ("bea", "dora")))
    league.project()


def decide(league: League) -> None:
    """What people decide about the league."""
    send(
        league,
        AddMember("kim", "kim@club.example", ("scorekeeper",), "ana"),
        DisputeResult("m5", "cira", "it was 150 to 140"),
        CloseMonth("2026-03"),
    )
    league.project()


def operate() -> None:
    """What an operator does, by commands."""
    run("erase", "eva", "--yes")
    run("heads", "sign")
    number = json.loads(run("replay", "--rules", str(REVISED), "--json"))["run"]
    run("promote", str(number), "--yes", "--reason", "to have one")
    run("heads", "sign")


def run(*command: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, "-m", "league", *command], check=False, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def dumped(url: str) -> str:
    """The database as SQL that any driver can run, without the commands of psql."""
    command = ["pg_dump", "--inserts", "--rows-per-insert=50", url]
    sql = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept = (line for line in sql.splitlines() if line and not line.startswith(("--", "\\")))
    return "\n".join(kept) + "\n"


if __name__ == "__main__":
    main()
