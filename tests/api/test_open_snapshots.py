"""An operation takes over the snapshot of one before it, and reads what it would read in a new one."""

from __future__ import annotations

from api_server import Served, token
from sqlalchemy import event
from waiting import wait_until

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
