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
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import psycopg
from msgspec.structs import replace

from league.application.bootstrap import League, open_league
from league.audit.signed_heads import new_seed, read_private_key
from league.cli.verify import verify_league
from league.domain.player import RegisterPlayer
from league.domain.rulebook import PublishEdition, parse_rulebook
from league.infra.settings import Settings
from league.rulebook import shipped_edition
from league.transfer.recorded_season import import_season
from league.wording.verdicts import VerificationFindings
from tests.bench.made_league import HANDS_A_MATCH, MATCHES_AT_ONCE, make_league
from tests.bench.measure import say

SEASON = Path("examples/cuban-2026")
DATABASE = "league_planted_faults"
WHOLE_SEASON = 13_000
"""Events of it, about."""
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


class Beside(NamedTuple):
    """A fault in a row beside the log."""

    table: str
    rows: str
    """What selects the rows that can have it, in order."""
    statement: str
    """With `{row}` for one of them."""
    says: str
    """The kind of the fault; of a read table what it says."""


HEADS = "SELECT position FROM signed_heads ORDER BY position"
KEYS = "SELECT stream FROM sealing_keys ORDER BY stream"
KEYED = "SELECT key FROM requests WHERE actor = 'planted' ORDER BY position"
BESIDE = {
    "altered head": Beside(
        "signed_heads",
        HEADS,
        "UPDATE signed_heads SET signature = set_byte(signature, 9, get_byte(signature, 9) # 1) WHERE position = {row}",
        "signature",
    ),
    "missing key": Beside("sealing_keys", KEYS, "DELETE FROM sealing_keys WHERE stream = {row}", "key"),
    "other key": Beside("sealing_keys", KEYS, "UPDATE sealing_keys SET key = sha256(key) WHERE stream = {row}", "key"),
    "request of another": Beside(
        "requests", KEYED, "UPDATE requests SET position = position - 1 WHERE key = {row}", "request"
    ),
    "missing request": Beside("requests", KEYED, "DELETE FROM requests WHERE key = {row}", "request"),
}
ROWS = {
    "edition": Beside(
        "editions",
        "SELECT hash FROM editions ORDER BY hash",
        "UPDATE editions SET document = document || ' ' WHERE hash = {row}",
        "table editions",
    ),
    "row of ratings": Beside(
        "ratings",
        "SELECT id FROM ratings ORDER BY id",
        "UPDATE ratings SET rating = rating + 1 WHERE id = {row}",
        "table ratings",
    ),
    "row of changes": Beside(
        "changes",
        "SELECT match_id FROM changes ORDER BY decided_at, match_id",
        "UPDATE changes SET after = after + 1 WHERE match_id = {row}",
        "table changes",
    ),
}


@contextmanager
def large_league(events: int) -> Iterator[League]:
    """A projected league with about so many events, with a head, a request and an edition from each of three times."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _settings(Path(folder)) as settings,
        open_league(settings, prepare=True) as league,
    ):
        signing = replace(league, key=read_private_key(new_seed()))
        half = partial(mark, signing, 2)
        league.create("Liga", "America/Havana", "bench")
        mark(signing, 1)
        matches = (SEASON / "matches.jsonl").read_bytes().splitlines(keepends=True)
        begun = Path(folder) / "begun"
        begun.mkdir()
        (begun / "players.jsonl").write_bytes((SEASON / "players.jsonl").read_bytes())
        (begun / "matches.jsonl").write_bytes(b"".join(matches[: len(matches) // 2]))
        import_season(begun, league.store, league.dispatcher.clock, "bench")
        if events < 2 * WHOLE_SEASON:
            half()
        import_season(SEASON, league.store, league.dispatcher.clock, "bench")
        if (missing := events - league.store.head()) > 0:
            hands = missing * HANDS_A_MATCH // (HANDS_A_MATCH + 2)
            made = count(1)

            def between() -> None:
                if events >= 2 * WHOLE_SEASON and next(made) == hands // HANDS_A_MATCH // MATCHES_AT_ONCE // 2:
                    half()

            make_league(league, hands, 1_000, between=between)
        mark(signing, 3)
        league.project()
        yield signing


def mark(league: League, number: int) -> None:
    """A request with a key, an edition and a signed head."""
    player = RegisterPlayer(f"planted-{number}", f"Planted {number}", None)
    league.dispatcher.send(player, "planted", key=f"planted-{number}")
    edition = parse_rulebook(f"rating.k.provisional = {40 + number}", shipped_edition(1))
    league.dispatcher.send(PublishEdition(edition), "planted", key=f"planted-edition-{number}")
    league.sign_head()


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


def three(league: League, beside: Beside) -> Iterator[tuple[str, str]]:
    """The statements that plant it in the first, the middle and the last row."""
    with psycopg.connect(league.database.url) as conn:
        conn.execute("SET search_path = league, runs")
        rows = [row for (row,) in conn.execute(beside.rows.encode())]
    for place, row in (("beginning", rows[0]), ("middle", rows[len(rows) // 2]), ("end", rows[-1])):
        yield place, beside.statement.format(row=row if isinstance(row, int) else f"'{row}'")


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
        for name, beside in BESIDE.items():
            for place, statement in three(league, beside):
                with planted(league, beside.table, statement):
                    found = verify_league(league, [], [], rebuild=False)
                missed += _told(any(f.kind == beside.says for f in found.faults), f"{name}, {place}", found)
        for name, beside in ROWS.items():
            for place, statement in three(league, beside):
                both = f"{statement}; {IN_LOG['altered hash'][0].format(at=MARGIN)}"
                with (
                    planted(league, "stored_events", "SELECT", f"position = {MARGIN}"),
                    planted(league, beside.table, both),
                ):
                    found = verify_league(league, [], [], rebuild=True)
                named = any(f.kind == "run" and beside.says in f.says for f in found.faults)
                both_named = named and any(f.position == MARGIN for f in found.faults)
                missed += _told(both_named, f"{name}, {place}, and an altered hash", found)
        missed += _told(not verify_league(league, [], [], rebuild=False).faults, "all restored", sound)
    say(f"{missed} faults were not named")
    sys.exit(1 if missed else 0)


def _told(named: bool, what: str, found: VerificationFindings) -> int:
    faults = ", ".join(f"{f.kind}@{f.position or f.stream or ''}" for f in found.faults[:4])
    say(f"{'named ' if named else 'MISSED'} {what:<44} {len(found.faults)} faults: {faults}")
    return int(not named)


if __name__ == "__main__":
    main()
