"""Knock-outs and groups over GraphQL: their previews, score cards and stages."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token

KEEPER = token("scorekeeper", sub="kai")
ROUND = """query ($id: ID!, $at: BigInt) @readFrom(afterPosition: $at) { tournament(id: $id) { publishedRound {
    tables { nodes { number matchId group sides { competitorIds } } } } } }"""
PREVIEW = """query ($id: ID!, $at: BigInt) @readFrom(afterPosition: $at) { previewRound(id: $id) {
    tables { nodes { number sides group thirdPlace } } byes { nodes { competitorId thirdPlace } } } }"""
CARD = """query ($id: ID!, $who: ID!) { tournament(id: $id) { scoreCard(competitor: $who) { place { rank reached }
    rounds { nodes { round ties kind thirdPlace rankAfter outcome { won own other }
        table { status bestOf thirdPlace games { number status winner scores } } } } } } }"""
STAGES = """query ($id: ID!, $at: BigInt, $after: String) @readFrom(afterPosition: $at) { tournament(id: $id) {
    rounds(first: 3, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { number stage ties
        tables(first: 1) { totalCount pageInfo { hasNextPage } nodes { number } } } }
    bracket(first: 3) { totalCount pageInfo { hasNextPage } nodes { round ties thirdPlace } }
    standing(first: 2) { totalCount nodes { group groupRank reached } } } }"""


def planned(small: Served, tournament: str, *players: str, **plan: Any) -> None:
    """Plan a knock-out, and enter players."""
    usual = {"name": tournament, "format": "KNOCKOUT", "mode": "ONE_ON_ONE", "ruleset": "cuban-150"}
    assert "position" in small.do("planTournament", KEEPER, tournamentId=tournament, plan={**usual, **plan})
    small.do("enterTournament", KEEPER, tournament=tournament, competitors=[{"players": [one]} for one in players])


def published(small: Served, tournament: str, number: int) -> list[Any]:
    """The tables of a round that is drawn and published."""
    assert "position" in small.do("drawRound", KEEPER, tournament=tournament)
    done = small.do("publishRound", KEEPER, tournament=tournament, round=number)
    return tables(small, tournament, done["position"])


def tables(small: Served, tournament: str, at: str) -> list[Any]:
    """The tables of the last published round."""
    found = small.ask(ROUND, id=tournament, at=at)["tournament"]["publishedRound"]["tables"]["nodes"]
    assert isinstance(found, list)
    return found


def win(small: Served, table: Any, side: int = 0) -> str:
    """Let a side win the match at a table. Returns the position of the result."""
    announced = {"winner": side, "score": [150, 40] if side == 0 else [40, 150]}
    return str(small.do("recordResult", KEEPER, match=table["matchId"], announced=announced)["position"])


def preview(small: Served, tournament: str, at: str | None = None) -> Any:
    return small.ask(PREVIEW, KEEPER, id=tournament, at=at)["previewRound"]


def card(small: Served, tournament: str, who: str) -> Any:
    return small.ask(CARD, id=tournament, who=who)["tournament"]["scoreCard"]


@pytest.mark.heavy
def test_a_knock_out_is_previewed_and_shown_on_score_cards(small: Served) -> None:
    """Games, a double absence, and byes: in the first round, in the final, and for the third place."""
    planned(small, "copa", "ana", "bea", "cira", "dora", "eva", bestOf=[1, 3, 3])
    first = preview(small, "copa")
    assert (len(first["tables"]["nodes"]), len(first["byes"]["nodes"])) == (1, 3)
    [table] = published(small, "copa", 1)
    semi_finals = preview(small, "copa", win(small, table))
    assert [one["thirdPlace"] for one in semi_finals["tables"]["nodes"]] == [False, False]
    unplayed, table = published(small, "copa", 2)
    assert preview(small, "copa") is None, "the semi-finals have no result"
    small.do("recordAbsence", KEEPER, tournament="copa", round=2, table=1, sides=[0, 1])
    winner, third = (side["competitorIds"][0] for side in table["sides"])
    for side in (0, 1, 0):
        _, table = tables(small, "copa", win(small, table, side))
    last = preview(small, "copa")
    byes = {one["competitorId"]: one["thirdPlace"] for one in last["byes"]["nodes"]}
    assert (last["tables"]["nodes"], byes) == ([], {winner: False, third: True})
    assert published(small, "copa", 3) == []

    of_third = card(small, "copa", third)
    assert of_third["place"] == {"rank": 3, "reached": 2}
    first, second, final = of_third["rounds"]["nodes"]
    assert (first["ties"], first["kind"], first["thirdPlace"]) == (4, "BYE", False)
    assert (second["ties"], second["outcome"]) == (2, {"won": False, "own": 1, "other": 2})
    assert [one["scores"] for one in second["table"]["games"]] == [[150, 40], [40, 150], [150, 40]]
    assert (final["ties"], final["kind"], final["thirdPlace"], final["rankAfter"]) == (1, "BYE", True, 3)
    assert card(small, "copa", winner)["rounds"]["nodes"][2]["thirdPlace"] is False
    _, absent, _ = card(small, "copa", unplayed["sides"][0]["competitorIds"][0])["rounds"]["nodes"]
    assert (absent["kind"], absent["table"]["games"][0]["status"]) == ("DOUBLE_ABSENCE", "DOUBLE_ABSENCE")


@pytest.mark.heavy
def test_groups_are_previewed_and_their_stages_paged(small: Served) -> None:
    """A preview names groups and the tie for the third place; rounds have their stage; the final is a walkover."""
    planned(small, "grupos", "ana", "bea", "cira", "dora", "eva", "flor", format="GROUPS", groups=2)
    assert [one["group"] for one in preview(small, "grupos")["tables"]["nodes"]] == [1, 2]
    at = ""
    for number in (1, 2, 3, 4):
        for table in published(small, "grupos", number):
            at = win(small, table)
    assert [one["thirdPlace"] for one in preview(small, "grupos", at)["tables"]["nodes"]] == [False, True]
    found = small.ask(STAGES, id="grupos", at=at)["tournament"]
    assert found["rounds"]["totalCount"] == 4
    assert [(one["stage"], one["ties"]) for one in found["rounds"]["nodes"]] == [("GROUP", None)] * 3
    paged = found["rounds"]["nodes"][0]["tables"]
    assert (paged["totalCount"], paged["pageInfo"]["hasNextPage"]) == (2, True)
    more = small.ask(STAGES, id="grupos", after=found["rounds"]["pageInfo"]["endCursor"])["tournament"]["rounds"]
    assert [(one["number"], one["stage"], one["ties"]) for one in more["nodes"]] == [(4, "KNOCKOUT", 2)]
    assert (found["bracket"]["totalCount"], found["bracket"]["pageInfo"]["hasNextPage"]) == (4, True)
    assert [place["reached"] for place in found["standing"]["nodes"]] == [4, 4]
    final, _ = published(small, "grupos", 5)
    small.follow(small.do("recordAbsence", KEEPER, tournament="grupos", round=5, table=1, sides=[1])["position"])
    last = card(small, "grupos", final["sides"][0]["competitorIds"][0])["rounds"]["nodes"][-1]
    assert (last["kind"], last["outcome"]) == ("WALKOVER", {"won": True, "own": 1, "other": 0})
    assert last["table"]["games"] == [{"number": 1, "status": "WALKOVER", "winner": 0, "scores": None}]
