"""Whoever changes a row from which people read rights, names, numbers or pairings is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import psycopg
import pytest
from databases import copy_of
from leagues import league_at, rebuild
from psycopg import sql
from tampered_leagues import TAMPERINGS, TOUCHED, Tampering

from league.application.bootstrap import League
from league.audit.row_comparison import differing_rows, differing_rows_again
from league.audit.shadow_rebuild import ShadowProjector, compare
from league.domain.audit_trail import TokenRevoked
from league.projections.rows_again.making import make_apart, tables_made_again

Tampered = Callable[[Tampering], list[str]]


@contextmanager
def tampered_with(server: str) -> Iterator[Tampered]:
    """A function: what differs from the log once somebody has done this; it is taken back."""
    with copy_of(server, TOUCHED) as url, league_at(url) as league, ShadowProjector(url, league.store) as shadow:
        folded = shadow.compare(url, None)
        assert folded is not None
        conn, official, anew = shadow._conn, folded.run, shadow._run
        assert official is not None
        for table in (*tables_made_again(), "sealing_keys"):
            conn.execute(sql.SQL("DROP TABLE pg_temp.{}").format(sql.Identifier(table)))
        make_apart(conn, league.store)
        conn.execute("RESET ROLE")

        def found(tampering: Tampering) -> list[str]:
            with conn.transaction(force_rollback=True):
                conn.execute("SET LOCAL search_path = league, runs, pg_temp")
                assert conn.execute(tampering.does.encode()).rowcount > 0
                conn.execute("SET LOCAL search_path = pg_temp, league, runs")
                return [*differing_rows(conn, official, anew), *differing_rows_again(conn)]

        yield found


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Tampered]]:
    with ExitStack() as opened:
        yield cache(lambda server: opened.enter_context(tampered_with(server)))


@pytest.mark.also_on_server
@pytest.mark.parametrize("tampering", TAMPERINGS, ids=lambda one: one.does[:60])
def test_a_row_that_does_not_follow_from_the_log_is_named(
    postgres: str, servers: Callable[[str], Tampered], tampering: Tampering
) -> None:
    """With its table, its key, its column, and what the log says instead."""
    (said,) = servers(postgres)(tampering)
    assert said.startswith(tampering.said)


@pytest.mark.also_on_server
def test_a_rebuild_mends_what_follows_from_the_log(postgres: str) -> None:
    """All of it together. But it lets no token live again: the log has a revocation from then on."""
    with copy_of(postgres, TOUCHED) as url, league_at(url) as league:
        assert faults(league) == []
        for tampering in TAMPERINGS:
            do_as_login(url, tampering.does)
        assert {said.split(",")[0] for said in faults(league)} >= {f"table {table}" for table in tables_made_again()}
        rebuild(league)
        assert faults(league) == []
        with psycopg.connect(url) as conn:
            revoked = {token for (token,) in conn.execute("SELECT jti FROM revoked_tokens")}
        assert revoked == {"lost", "stolen", "x", "of kim"}
        events = [stored.event for stored in league.store.all_named(["token-revoked/1"])]
        assert {event.token for event in events if isinstance(event, TokenRevoked)} == revoked


def test_a_rebuild_writes_no_row_that_is_as_it_should_be(embedded_server: str) -> None:
    """So it keeps what no event says of these rows, and tells nobody of changes."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        before = rows(url)
        rebuild(league)
        assert rows(url) == before


def faults(league: League) -> list[str]:
    """What verification finds in the tables."""
    return compare(league.database.url, league.store, league.project).faults


def do_as_login(url: str, statement: str) -> None:
    """What the program's own login may do."""
    with psycopg.connect(url) as conn:
        conn.execute(statement.encode())


def rows(url: str) -> list[tuple[object, ...]]:
    """All rows that are written with their events, each with the transaction that wrote it."""
    query = "SELECT xmin::text, {0}::text FROM {0} ORDER BY 2"
    with psycopg.connect(url) as conn:
        return [row for table in tables_made_again() for row in conn.execute(query.format(table).encode())]
