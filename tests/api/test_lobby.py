"""The list of live tables, from which a lobby is made."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from api_server import Served, token
from table_clients import AtTable


def listed(small: Served, bearer: str | None = None, **wanted: Any) -> list[str]:
    asked = "query ($f: TableFilterInput) { tables(filter: $f) { totalCount nodes { tableId } } }"
    said = small.ask(asked, bearer, f=wanted or None)["tables"]
    assert said["totalCount"] == len(said["nodes"])
    return [node["tableId"] for node in said["nodes"]]


@pytest.fixture(scope="module")
def opened(small: Served) -> Served:
    """Four tables: with a player, with an AI and two players, by invitation, and closed."""
    AtTable(small, "one", "ana").open(competition="CASUAL")
    AtTable(small, "one", "ana").sit(0)
    AtTable(small, "two", "bea").open("doscientos-100", competition="CASUAL")
    AtTable(small, "two", "bea").do("takeSeat", seat=0)
    AtTable(small, "two", "bea").do("seatAi", seat=1)
    AtTable(small, "two", "bea").do("sayReady")
    AtTable(small, "three", "cira").open(mode="TWO_ON_TWO", listed=False, invited=["dora"])
    AtTable(small, "four", "eva").open()
    AtTable(small, "four", "eva").do("closeTable")
    return small


def test_the_tables_that_a_viewer_may_see_are_listed(opened: Served) -> None:
    """The latest first; those by invitation to those invited and in charge; no closed ones."""
    assert listed(opened) == listed(opened, token("player", sub="eva")) == ["two", "one"]
    for sub, role in (("cira", "player"), ("dora", "player"), ("kim", "auditor")):
        assert listed(opened, token(role, sub=sub)) == ["three", "two", "one"]


def test_a_filter_chooses_tables(opened: Served) -> None:
    """Tables are filtered by phase, player, ruleset, mode, and by free seats."""
    admin = token("admin")
    assert listed(opened, admin, phase=["OPEN"]) == ["three", "one"]
    assert listed(opened, admin, player="bea") == listed(opened, admin, ruleset="doscientos-100") == ["two"]
    assert listed(opened, admin, mode="TWO_ON_TWO") == listed(opened, admin, listed=False) == ["three"]
    assert listed(opened, admin, practice=True) == listed(opened, admin, hasFreeSeat=False) == ["two"]
    said = opened.error('{ tables(filter: {player: "nobody"}) { nodes { id } } }', admin)
    assert said["extensions"]["code"] == "UNKNOWN_ID"


def test_the_list_has_pages(opened: Served) -> None:
    """In both directions."""
    admin, page = token("admin"), "nodes { tableId } pageInfo { hasNextPage endCursor }"
    first = opened.ask(f"{{ tables(first: 2) {{ {page} }} }}", admin)["tables"]
    assert [node["tableId"] for node in first["nodes"]] == ["three", "two"]
    after = first["pageInfo"]["endCursor"]
    rest = opened.ask(f"query ($a: String) {{ tables(first: 2, after: $a) {{ {page} }} }}", admin, a=after)["tables"]
    assert ([node["tableId"] for node in rest["nodes"]], rest["pageInfo"]["hasNextPage"]) == (["one"], False)


def test_a_row_without_a_table_that_the_viewer_may_see_is_left_out(opened: Served) -> None:
    """Each of the others keeps its own cursor: what a row says of a table may be older than the table."""
    kept = "SELECT set_config('search_path', 'league', false)"
    unknown = """INSERT INTO live_tables SELECT (jsonb_populate_record(live_tables,
        '{"table_id": "nowhere", "opened_at": "2999-01-01T00:00:00Z"}')).* FROM live_tables WHERE table_id = 'one'"""
    with psycopg.connect(opened.league.database.url, autocommit=True) as conn:
        conn.execute(kept)
        conn.execute(unknown)
        conn.execute("UPDATE live_tables SET listed = true WHERE table_id = 'three'")
        try:
            query = "query ($a: String) { tables(first: 3, after: $a) { edges { cursor node { tableId } } } }"
            edges = opened.ask(query)["tables"]["edges"]
            assert [edge["node"]["tableId"] for edge in edges] == ["two"]
            rest = opened.ask(query, a=edges[0]["cursor"])["tables"]["edges"]
            assert [edge["node"]["tableId"] for edge in rest] == ["one"]
        finally:
            conn.execute("DELETE FROM live_tables WHERE table_id = 'nowhere'")
            conn.execute("UPDATE live_tables SET listed = false WHERE table_id = 'three'")
