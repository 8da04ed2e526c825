"""Signs of life at live tables: only a player at the table gives one, and no request disturbs those of others."""

from __future__ import annotations

from typing import Any

from api_server import Served, token
from table_clients import AtTable
from waiting import wait_until

from league.infra.database import connect
from league.tables.application.presence_and_talk import Presence


def signs(served: Served) -> list[Any]:
    """Every sign of life: table and player."""
    with connect(served.league.database.url) as conn:
        return conn.execute("SELECT table_id, player_id FROM live_presence ORDER BY 1, 2").fetchall()


def test_only_who_sits_at_a_table_gives_a_sign_of_life(small: Served) -> None:
    """A request without a token, a refused request and an invalid text are no signs of life."""
    ana = AtTable(small, "t1", "ana")
    ana.open()
    leave = "mutation ($t: ID!) { leaveSeat(input: { table: $t }) { __typename } }"
    for table in ("made-up", "t1", "t1\x00"):
        for bearer in (None, token("player", sub="dora")):
            small.post(leave, bearer, t=table)
    small.post(leave, token("player", sub="ana"), t="t1\x00")
    assert ana.do("takeSeat", seat=0)["__typename"] == "TableSuccess"
    wait_until(lambda: ("t1", "ana") in signs(small))
    assert signs(small) == [("t1", "ana")]


def test_one_bad_sign_of_life_takes_no_other_with_it(small: Served) -> None:
    """An id that the database refuses is no sign; players without a seat get no row."""
    AtTable(small, "t2", "bea").open()
    AtTable(small, "t2", "bea").do("takeSeat", seat=0)
    wait_until(lambda: ("t2", "bea") in signs(small))
    with connect(small.league.database.url, autocommit=True) as conn:
        conn.execute("DELETE FROM live_presence")
    presence = Presence(small.league.database.url)
    for table, player in (("t2\x00", "bea"), ("t2", ""), ("t2", "cira"), ("made-up", "bea"), ("t2", "bea")):
        presence.seen(table, player)
    with presence.written():
        wait_until(lambda: signs(small))
    assert signs(small) == [("t2", "bea")]
