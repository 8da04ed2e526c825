"""What is stored beside the log is verified with it: records of requests, the journal's beginning, heads, keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest
from databases import Template, copy_of
from leagues import SMALL_LEAGUE, UNGUARDED, announced, catch_up, send
from signed_leagues import heads_of, play_and_sign, signed_at

from league.application.bootstrap import League
from league.audit.signed_heads import as_json
from league.cli import verify
from league.domain.player import MovePlayer
from league.wording.verdicts import VerificationFindings


def _fill(url: str) -> None:
    with signed_at(url) as made:
        play_and_sign(made)
        made.dispatcher.send(MovePlayer("ana", "Holguín"), "kim", key="order-1")
        send(made, announced("last", ("ana", "bea"), 20))
        catch_up(made)


WITH_AN_ORDER = Template("with_an_order", _fill, SMALL_LEAGUE)
"""A signed league in which Kim has moved a player, by a request with a key."""


@pytest.fixture
def league(embedded_server: str) -> Iterator[League]:
    with copy_of(embedded_server, WITH_AN_ORDER) as url, signed_at(url) as made:
        yield made


def found(league: League, *heads: Path, rebuild: bool = True) -> VerificationFindings:
    """What `league verify` finds."""
    return verify.verify_league(league, heads, [], rebuild=rebuild)


def as_superuser(league: League, statement: str) -> None:
    """Do what somebody with all rights may do."""
    with psycopg.connect(league.database.url) as conn:
        conn.execute(UNGUARDED)
        conn.execute(statement.encode())


@pytest.mark.heavy
def test_nothing_is_found_where_nobody_changed_anything(league: League) -> None:
    """Nor does the rebuild miss a request: no row that is folded depends on one."""
    assert found(league).faults == []
    as_superuser(league, "DELETE FROM requests WHERE key = 'order-1'")
    assert {fault.kind for fault in found(league).faults} == {"request"}


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("TRUNCATE requests", "is missing: a repeat would be stored again"),
        ("DELETE FROM requests WHERE key = 'order-1'", "'order-1' of kim is missing"),
        ("UPDATE requests SET position = 1 WHERE key = 'order-1'", "leads to an event of another request"),
        ("UPDATE requests SET position = 9999 WHERE key = 'order-1'", "leads to an event of another request"),
        ("UPDATE requests SET actor = 'eve' WHERE key = 'order-1'", "'order-1' of eve leads to an event of another"),
        ("UPDATE requests SET key = 'order-2' WHERE key = 'order-1'", "'order-2' of kim leads to an event of another"),
        (
            "DELETE FROM requests WHERE position = (SELECT max(position) FROM requests)",
            "the newest event has no record of its request",
        ),
    ],
)
def test_a_request_that_is_gone_or_changed_is_found(league: League, statement: str, says: str) -> None:
    """The log itself holds; the exit code is 1, because a repeated request would be stored again, or answered wrong."""
    as_superuser(league, statement)
    said = found(league, rebuild=False)
    assert {fault.kind for fault in said.faults} == {"request"}
    assert says in " ".join(fault.says for fault in said.faults)
    assert (said.log.faults, said.verdicts["requests"].ok) == ([], False)


@pytest.mark.heavy
def test_what_is_not_covered_is_named(league: League) -> None:
    """The hash of a request's input, records without a key, and what caused a step of the journal."""
    as_superuser(league, "UPDATE requests SET input_hash = 'x'")
    as_superuser(league, "UPDATE journal SET cause = 'correction' WHERE entry = (SELECT min(entry) FROM journal)")
    said = found(league)
    assert said.faults == []
    assert "hashes of inputs, and records of requests without a key, are not checked" in said.verdicts["requests"].says
    assert "what caused each step is not checked" in said.verdicts["tables"].says


@pytest.mark.heavy
def test_a_first_entry_of_the_journal_that_is_gone_is_found(league: League) -> None:
    """A rating begins with the start of an edition, so the second entry cannot be the first."""
    as_superuser(league, "DELETE FROM journal WHERE entry = (SELECT min(entry) FROM journal WHERE id = 'ana')")
    (fault,) = found(league).faults
    assert fault.kind == "run"
    assert fault.says.startswith("table journal, player ana, 1v1: its first entry, ")
    assert fault.says.endswith("no edition lets a rating begin there: an entry before it is gone")


@pytest.mark.heavy
def test_heads_that_were_stored_once_are_missed(league: League, tmp_path: Path) -> None:
    """A stored head that was deleted is missed, if it is in a file that nobody could delete."""
    heads = heads_of(league)
    kept = tmp_path / "heads.json"
    kept.write_bytes(msgspec.json.encode([as_json(head) for head in heads]))
    assert found(league, kept).faults == []
    as_superuser(league, "TRUNCATE signed_heads")
    said = found(league, kept)
    assert [(fault.kind, fault.position) for fault in said.faults] == [("deleted", head.position) for head in heads]
    assert said.verdicts["heads"].ok is False


@pytest.mark.heavy
def test_a_key_of_an_unregistered_player_is_named(league: League) -> None:
    """A key without a player may be planted to read a name later, or be left by a refused registration: a note."""
    as_superuser(league, "INSERT INTO sealing_keys VALUES ('player:nobody', decode(repeat('00', 32), 'hex'))")
    said = found(league)
    assert said.faults == []
    (note,) = [note for note in said.notes if note.startswith("keys")]
    assert note.startswith("keys of players and members whom the log does not know: 1 (player:nobody); ")
