"""Members in the log: their subjects are sealed, taken once, and erased."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from leagues import at_once, catch_up, caught_up_digest, rebuild, send, write_rows_again

from league.application.bootstrap import League
from league.domain.members import AddMember, ChangeMember, GrantAccess, RemoveMember, RequestAccess
from league.domain.player import ErasePlayer
from league.domain.refusals import AlreadyExists, KeyReused, WrongState
from league.eventlog import sealing
from league.eventlog.codec import ERASING, PRIVATE
from league.infra.database import connect

MARK = "zoraida.quintana@club.example"
"""A subject that occurs nowhere else."""
ADD = AddMember("m1", MARK, ("player",), "ana")


def rows(league: League, columns: str = "member_id, subject, name, player_id, roles, standing") -> list[Any]:
    with connect(league.database.url) as conn:
        return conn.execute(f"SELECT {columns} FROM members ORDER BY 1").fetchall()  # type: ignore[arg-type]  # noqa: S608


def test_a_member_has_a_row_at_once(league: League) -> None:
    """The row is there before anything is projected; rows follow from the log alone."""
    send(league, ADD, RequestAccess("m2", "lee", "Lee"), RequestAccess("m3", "eva"))
    send(league, GrantAccess("m2", ("auditor",)), ChangeMember("m1", ("player", "admin")), RemoveMember("m3"))
    assert rows(league) == [
        ("m1", MARK, None, "ana", ["player", "admin"], "member"),
        ("m2", "lee", "Lee", None, ["auditor"], "member"),
    ]
    before = rows(league, "*")
    with psycopg.connect(league.database.url) as owner:
        owner.execute("TRUNCATE members")
    write_rows_again(league)
    assert rows(league, "*") == before


def test_a_subject_is_taken_once(league: League) -> None:
    """This holds for two members added at the same moment, and within one request."""
    refused: list[BaseException] = []

    def add(number: int) -> None:
        try:
            send(league, AddMember(f"m{number}", MARK, ("admin",)))
        except AlreadyExists as error:
            refused.append(error)

    at_once(*[lambda number=number: add(number) for number in range(4)])
    assert len(rows(league)) == 1
    assert len(refused) == 3
    with pytest.raises(AlreadyExists):
        send(league, RequestAccess("x", "lee"), RequestAccess("y", "lee"))


def test_a_removal_erases_the_subject(league: League) -> None:
    """No table and no hash holds it or its key any more; the log goes on to verify, and a rebuild changes nothing."""
    league.dispatcher.send(ADD, "kim", key="add")
    league.dispatcher.send(RequestAccess("m2", "lee", MARK), "lee")
    assert MARK not in dump(league, but="members")
    send(league, RemoveMember("m1"), RemoveMember("m2"))
    assert MARK not in dump(league)
    assert caught_up_digest(league) == rebuild(league)
    with connect(league.database.url) as conn:
        assert list(sealing.key_faults(conn, PRIVATE, ERASING)) == []
        assert conn.execute("SELECT FROM sealing_keys WHERE starts_with(stream, 'member:')").rowcount == 0
    assert [stored.event.subject for stored in league.store.load("member:m1") if hasattr(stored.event, "subject")] == [
        None
    ]
    send(league, AddMember("m3", MARK, ("admin",)))


def test_an_erased_player_is_a_member_no_more(league: League) -> None:
    """The erasure of the player is that of their subjects, in one transaction."""
    send(league, ADD, AddMember("m2", "ana too", ("player",), "ana"), AddMember("m3", "kim", ("admin",)))
    send(league, ErasePlayer("ana"))
    assert [row[0] for row in rows(league)] == ["m3"]
    with pytest.raises(WrongState):
        send(league, AddMember("m4", "ana", ("player",), "ana"))


def test_a_repeated_request_adds_one_member(league: League) -> None:
    """A repeated key with an equal input gives the first position; another input is refused."""
    first = league.dispatcher.send(ADD, "kim", key="add")
    assert league.dispatcher.send(ADD, "kim", key="add") == first
    with pytest.raises(KeyReused):
        league.dispatcher.send(AddMember("m1", "other", ("admin",)), "kim", key="add")


def test_a_key_that_a_backup_brought_back_is_destroyed_by_a_rebuild(league: League) -> None:
    """As for a player: `league verify` finds it until then."""
    send(league, ADD)
    with psycopg.connect(league.database.url) as owner:
        key = owner.execute("SELECT * FROM sealing_keys WHERE stream = 'member:m1'").fetchone()
        send(league, RemoveMember("m1"))
        owner.execute("INSERT INTO sealing_keys VALUES (%s, %s)", key)
        owner.commit()
        faults = sealing.key_faults(owner, PRIVATE, ERASING)
        assert [stream for stream, _ in faults] == ["member:m1"]
        catch_up(league)
        rebuild(league)
        assert list(sealing.key_faults(owner, PRIVATE, ERASING)) == []


def dump(league: League, but: str = "") -> str:
    """All rows of the league's tables."""
    with psycopg.connect(league.database.url) as owner:
        query = "SELECT relname FROM pg_class WHERE relnamespace = 'league'::regnamespace AND relkind IN ('r', 'p')"
        tables = [name for (name,) in owner.execute(query) if name != but]
        found = []
        for table in tables:
            found += owner.execute(f"SELECT to_jsonb(t)::text FROM league.{table} AS t").fetchall()  # type: ignore[arg-type]  # noqa: S608
        logged = owner.execute("SELECT convert_from(state, 'UTF8') FROM stored_events").fetchall()
    return json.dumps([*found, *logged], ensure_ascii=False)
