"""`python -m tests.bench.planted_faults`: what `league verify` says of each kind of fault at each place of a large log.

Plants one fault at a time near the beginning, in the middle and at the end, and ends with exit code 1 if one of them is
not named. With LEAGUE_TEST_DATABASE_URL on that server, in a database of its own, else on an embedded one.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from msgspec.structs import replace

from league.application.bootstrap import League, open_league
from league.audit.signed_heads import new_seed, read_private_key
from league.cli.verify import verify_league
from league.infra.settings import Settings
from league.transfer.recorded_season import import_season
from league.wording.verdicts import Verified
from tests.bench.made_league import HANDS_A_MATCH, make_league
from tests.bench.measure import say

SEASON = Path("examples/cuban-2026")
DATABASE = "league_planted_faults"
MARGIN = 25
"""Events between the first fault and the beginning, and the last and the end."""

FLIP = "UPDATE stored_events SET {0} = set_byte({0}, 3, get_byte({0}, 3) # 1) WHERE position = {{at}}"
CHANGE = "UPDATE stored_events SET {} WHERE position = {{at}}"
IN_LOG = {
    "altered state": (FLIP.format("state"), ("hash", 0)),
    "altered hash": (FLIP.format("hash"), ("hash", 0)),
    "removed event": ("DELETE FROM stored_events WHERE position = {at}", ("missing", 0)),
    "gap of ten": ("DELETE FROM stored_events WHERE position BETWEEN {at} AND {at} + 9", ("missing", 0)),
    "swapped events": (
        (
            "UPDATE stored_events AS a SET state = b.state, topic = b.topic, hash = b.hash FROM stored_events AS b"
            " WHERE (a.position, b.position) IN (({at}, {at} + 3), ({at} + 3, {at}))"
        ),
        ("hash", 0),
    ),
    "earlier time": (CHANGE.format("recorded_at = recorded_at - interval '1 day'"), ("time", 0)),
    "later time": (CHANGE.format("recorded_at = recorded_at + interval '1 day'"), ("hash", 0)),
    "stream": (CHANGE.format("originator_id = originator_id || 'x'"), (None, 0)),
    "version": (CHANGE.format("originator_version = originator_version + 5000"), ("version", 0)),
    "name": (CHANGE.format("topic = topic || 'x'"), ("hash", 0)),
    "position": (CHANGE.format("position = position + 1000000"), ("missing", 0)),
}
"""A statement, and the kind of the fault and its distance from the place."""
BESIDE = {
    "altered head": (
        "signed_heads",
        "UPDATE signed_heads SET signature = set_byte(signature, 9, get_byte(signature, 9) # 1)",
        "signature",
    ),
    "missing key": (
        "sealing_keys",
        "DELETE FROM sealing_keys WHERE stream = (SELECT {}(stream) FROM sealing_keys)",
        "key",
    ),
    "other key": (
        "sealing_keys",
        "UPDATE sealing_keys SET key = sha256(key) WHERE stream = (SELECT {}(stream) FROM sealing_keys)",
        "key",
    ),
    "request": (  # the newest: the others have no key, so they cannot be checked
        "requests",
        "UPDATE requests SET position = position - 1 WHERE position = (SELECT max(position) FROM requests)",
        "request",
    ),
}
ROWS = {
    "edition": ("UPDATE editions SET document = document || ' '", "table editions"),
    "read row": ("UPDATE ratings SET rating = rating + 1 WHERE id = (SELECT max(id) FROM ratings)", "table ratings"),
}


@contextmanager
def large_league(events: int) -> Iterator[League]:
    """A projected and signed league with about so many events: the recorded season, or more of the made ones."""
    with tempfile.TemporaryDirectory() as folder, _settings(Path(folder)) as settings, open_league(settings) as league:
        league.create("Liga", "America/Havana", "bench")
        import_season(SEASON, league.store, league.dispatcher.clock, "bench")
        if (missing := events - league.store.head()) > 0:
            make_league(league, missing * HANDS_A_MATCH // (HANDS_A_MATCH + 2), 1_000)
        league.project()
        signing = replace(league, key=read_private_key(new_seed()))
        signing.sign_head()
        yield signing


@contextmanager
def _settings(folder: Path) -> Iterator[Settings]:
    server = os.environ.get("LEAGUE_TEST_DATABASE_URL")
    if server is None:
        yield Settings(data_dir=folder)
        return
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)".encode())
        conn.execute(f"CREATE DATABASE {DATABASE}".encode())
        try:
            yield Settings(database_url=f"{server.rpartition('/')[0]}/{DATABASE}")
        finally:
            conn.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)".encode())


@contextmanager
def planted(league: League, table: str, statement: str, where: str = "true") -> Iterator[None]:
    """A fault in rows of a table, whose rows are afterwards what they were."""
    with psycopg.connect(league.database.url, autocommit=True) as conn:
        conn.execute("SET search_path = league, runs; SET session_replication_role = replica")
        conn.execute(f"CREATE TEMPORARY TABLE kept AS SELECT ctid AS place, * FROM {table} WHERE {where}".encode())  # noqa: S608  # constants of this file
        conn.execute(f"ALTER TABLE kept DROP COLUMN place; {statement}".encode())
        yield
        restored = "position > 1000000 OR " + where if table == "stored_events" else where
        conn.execute(f"DELETE FROM {table} WHERE {restored}; INSERT INTO {table} SELECT * FROM kept".encode())  # noqa: S608  # as above


def main() -> None:
    """Plant each fault, and print what was said of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=200_000)
    given = parser.parse_args()
    missed = 0
    with large_league(given.events) as league:
        head = league.store.head()
        say(f"{head:,} events, {'embedded' if league.database.embedded else 'on a server'}")
        began = time.perf_counter()
        sound = verify_league(league, [], [], rebuild=True)
        say(f"without a fault: {len(sound.faults)} faults, {time.perf_counter() - began:.1f} s")
        for name, (statement, (kind, off)) in IN_LOG.items():
            for place, at in (("beginning", MARGIN), ("middle", head // 2), ("end", head - MARGIN)):
                where = f"position BETWEEN {at} AND {at} + 10"
                with planted(league, "stored_events", statement.format(at=at), where):
                    found = verify_league(league, [], [], rebuild=False)
                named = any(f.position == at + off and kind in (None, f.kind) for f in found.faults)
                missed += _told(named, f"{name}, {place} ({at})", found)
        for name, (table, statement, kind) in BESIDE.items():
            for place in ("min", "max"):
                with planted(league, table, statement.format(place)):
                    found = verify_league(league, [], [], rebuild=False)
                missed += _told(any(f.kind == kind for f in found.faults), f"{name}, {place}", found)
        for name, (statement, says) in ROWS.items():
            table = statement.split()[1]
            both = f"{statement}; {IN_LOG['altered hash'][0].format(at=MARGIN)}"
            with planted(league, "stored_events", "SELECT", f"position = {MARGIN}"), planted(league, table, both):
                found = verify_league(league, [], [], rebuild=True)
            named = any(f.kind == "run" and says in f.says for f in found.faults)
            both_named = named and any(f.position == MARGIN for f in found.faults)
            missed += _told(both_named, f"{name}, and an altered hash", found)
        missed += _told(not verify_league(league, [], [], rebuild=False).faults, "all restored", sound)
    say(f"{missed} faults were not named")
    sys.exit(1 if missed else 0)


def _told(named: bool, what: str, found: Verified) -> int:
    faults = ", ".join(f"{f.kind}@{f.position or f.stream or ''}" for f in found.faults[:4])
    say(f"{'named ' if named else 'MISSED'} {what:<44} {len(found.faults)} faults: {faults}")
    return int(not named)


if __name__ == "__main__":
    main()
