"""An operation takes over the snapshot of one before it, and reads what it would read in a new one."""

from __future__ import annotations

import psycopg
from api_server import Served, served, token
from databases import copy_of
from leagues import SIXTY_MATCHES
from sqlalchemy import event
from waiting import wait_until

from league.infra.database import engine
from league.projections.queries.snapshot import take_snapshot

PLAYERS = "query ($n: Int!) { players(first: $n) { totalCount } }"
AFTER = "query ($n: Int!, $p: BigInt!) @readFrom(afterPosition: $p) { players(first: $n) { totalCount } }"


def test_operations_share_a_snapshot_until_the_state_changes(small: Served) -> None:
    """The statement that begins one is left out; a write is seen after its position all the same."""
    begun: list[str] = []

    def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        begun.extend([statement] if "hold_run" in statement else [])

    def taken_over() -> bool:
        small.ask(PLAYERS, n=1)
        before = len(begun)
        small.ask(PLAYERS, n=2)
        return len(begun) == before

    event.listen(small.app.state.engine, "before_cursor_execute", note)
    try:
        wait_until(taken_over)
        count = small.ask(PLAYERS, n=3)["players"]["totalCount"]
        given = {"playerId": "newcomer", "name": "New Comer"}
        position = small.do("registerPlayer", token("scorekeeper"), **given)["position"]
        assert small.ask(AFTER, n=3, p=position)["players"]["totalCount"] == count + 1
    finally:
        event.remove(small.app.state.engine, "before_cursor_execute", note)


def test_a_snapshot_whose_connection_broke_while_it_was_open_is_replaced(embedded_server: str) -> None:
    """Also where the question that finds it broken was asked on the event loop, which must not connect anew."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, projecting=False) as server:

        def is_broken() -> bool:
            server.ask(PLAYERS, n=1)
            with psycopg.connect(url, autocommit=True) as connection:
                ended = connection.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND state = 'idle in transaction'"
                )
                return ended.rowcount > 0

        wait_until(is_broken)
        for number in range(2, 9):  # each a new request, so that no answer is cached
            assert server.ask(PLAYERS, n=number)["players"]["totalCount"] > 0


def test_a_snapshot_whose_connection_has_broken_is_closed_all_the_same(embedded_server: str) -> None:
    """What was read is good, and the pool has another connection for the next one."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        pool = engine(url, pool_size=1)
        try:
            for _ in range(3):
                snapshot = take_snapshot(pool)
                pid = snapshot.conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
                snapshot.close()
                assert snapshot.conn.closed
                assert pool.pool.checkedout() == 0  # type: ignore[attr-defined]  # of the pool that engines have
        finally:
            pool.dispose()
