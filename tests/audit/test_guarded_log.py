"""The chain in a real database: who may touch it, what is found when somebody has, and what heads say of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from leagues import UNGUARDED, announced, league_at, meeting, send
from msgspec.structs import replace
from signed_leagues import SEED, heads_of, signed_league, unsigned_league
from waiting import wait_until

from league.application import following
from league.application.bootstrap import League
from league.application.dispatch import Dispatcher
from league.application.following import sign_head_when_due
from league.audit import head_signing
from league.audit.head_signing import (
    HEAD_EVERY,
    ChainBroken,
    NewSigningKey,
    due_at,
    is_due,
    last_head,
    peak_over,
    sign_head,
    store,
)
from league.audit.merkle import MerkleTree, root_over
from league.audit.signed_heads import is_genuine, raw, read_private_key, sign
from league.audit.verification import verify_log
from league.domain.player import MovePlayer
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import HashedRow, decode, encode, hash_of, moment
from league.infra.database import connect, database_time, migrate

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def league(embedded_server: str) -> Iterator[League]:
    """A league with a signed log, which tests leave as it is."""
    with signed_league(embedded_server) as opened:
        yield opened


@contextmanager
def tampered(league: League, *statements: str) -> Iterator[psycopg.Connection[Any]]:
    """Changes that a superuser makes to the log; they are taken back in the end."""
    with psycopg.connect(league.database.url) as superuser:
        superuser.execute(UNGUARDED)
        for statement in statements:
            superuser.execute(statement.encode())
        yield superuser
        superuser.rollback()


CHANGE = "UPDATE stored_events SET {} WHERE position = {}"
UNCHECKED = "ALTER TABLE stored_events DROP CONSTRAINT stored_events_position_check"
DELETE = "DELETE FROM stored_events WHERE position {} {}"
INSERT = """INSERT INTO stored_events (originator_id, originator_version, topic, state, position, recorded_at, hash)
    VALUES ('match:early', 1, 'match-voided/1', '{{}}', {}, {}, sha256('x'))"""
FLIP = "UPDATE stored_events SET {0} = set_byte({0}, {1}, get_byte({0}, {1}) # 1) WHERE position = {2}"
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
BACK = """
    UPDATE alembic_version SET version_num = '20261123_replays';
    DROP VIEW shown_candidates, candidates;
    DROP TABLE shown_replays, fitted_rules, adoptions, promotions, promotion_moves, notices, notice_players CASCADE;
    ALTER TABLE replays DROP COLUMN title, DROP COLUMN reason, DROP COLUMN revises, DROP COLUMN restores;
"""
"""Step back. The migrations that are not named here find their tables, and leave them as they are."""
SWAP = """UPDATE stored_events AS a SET state = b.state, topic = b.topic, hash = b.hash
    FROM stored_events AS b WHERE (a.position, b.position) IN (({0}, {1}), ({1}, {0}))"""


def ways_to_tamper(head: int, chance: random.Random) -> list[tuple[str, int]]:
    """Statements, each with the position of the first event that is wrong afterwards."""
    where = [chance.randint(2, head - 1) for _ in range(5)]
    last = chance.randint(1, head - 1)
    return [
        (CHANGE.format("topic = topic || ' '", where[0]), where[0]),
        (CHANGE.format("originator_id = originator_id || 'x'", where[1]), where[1]),
        (CHANGE.format("recorded_at = recorded_at - interval '1 day'", where[2]), where[2]),
        (DELETE.format("=", where[3]), where[3]),
        (SWAP.format(where[4], where[4] + 1), where[4]),
        (DELETE.format(">", last), last + 1),
        (CHANGE.format("position = position + 100", head), head),
        *((f"{UNCHECKED}; {INSERT.format(position, 'now()')}", 1) for position in (0, -3, -(2**63))),
    ]


@pytest.mark.heavy
@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_whatever_a_superuser_does_to_a_row_is_found(league: League, chance: random.Random) -> None:
    """After a changed column or order, a missing event or an extra one, the first bad position is named."""
    heads = heads_of(league)
    for statement, position in ways_to_tamper(league.store.head(), chance):
        with tampered(league, statement) as conn:
            faults = verify_log(encoded_rows.rows(conn), heads).faults
            assert faults[0].position == position, (statement, faults)


def test_a_log_that_nobody_touched_holds(league: League) -> None:
    """All of its events are counted, and its heads agree."""
    heads = heads_of(league)
    with connect(league.database.url) as conn:
        report = verify_log(encoded_rows.rows(conn), heads)
    assert (report.events, report.agreed, report.faults) == (league.store.head(), heads, [])


COLUMNS = ("position", "originator_version", "recorded_at", "originator_id", "topic", "state", "hash")
GET = {
    "position": "int8send(position)",
    "originator_version": "int8send(originator_version)",
    "recorded_at": "int8send((extract(epoch FROM recorded_at) * 1000000)::bigint)",
    "originator_id": "convert_to(originator_id, 'UTF8')",
    "topic": "convert_to(topic, 'UTF8')",
}
SET = {
    "position": "('x' || encode(%s, 'hex'))::bit(64)::bigint",
    "originator_version": "('x' || encode(%s, 'hex'))::bit(64)::bigint",
    "recorded_at": "to_timestamp(0) + ('x' || encode(%s, 'hex'))::bit(64)::bigint * interval '1 microsecond'",
    "originator_id": "convert_from(%s, 'UTF8')",
    "topic": "convert_from(%s, 'UTF8')",
}
"""How a column is turned into bytes and back; columns that are not listed are bytes."""


@pytest.mark.heavy
@settings(max_examples=80)
@given(st.data())
def test_any_byte_of_any_column_that_is_flipped_is_found(league: League, data: st.DataObject) -> None:
    """Any flipped bit of a stored event is found, unless PostgreSQL refuses the bytes."""
    heads, head = heads_of(league), league.store.head()
    place, column = data.draw(st.integers(1, head)), data.draw(st.sampled_from(COLUMNS))
    moved = place
    with tampered(league, UNCHECKED) as conn:
        get = f"SELECT {GET.get(column, column)} FROM stored_events WHERE position = %s"  # noqa: S608
        (value,) = conn.execute(get.encode(), (place,)).fetchone() or ()
        byte, change = data.draw(st.integers(0, len(value) - 1)), data.draw(st.integers(1, 255))
        flipped = value[:byte] + bytes([value[byte] ^ change]) + value[byte + 1 :]
        try:
            change_it = f"UPDATE stored_events SET {column} = {SET.get(column, '%s')} WHERE position = %s"  # noqa: S608
            conn.execute(change_it.encode(), (flipped, place))
        except (psycopg.errors.DataError, psycopg.errors.IntegrityError):
            reject()
        if column == "position":
            # The position where it is missing, or its new position if that comes first.
            moved = min(place, max(1, int.from_bytes(flipped, signed=True)))
        faults = verify_log(encoded_rows.rows(conn), heads).faults
    assert faults[0].position == moved, faults


@pytest.mark.also_on_server
def test_not_even_a_superuser_changes_a_row_by_mistake(database_url: str) -> None:
    """Tables that only grow refuse changes, deletions and truncation; the program has no right to try."""
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
def test_nothing_stands_before_the_first_event_or_beyond_the_calendar(database_url: str) -> None:
    """The database refuses it to every user: no check or export could handle it."""
    with psycopg.connect(database_url, autocommit=True) as superuser:
        superuser.execute(UNGUARDED)
        for position, time in (
            (0, "now()"),
            (-3, "now()"),
            (1, "'infinity'"),
            (1, "'10000-01-01'"),
            (1, "'0001-01-01 BC'"),
        ):
            with pytest.raises(psycopg.errors.CheckViolation):
                superuser.execute(INSERT.format(position, time).encode())


def test_rows_are_read_in_order_from_any_position_on(league: League) -> None:
    """Rows come in order from any position, even after the last event, of an empty log, or at impossible positions."""
    head = league.store.head()

    def positions(conn: psycopg.Connection[Any], after: int | None) -> list[int]:
        return [decode(encoded).position for encoded, _ in encoded_rows.rows(conn, after)]

    with connect(league.database.url) as conn:
        for after, first in ((None, 1), (0, 1), (1, 2), (head - 1, head), (head, head + 1), (head + 7, head + 1)):
            assert positions(conn, after) == [*range(first, head + 1)]
    with tampered(league, UNCHECKED, "UPDATE stored_events SET position = position * 1000 - 4000") as conn:
        assert positions(conn, None) == [*range(-3000, head * 1000 - 3999, 1000)]
        assert positions(conn, 500)[0] == 1000
    with tampered(league, "DELETE FROM stored_events") as conn:
        assert positions(conn, None) == positions(conn, 3) == []


@pytest.mark.also_on_server
def test_writers_at_once_make_one_chain(league_url: str) -> None:
    """With concurrent writers each event is chained to the one before it."""
    with league_at(league_url) as league:

        def write(player: str) -> None:
            for number in range(8):
                send(league, announced(f"{player}-{number}", (player, "flor"), number, competition="casual"))

        threads = [threading.Thread(target=write, args=(player,)) for player in ("ana", "bea", "cira", "dora")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with connect(league_url) as conn:
            report = verify_log(encoded_rows.rows(conn))
            assert (report.events, report.faults) == (league.store.head(), [])


@pytest.mark.also_on_server
def test_events_from_before_the_chain_get_their_hashes(league_url: str) -> None:
    """The migration gives stored events the hashes that the store would have given them."""
    with league_at(league_url) as league:
        send(league, announced("m-ñ", ("ana", "bea"), 1))
        with psycopg.connect(league_url, autocommit=True) as owner:
            before = owner.execute("SELECT array_agg(hash ORDER BY position) FROM stored_events").fetchone()
            owner.execute("DROP TABLE signed_heads")
            owner.execute("DROP TRIGGER only_appended ON stored_events")
            owner.execute("DROP FUNCTION only_appended")
            owner.execute("ALTER TABLE stored_events DROP COLUMN hash")
            owner.execute(BACK)
        migrate(league_url)
        with connect(league_url) as conn:
            assert conn.execute("SELECT array_agg(hash ORDER BY position) FROM stored_events").fetchone() == before
            assert verify_log(encoded_rows.rows(conn)).faults == []


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
            leaves = list(encoded_rows.hashes(conn, 0, second.position))
            assert (second.hash, second.root) == (leaves[-1], root_over(leaves))
            assert verify_log(encoded_rows.rows(conn), [first, second]).faults == []


@pytest.mark.heavy
@settings(max_examples=30)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=6, unique=True), st.data())
def test_what_heads_say_of_the_tree_need_not_be_computed(
    league: League, positions: list[int], data: st.DataObject
) -> None:
    """The root over a full part that is a peak of a head is what its events give; forged heads do not count."""
    every, key = [sha256(bytes([number])).digest() for number in range(200)], Ed25519PrivateKey.generate()
    with tampered(league, "DELETE FROM signed_heads") as conn:
        for position in positions:
            tree = MerkleTree()
            tree.extend(every[:position])
            store(conn, sign(key, tree, every[position - 1], NOW))
            forge(conn, raw(key.public_key()), data.draw(st.integers(1, 250)), position)
        found = 0
        for size in (1, 2, 4, 8, 16, 32, 64, 128):
            for start in range(0, 200, size):
                peak = peak_over(conn, raw(key.public_key()), start, start + size)
                assert peak in (None, root_over(every[start : start + size])), (start, size)
                found += peak is not None
        assert found >= len(sign(key, tree, bytes(32), NOW).peaks)


@pytest.mark.heavy
def test_the_root_of_a_part_is_the_same_with_heads_and_without(
    league_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A head every other event or none at all: what they say of the tree is what the events give."""
    monkeypatch.setattr(head_signing, "AT_ONCE", 1)
    with league_at(league_url) as opened:
        league = replace(opened, key=Ed25519PrivateKey.generate())
        for number in range(7):
            league.sign_head()
            send(league, announced(f"m{number}", meeting(number), number))
        assert league.key is not None
        with connect(league_url) as conn:
            every = list(encoded_rows.hashes(conn, 0, league.store.head()))
            full = [(start, start + size) for size in (1, 2, 4, 8, 16) for start in range(0, len(every) - size, size)]
            for key in (raw(league.key.public_key()), bytes(32)):
                for start, end in [*full, *((0, end) for end in range(1, len(every)))]:
                    assert head_signing.root_of(conn, key, start, end) == root_over(every[start:end])


def test_a_broken_log_is_not_signed(league: League) -> None:
    """Events that are not what was hashed, or do not follow the last head; what verify finds is not signed."""
    key = Ed25519PrivateKey.generate()
    head = league.store.head()
    for statement, position in ((FLIP.format("state", 3, 5), 5), (FLIP.format("hash", 3, head), head)):
        with tampered(league, statement) as conn, pytest.raises(ChainBroken) as refused:
            sign_head(conn, key, new_key=True)
        assert refused.value.position == position


@pytest.mark.parametrize(
    "forged", [[(7, 1, 1)], [(1, 9, 1)], [(1, 1, -1)], [(1, 2, 1), (2, 1, 2)]], ids=("gap", "version", "time", "turned")
)
def test_a_chain_that_fits_is_not_enough_to_be_signed(league: League, forged: list[tuple[int, int, int]]) -> None:
    """A writer can compute hashes: position, version and time are checked too, with and without a head."""
    head = league.store.head()
    with tampered(league) as conn:
        *_, (last, before) = encoded_rows.rows(conn)
        for place, version, minutes in forged:
            time = decode(last).recorded_at + minutes * 60_000_000
            entry = HashedRow(head + place, version, time, "match:forged", "match-voided/1", b"{}")
            before = hash_of(before, encode(entry))
            conn.execute(
                "INSERT INTO stored_events"
                " (position, originator_version, recorded_at, originator_id, topic, state, hash)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (*entry[:2], moment(time), *entry[3:], before),
            )
        for key in (league.key, Ed25519PrivateKey.generate()):
            assert key is not None
            with pytest.raises(ChainBroken) as refused:
                sign_head(conn, key, new_key=True)
            assert refused.value.position == head + 1


def test_what_is_appended_meanwhile_is_for_the_next_head(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A head signs what was checked: the log as it was when the check began."""
    check = encoded_rows.first_out_of_order
    with unsigned_league(league.database.url) as grown:
        head = grown.store.head()

        def check_slowly(conn: encoded_rows.Conn, after: int) -> int | None:
            found = check(conn, after)
            send(grown, announced("meanwhile", ("ana", "eva"), 9))
            return found

        monkeypatch.setattr(encoded_rows, "first_out_of_order", check_slowly)
        signed = grown.sign_head()
        assert signed is not None
        assert signed.position == head < grown.store.head()


def test_an_event_before_the_first_is_not_signed(league: League) -> None:
    """The check covers the events before the last head as well."""
    assert league.key is not None
    with tampered(league, UNCHECKED, INSERT.format(-3, "now()")) as conn, pytest.raises(ChainBroken):
        sign_head(conn, league.key)


def test_a_log_that_was_cut_below_its_last_head_is_not_signed(league: League) -> None:
    """A log that ends before its last head is not signed, nor is an empty one; the schedule finds both."""
    assert league.key is not None
    for after in (league.store.head() - 1, 0):
        with tampered(league, DELETE.format(">", after)) as conn:
            assert is_due(conn, league.key, datetime.now(UTC) + 10_000 * HEAD_EVERY)
            with pytest.raises(ChainBroken):
                sign_head(conn, league.key)


def test_a_clock_that_once_ran_ahead_does_not_stop_the_signing(
    league_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A head dated in the future counts as due and is at fault; the next one has the right time and is not."""
    with league_at(league_url) as opened:
        league = replace(opened, key=read_private_key(SEED))
        assert league.key is not None
        monkeypatch.setattr(head_signing, "database_time", lambda _: datetime.now(UTC) + 1_000 * HEAD_EVERY)
        ahead = league.sign_head()
        monkeypatch.undo()
        assert ahead is not None
        with connect(league_url) as conn:
            assert not is_due(conn, league.key, database_time(conn)), "the log has not grown"
        send(league, announced("later", ("ana", "eva"), 9))
        with connect(league_url) as conn:
            due = due_at(conn, league.key, database_time(conn))
            assert due is not None
            assert due <= database_time(conn) - HEAD_EVERY, "it is due also by a clock that is behind"
        signed = league.sign_head()
        with connect(league_url) as conn:
            assert last_head(conn) == signed
            assert not is_due(conn, league.key, database_time(conn))
            for now in (None, database_time(conn)):
                (fault,) = verify_log(encoded_rows.rows(conn), heads_of(league), now=now).faults
                assert (fault.kind, fault.part, fault.position) == ("clock", "heads", ahead.position)
        assert heads_of(league) == [ahead, signed]


@pytest.mark.parametrize("days", [-400, 400])
def test_a_head_is_dated_by_the_clock_of_the_database(league_url: str, days: int) -> None:
    """A head has the time of the database, whatever the process's clock says, on request and on schedule."""
    with league_at(league_url) as opened:
        wrong = Dispatcher(opened.store, lambda: datetime.now(UTC) + timedelta(days=days))
        league = replace(opened, key=read_private_key(SEED), dispatcher=wrong)
        with connect(league_url) as conn:
            before = database_time(conn)
            league.sign_head()
            send(league, MovePlayer("ana", "Oriente"))
            sign_head_when_due(league)
            assert len(heads_of(league)) == 1, "the hour is one of the database, too"
            league.sign_head()
            now = database_time(conn)
            first, second = heads_of(league)
            assert before < first.signed_at < second.signed_at < now
            assert verify_log(encoded_rows.rows(conn), heads_of(league), now=now).faults == []


@pytest.mark.parametrize("minutes", [3, 4_000])
def test_a_clock_that_was_set_back_dates_no_head_before_its_event(
    league_url: str, monkeypatch: pytest.MonkeyPatch, minutes: int
) -> None:
    """A head is dated no earlier than its event, nor than a last head slightly ahead, so none becomes a fault."""
    with league_at(league_url) as opened:
        league = replace(opened, key=read_private_key(SEED))
        send(league, announced("now", ("ana", "eva"), 9))  # what founded the league may be older than the minutes here
        monkeypatch.setattr(head_signing, "database_time", lambda _: datetime.now(UTC) - timedelta(minutes=minutes))
        first = league.sign_head()
        assert first is not None
        with connect(league_url) as conn:
            (recorded,) = (
                conn.execute("SELECT recorded_at FROM stored_events ORDER BY position DESC LIMIT 1").fetchone() or ()
            )
            assert first.signed_at == recorded
            monkeypatch.setattr(head_signing, "database_time", lambda _: recorded + timedelta(minutes=4))
            send(league, announced("later", ("ana", "eva"), 9))
            second = league.sign_head()
            monkeypatch.undo()
            send(league, announced("latest", ("ana", "eva"), 9))
            third = league.sign_head()
            assert second is not None
            assert third is not None
            assert third.signed_at == second.signed_at
            faults = verify_log(encoded_rows.rows(conn), heads_of(league), now=database_time(conn)).faults
            assert faults == []


def test_signers_take_turns(league_url: str) -> None:
    """A head is not dated after one that was signed meanwhile over more events."""
    with league_at(league_url) as opened:
        league = replace(opened, key=read_private_key(SEED))
        other = threading.Thread(target=league.sign_head)
        with head_signing.signing(league_url) as conn:
            other.start()
            with connect(league_url, autocommit=True) as looking:
                wait_until(lambda: looking.execute(WAITING).fetchone() == (1,))
            assert league.key is not None
            first = sign_head(conn, league.key)
            send(league, announced("later", ("ana", "eva"), 9))
        other.join()
        assert first is not None
        assert [head.position for head in heads_of(league)] == [first.position, league.store.head()]


FORGED = "INSERT INTO signed_heads (position, hash, root, signed_at, key, signature, peaks) VALUES "
FORGE = FORGED + "({0}, sha256('a'), sha256('b'), now(), %s, decode(repeat('{1:02x}', 64), 'hex'), {2})"


def forge(conn: psycopg.Connection[Any], key: bytes, position: int, byte: int = 0, peaks: int | None = None) -> None:
    """A head without a valid signature, with this many peaks; None: the right number."""
    count = position.bit_count() if peaks is None else peaks
    conn.execute(FORGE.format(position, byte, f"decode(repeat('ab', 32 * {count}), 'hex')").encode(), (key,))


@pytest.mark.also_on_server
def test_forged_heads_do_not_stop_signing(league_url: str) -> None:
    """Forged heads far ahead, at the next position and before it do not prevent the next genuine head."""
    with league_at(league_url) as opened:
        league = replace(opened, key=read_private_key(SEED))
        assert league.key is not None
        first, key = league.sign_head(), raw(league.key.public_key())
        assert first is not None
        send(league, announced("later", ("ana", "eva"), 9))
        head = league.store.head()
        with connect(league_url) as conn:
            for position in (1_000_000, head, head + 1, 1):
                forge(conn, key, position)
            assert last_head(conn, [key]) == last_head(conn) == first
            assert is_due(conn, league.key, datetime.now(UTC) + 10_000 * HEAD_EVERY)
            assert not is_due(conn, league.key, first.signed_at + HEAD_EVERY / 2)
        signed = league.sign_head()
        assert signed is not None
        assert signed.position == head
        assert is_genuine(signed)
        assert signed in heads_of(league)
        assert league.sign_head() == signed
        with connect(league_url) as conn:
            assert last_head(conn) == signed
            faults = verify_log(encoded_rows.rows(conn), heads_of(league)).faults
            assert [fault.kind for fault in faults] == ["signature"] * 4


@pytest.mark.also_on_server
def test_a_head_of_another_shape_is_not_stored(database_url: str) -> None:
    """The database knows the lengths of its parts, and how many peaks belong to a position."""
    with connect(database_url) as conn:
        for position, key, peaks in ((0, 32, 0), (-1, 32, 64), (5, 31, 2), (5, 32, 1), (5, 32, 3)):
            with pytest.raises(psycopg.errors.CheckViolation), conn.transaction():
                forge(conn, bytes(key), position, peaks=peaks)


def test_a_head_that_somebody_changed_is_not_built_upon(league: League) -> None:
    """After a changed head, all events are read again, and a new head with the right root is signed."""
    assert league.key is not None
    (head,) = heads_of(league)
    change = "UPDATE signed_heads SET {} = overlay({} PLACING '\\x00ff' FROM 1)"
    for column in ("hash", "root", "signature", "peaks"):
        with tampered(league, change.format(column, column)) as conn:
            assert last_head(conn) is None
            assert is_due(conn, league.key, datetime.now(UTC))
            signed = sign_head(conn, league.key)
            assert signed is not None
            assert (signed.position, signed.hash, signed.root) == (head.position, head.hash, head.root)
            assert last_head(conn) == signed


def test_another_key_signs_only_where_somebody_says_so(league: League) -> None:
    """A misconfigured key signs no head, on request or on schedule."""
    with unsigned_league(league.database.url) as grown:
        first, other = grown.sign_head(), replace(grown, key=Ed25519PrivateKey.generate())
        assert first is not None
        assert other.key is not None
        with pytest.raises(NewSigningKey) as refused:
            other.sign_head()
        assert (refused.value.key, refused.value.before) == (raw(other.key.public_key()), first.key)
        with pytest.raises(NewSigningKey):
            sign_head_when_due(other)
        assert heads_of(grown) == [first]
        changed = other.sign_head(new_key=True)
        assert changed is not None
        assert (changed.key, changed.root) == (refused.value.key, first.root)
        send(grown, announced("later", ("ana", "eva"), 9))
        assert [one.sign_head() is not None for one in (other, grown)] == [True, True]


def test_the_running_league_signs_when_it_has_grown(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A running league signs at most every hour, only if there are new events, and never without a key."""
    with unsigned_league(league.database.url) as grown:
        began = datetime.now(UTC)

        def look(hours: float) -> int:
            for module in (following, head_signing):
                monkeypatch.setattr(module, "database_time", lambda _: began + hours * HEAD_EVERY)
            sign_head_when_due(grown)
            return len(heads_of(grown))

        sign_head_when_due(replace(grown, key=None))
        assert [len(heads_of(grown)), look(0), look(2)] == [0, 1, 1]
        send(grown, announced("later", ("ana", "eva"), 9))
        assert [look(0.5), look(1.5), look(5)] == [1, 2, 2]
