"""The whole way on each PostgreSQL that the tests know: write, read back, page, and hear of it."""

from __future__ import annotations

import pytest
from api_server import heard, served, subscribe, token
from leagues import catch_up, found, league_at

pytestmark = pytest.mark.heavy

KEEPER = token("scorekeeper")


@pytest.mark.also_on_server
def test_a_match_is_written_read_and_heard_of(database_url: str) -> None:
    """One match from its opening to the board."""
    with league_at(database_url) as league:
        found(league)
        catch_up(league)
    with served(database_url) as server, server.socket() as socket:
        subscribe(socket, "subscription { boardChanged(kind: TEAMS) { places { totalCount } } }")
        assert heard(socket)["boardChanged"]["places"]["totalCount"] == 0
        asked = {"ruleset": "cuban-150", "mode": "TWO_ON_TWO", "seats": ["ana", "bea", "cira", "dora"]}
        opened = server.do("openMatch", KEEPER, "... on MatchSuccess { matchId }", **asked)
        facts = {"ended": {"by": "DOMINO", "seat": 2}, "leftover": [None, {"pips": 80}, {"tiles": []}, {"pips": 90}]}
        done = server.do(
            "recordHand",
            KEEPER,
            "... on MatchSuccess { match { status score sides { team { teamId } } ratingChanges { shownAfter } } }",
            match=opened["matchId"],
            facts=facts,
        )
        assert done["match"]["status"] == "COMPLETED"
        assert done["match"]["score"] == [170, 0]
        assert [side["team"]["teamId"] for side in done["match"]["sides"]] == ["ana+cira", "bea+dora"]
        assert len(done["match"]["ratingChanges"]) == 6
        assert heard(socket)["boardChanged"]["places"]["totalCount"] == 2
        text = """query ($at: BigInt) @readFrom(afterPosition: $at) { players(first: 2) {
          totalCount nodes { name rating(mode: OVERALL) { shown } } } }"""
        page = server.ask(text, at=done["position"])["players"]
        assert page["totalCount"] == 6
        assert [node["rating"]["shown"] > 1500 for node in page["nodes"]] == [True, False]
