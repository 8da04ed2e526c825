"""The answers to a client while the database is away or has no room."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy.exc
from api_server import served, token
from leagues import league_at
from psycopg import sql
from waiting import wait_until

from league.api.graphql.executing.replicas import outage_extensions, outage_message
from league.application.bootstrap import open_league
from league.eventlog import recorder
from league.eventlog.recorder import FullDisk, NotStored, OutOfSpace, StoreUnavailable
from league.infra import database
from league.infra.database import reason_of
from league.infra.settings import Settings

RENAME = "mutation ($input: RenamePlayerInput!) { renamePlayer(input: $input) { ... on Success { position } } }"


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.DiskFull("full"),
        sqlalchemy.exc.OperationalError("SELECT", None, psycopg.errors.DiskFull("full")),
        FullDisk("full"),
    ],
    ids=["driver", "reader", "store"],
)
def test_a_read_that_finds_the_disk_full_does_not_say_that_nothing_was_stored(error: Exception) -> None:
    """The read may be that of a payload, after the mutation was stored."""
    assert outage_message(error) == "The disk of the database is full; try again later."


def test_a_write_that_finds_the_disk_full_says_that_nothing_was_stored() -> None:
    """The store raises an error of its own for it."""
    assert outage_message(OutOfSpace("full")) == (
        "The disk of the database is full, so nothing was stored; try again later."
    )


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_probes_and_mutations_answer_while_a_table_is_locked(league_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is held until all have answered: they say what the database does, and that nothing was stored."""
    monkeypatch.setattr(database, "READERS_LIMITS", "SET lock_timeout = '200ms'; SET statement_timeout = '5s'")
    monkeypatch.setattr(recorder, "READERS_LIMITS", database.READERS_LIMITS)
    monkeypatch.setattr(recorder, "INSERT_LIMITS", "SET LOCAL lock_timeout = '200ms'")
    monkeypatch.setattr(recorder, "APPEND_LOCK_LIMIT", "200ms")
    with league_at(league_url) as league, served(league_url) as server:
        wait_until(lambda: server.http.get("/readyz").status_code == 200)
        head = league.store.head()
        given = {"player": "ana", "name": "Anita", "idempotencyKey": "k"}
        with psycopg.connect(league_url) as holder:
            holder.execute("LOCK TABLE league.stored_events IN ACCESS EXCLUSIVE MODE")
            wait_until(lambda: server.http.get("/readyz").status_code == 503)
            ready = server.http.get("/readyz").json()
            assert (ready["database"], ready["reason"]) == (True, "locked")
            assert ready["says"] == "The database waits for a lock that another session holds"
            assert server.http.get("/healthz").status_code == 200
            figures = server.http.get("/metrics").text
            assert 'league_database_away{reason="locked"} 1.0' in figures
            error = server.error(RENAME, token("admin"), input=given)
            holder.rollback()
            # The lock under which each append is made.
            holder.execute("LOCK TABLE league.stored_events IN SHARE ROW EXCLUSIVE MODE")
            second = server.error(RENAME, token("admin"), input=given)
            holder.rollback()
        for said in (error, second):
            assert said["message"] == (
                "The database waits for a lock that another session holds, so nothing was stored; try again later."
            )
            assert said["extensions"] == {"code": "UNAVAILABLE", "reason": "LOCKED", "stored": "NO"}
        assert league.store.head() == head
        wait_until(lambda: server.http.get("/readyz").status_code == 200)
        assert server.ask(RENAME, token("admin"), input=given)["renamePlayer"]["position"] == str(head + 1)


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_mutation_whose_answer_cannot_be_read_says_that_it_was_stored(
    league_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The read tables are locked, the log is not."""
    monkeypatch.setattr(database, "READERS_LIMITS", "SET lock_timeout = '200ms'")
    with league_at(league_url) as league, served(league_url, projecting=False) as server:
        head = league.store.head()
        asked = RENAME.replace("position", "position player { displayName }").replace("Success", "PlayerSuccess")
        with psycopg.connect(league_url) as holder:
            holder.execute("LOCK TABLE league.official_run IN ACCESS EXCLUSIVE MODE")
            error = server.error(asked, token("admin"), input={"player": "ana", "name": "Anita"})
        assert league.store.head() == head + 1
        assert error["extensions"] == {"code": "UNAVAILABLE", "reason": "LOCKED", "stored": "YES"}
        assert "This was stored" in error["message"]


def test_events_that_the_database_refuses_are_not_stored() -> None:
    """The extensions of the error say so, as for an outage."""
    assert outage_extensions(NotStored()) == {"reason": "REFUSED", "stored": "NO"}


def test_a_lost_connection_at_the_end_leaves_it_open_whether_it_was_stored() -> None:
    """The client sends it again with the same key."""
    lost = StoreUnavailable("gone", stored="unknown")
    assert "It is not known whether this was stored" in (outage_message(lost) or "")
    assert outage_extensions(lost) == {"reason": "UNREACHABLE", "stored": "UNKNOWN"}


@pytest.mark.also_on_server
def test_a_missing_database_and_a_server_without_connections_are_told_apart(database_url: str) -> None:
    """At once, also where a process waits for servers that do not answer yet."""
    with psycopg.connect(database_url, autocommit=True) as superuser:
        (name,) = superuser.execute("SELECT current_database()").fetchone() or ("",)
        missing = database_url.replace(str(name), "no_such_league", 1)
        with (
            pytest.raises(psycopg.OperationalError) as found,
            open_league(Settings(database_url=missing), patience=600),
        ):
            pass
        assert reason_of(found.value) == "missing"
        limit = sql.SQL("ALTER DATABASE {} CONNECTION LIMIT {}")
        superuser.execute(sql.SQL("CREATE ROLE only_one LOGIN"))
        try:
            superuser.execute(limit.format(sql.Identifier(str(name)), sql.Literal(1)))
            with pytest.raises(psycopg.OperationalError) as found:
                psycopg.connect(database_url, user="only_one")
            assert reason_of(found.value) == "no_connections"
        finally:
            superuser.execute(limit.format(sql.Identifier(str(name)), sql.Literal(-1)))
            superuser.execute("DROP ROLE only_one")
