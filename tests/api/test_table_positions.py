"""Positions of events of live tables, over HTTP: they can be waited for although the league does not follow them."""

from __future__ import annotations

from api_server import Served
from bench.table_events import add_table_events
from leagues import announced, send

READ = """
    query ($at: BigInt) @readFrom(afterPosition: $at) {
        league { position head lagSeconds }
        match(id: "t1") { id }
    }
"""


def test_the_position_of_a_move_can_be_waited_for(small: Served) -> None:
    """After waiting for the position of a move, all earlier events can be read; the league's position stays."""
    at = send(small.league, announced("t1", ("ana", "bea"), 1))
    add_table_events(small.league.database.url, 3)
    seen = small.ask(READ, at=str(at + 3))
    assert seen["match"] is not None
    assert seen["league"] == {"position": str(at), "head": str(at), "lagSeconds": 0}
    again = send(small.league, announced("t2", ("ana", "bea"), 1))
    assert small.ask(READ, at=str(again))["league"]["position"] == str(again)
