"""The chain in a real database: who may touch it, what is found when somebody has, and what heads say of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from leagues import UNGUARDED, announced, send, small_league
from msgspec.structs import replace
from signed_leagues import heads_of, signed_league, unsigned_league

from league import log_rows
from league.bootstrap import League, sign_head_when_due
from league.database import connect, migrate
from league.dispatch import Dispatcher
from league.head_signing import HEAD_EVERY, ChainBroken, sign_head
from league.merkle import root_over
from league.verification import verify_log

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def league(embedded_server: str) -> Iterator[League]:
    """Tests leave it as it is."""
    with signed_league(embedded_server) as opened:
        yield opened


@contextmanager
def tampered(league: League, *statements: str) -> Iterator[psycopg.Connection[Any]]:
    """A superuser who has done this to the log; it is taken back in the end."""
    with psycopg.connect(league.database.url) as superuser:
        superuser.execute(UNGUARDED)
        for statement in statements:
            superuser.execute(statement.encode())
        yield superuser
        superuser.rollback()


CHANGE = "UPDATE stored_events SET {} WHERE position = {}"
DELETE = "DELETE FROM stored_events WHERE position {} {}"
FLIP = "UPDATE stored_events SET {0} = set_byte({0}, {1}, get_byte({0}, {1}) # 1) WHERE position = {2}"
BACK = "UPDATE alembic_version SET version_num = '20261123_replays'"
SWAP = """UPDATE stored_events AS a SET state = b.state, topic = b.topic, hash = b.hash
    FROM stored_events AS b WHERE (a.position, b.position) IN (({0}, {1}), ({1}, {0}))"""


def ways_to_tamper(head: int) -> list[tuple[str, int]]:
    """Statements, each with the position of the first event that is wrong afterwards."""
    chance = random.Random(7)
    where = [chance.randint(2, head - 1) for _ in range(9)]
    return [
        (FLIP.format("state", chance.randrange(20), where[0]), where[0]),
        (FLIP.format("state", chance.randrange(20), where[1]), where[1]),
        (FLIP.format("hash", chance.randrange(32), where[2]), where[2]),
        (CHANGE.format("topic = topic || ' '", where[3]), where[3]),
        (CHANGE.format("originator_id = originator_id || 'x'", where[4]), where[4]),
        (CHANGE.format("originator_version = 77", where[5]), where[5]),
        (CHANGE.format("recorded_at = recorded_at - interval '1 microsecond'", where[6]), where[6]),
        (DELETE.format("=", where[7]), where[7]),
        (SWAP.format(where[8], where[8] + 1), where[8]),
        (DELETE.format(">", head - 2), head - 1),
        (CHANGE.format("position = position + 100", head), head),
    ]


def test_whatever_a_superuser_does_to_a_row_is_found(league: League) -> None:
    """A byte, a column, the order, an event that is gone: the first bad position is named; then the log holds again."""
    heads, head = heads_of(league), league.store.head()
    for statement, position in ways_to_tamper(head):
        with tampered(league, statement) as conn:
            faults = verify_log(list(log_rows.rows(conn)), heads).faults
            assert [fault.position for fault in faults] == [position], (statement, faults)
    with connect(league.database.url) as conn:
        report = verify_log(log_rows.rows(conn), heads)
    assert (report.events, report.agreed, report.faults) == (head, heads, [])


@pytest.mark.also_on_server
def test_not_even_a_superuser_changes_a_row_by_mistake(database_url: str) -> None:
    """What only grows refuses to be changed, deleted or truncated; the program has no right to try."""
    statements = [
        f"{statement} {table}"
        for table in ("stored_events", "signed_heads")
        for statement in ("DELETE FROM", "TRUNCATE")
    ]
    statements += ["UPDATE stored_events SET topic = ''", "UPDATE signed_heads SET position = 0"]
    for opened in (psycopg.connect(database_url, autocommit=True), connect(database_url, autocommit=True)):
        with opened as conn:
            for statement in statements:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    conn.execute(statement.encode())


@pytest.mark.also_on_server
def test_writers_at_once_make_one_chain(database_url: str) -> None:
    """Whoever is faster, each event is chained to the one before it."""
    with small_league(database_url) as league:

        def write(player: str) -> None:
            for number in range(8):
                send(league, announced(f"{player}-{number}", (player, "flor"), number, competition="casual"))

        threads = [threading.Thread(target=write, args=(player,)) for player in ("ana", "bea", "cira", "dora")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with connect(database_url) as conn:
            report = verify_log(log_rows.rows(conn))
            assert (report.events, report.faults) == (league.store.head(), [])


@pytest.mark.also_on_server
def test_events_from_before_the_chain_get_their_hashes(database_url: str) -> None:
    """The migration gives stored events the hashes that the store would have given them."""
    with small_league(database_url) as league:
        send(league, announced("m-ñ", ("ana", "bea"), 1))
        with psycopg.connect(database_url, autocommit=True) as owner:
            before = owner.execute("SELECT array_agg(hash ORDER BY position) FROM stored_events").fetchone()
            owner.execute("DROP TABLE signed_heads")
            owner.execute("DROP TRIGGER only_appended ON stored_events")
            owner.execute("DROP FUNCTION only_appended")
            owner.execute("ALTER TABLE stored_events DROP COLUMN hash")
            owner.execute(BACK)
        migrate(database_url)
        with connect(database_url) as conn:
            assert conn.execute("SELECT array_agg(hash ORDER BY position) FROM stored_events").fetchone() == before
            assert verify_log(log_rows.rows(conn)).faults == []


def test_heads_grow_from_head_to_head(league: League) -> None:
    """A later head has the root over all events, though only new ones were read; without new ones it is the same."""
    with unsigned_league(league.database.url) as grown:
        first = grown.sign_head()
        assert grown.sign_head() == first
        send(grown, announced("later", ("ana", "eva"), 9))
        second = grown.sign_head()
        assert first is not None
        assert second is not None
        with connect(grown.database.url) as conn:
            leaves = list(log_rows.hashes(conn, 0, second.position))
            assert (second.hash, second.root) == (leaves[-1], root_over(leaves))
            assert verify_log(log_rows.rows(conn), [first, second]).faults == []


def test_a_broken_log_is_not_signed(league: League) -> None:
    """Events that do not follow the last head, and an end before it, are not signed."""
    key = Ed25519PrivateKey.generate()
    head = league.store.head()
    for statement, position in ((FLIP.format("state", 3, 5), 5), (FLIP.format("hash", 3, head), head)):
        with tampered(league, statement) as conn, pytest.raises(ChainBroken) as refused:
            sign_head(conn, key, NOW)
        assert refused.value.position == position
    assert league.key is not None
    with tampered(league, DELETE.format("=", head)) as conn, pytest.raises(ChainBroken):
        sign_head(conn, league.key, NOW)


def test_the_running_league_signs_when_it_has_grown(league: League) -> None:
    """Every hour at most, and only what is new; without a key never."""
    with unsigned_league(league.database.url) as grown:

        def look(hours: float) -> int:
            def clock() -> datetime:
                return NOW + hours * HEAD_EVERY

            sign_head_when_due(replace(grown, dispatcher=Dispatcher(grown.store, clock)))
            return len(heads_of(grown))

        sign_head_when_due(replace(grown, key=None))
        assert [len(heads_of(grown)), look(0), look(2)] == [0, 1, 1]
        send(grown, announced("later", ("ana", "eva"), 9))
        assert [look(0.5), look(1), look(5)] == [1, 2, 2]
