"""The journal of a rating over HTTP: its pages, its causes, the match and the event behind each entry."""

from __future__ import annotations

from itertools import pairwise

from api_server import Served
from leagues import announced, send

from league.domain.match import VoidMatch

JOURNAL = """
    query ($id: ID!, $at: BigInt, $mode: RatingMode, $first: Int, $after: String) @readFrom(afterPosition: $at) {
        player(id: $id) {
            ratings { mode value }
            journal(mode: $mode, first: $first, after: $after) {
                totalCount pageInfo { endCursor hasNextPage }
                nodes { mode cause before after change text match { matchId } event { position name } }
            }
        }
    }
"""


def test_a_journal_says_why_a_rating_moved_while_its_owner_did_not_play(small: Served) -> None:
    """The latest entry first; each begins where the one before it ended."""
    send(small.league, announced("j1", ("ana", "bea"), 1), announced("j2", ("bea", "cira"), 2))
    pair = announced("j3", ("ana", "bea", "cira", "dora"), 3)
    send(small.league, pair)
    small.ask(
        'query ($at: BigInt) @readFrom(afterPosition: $at) { player(id: "ana") { name } }',
        at=str(small.league.store.head()),
    )
    voided = send(small.league, VoidMatch("j1", "never played"))
    read = small.ask(JOURNAL, id="cira", at=str(voided))["player"]
    ripple, *others = [entry for entry in read["journal"]["nodes"] if entry["mode"] == "ONE_ON_ONE"]
    assert (ripple["cause"], ripple["match"]["matchId"]) == ("RIPPLE", "j1")
    assert ripple["event"] == {"position": str(voided), "name": "match-voided/1"}
    assert ripple["text"] == (
        "Match Ana against Bea, played by others, was voided; ratings that rest on it were recomputed."
    )
    assert ripple["change"] == ripple["after"] - ripple["before"] != 0
    assert [(entry["cause"], entry["text"]) for entry in others] == [("MATCH", "Match Bea against Cira was decided.")]
    assert [later["before"] == earlier["after"] for later, earlier in pairwise([ripple, *others])] == [True]
    assert {"mode": "ONE_ON_ONE", "value": ripple["after"]} in read["ratings"]
    gone = small.ask(JOURNAL, id="ana", mode="ONE_ON_ONE")["player"]["journal"]["nodes"][0]
    assert (gone["cause"], gone["after"], gone["change"]) == ("CORRECTION", None, None)
    assert gone["text"] == "Match Ana against Bea was voided."


def test_a_journal_is_read_page_by_page(small: Served) -> None:
    """Pages follow cursors, for a pair too, and for one mode alone."""
    send(small.league, announced("k1", ("eva", "flor"), 11), announced("k2", ("eva", "flor"), 12))
    position = send(small.league, announced("k3", ("eva", "ana", "flor", "bea"), 13))
    first = small.ask(JOURNAL, id="eva", at=str(position), first=2)["player"]["journal"]
    assert (first["totalCount"], first["pageInfo"]["hasNextPage"]) == (3, True)
    rest = small.ask(JOURNAL, id="eva", first=2, after=first["pageInfo"]["endCursor"])["player"]["journal"]
    matches = [entry["match"]["matchId"] for entry in (*first["nodes"], *rest["nodes"])]
    assert matches == ["k3", "k2", "k1"]
    of_mode = small.ask(JOURNAL, id="eva", mode="TWO_ON_TWO")["player"]["journal"]["nodes"]
    assert [entry["match"]["matchId"] for entry in of_mode] == ["k3"]
    team = small.ask('{ team(id: "eva+flor") { journal { nodes { mode match { matchId } } } } }')["team"]
    assert team["journal"]["nodes"] == [{"mode": "TWO_ON_TWO", "match": {"matchId": "k3"}}]
