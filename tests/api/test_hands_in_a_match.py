"""A hand is scored in its place in a match before it is recorded; players with close names are found."""

from __future__ import annotations

from typing import Any

from api_server import Served, token

KEEPER = token("scorekeeper")
SCORE = """query ($facts: HandFactsInput!, $hand: Int, $photos: [ID!]) { match(id: "scored") {
  scoreHand(facts: $facts, hand: $hand, photos: $photos) {
    __typename ... on ScoredHand { points score } ... on UserError { code field } } } }"""


def won(seat: int, pips: int) -> Any:
    """A hand that a seat ended, with so many pips left to the other one."""
    left = [{"pips": 0}, {"pips": 0}]
    left[1 - seat] = {"pips": pips}
    return {"ended": {"by": "DOMINO", "seat": seat}, "leftover": left}


def scored(small: Served, **given: Any) -> Any:
    """What a hand would score."""
    return small.ask(SCORE, **given)["match"]["scoreHand"]


def test_a_hand_is_scored_after_the_hands_before_it(small: Served) -> None:
    """The next one, or another one in the place of a recorded one; nothing is stored, and anybody may ask."""
    seats = ["ana", "bea"]
    small.do("openMatch", KEEPER, matchId="scored", ruleset="cuban-150", mode="ONE_ON_ONE", seats=seats)
    for number in (1, 2):
        given = {"match": "scored", "facts": won(0, 10 * number)}
        small.do("recordHand", KEEPER, "... on MatchSuccess { match { score } }", **given)
    assert scored(small, facts=won(1, 35)) == {"__typename": "ScoredHand", "points": [0, 35], "score": [30, 35]}
    assert scored(small, facts=won(1, 35), hand=2)["score"] == [10, 35]
    assert scored(small, facts=won(1, 35), hand=4)["code"] == "NOT_FOUND"
    assert scored(small, facts={**won(1, 35), "statedWinner": 7})["field"] == ["facts", "statedWinner"]
    # A viewer who may not see a photo does not learn its count.
    assert scored(small, facts=won(1, 35), photos=["somebodys"]) == {
        "__typename": "NotFoundError", "code": "NOT_FOUND", "field": ["photos", "0"],
    }  # fmt: skip
    assert len(small.ask('{ match(id: "scored") { hands { number } } }')["match"]["hands"]) == 2


def test_players_with_a_close_name_are_found(small: Served) -> None:
    """Somebody who registers a player sees them; a name that is too long is an error."""
    asked = "query ($name: String!) { similarPlayers(name: $name) { playerId } }"
    assert small.ask(asked, name="Anna")["similarPlayers"] == [{"playerId": "ana"}]
    assert small.ask(asked, name="Wilfredo")["similarPlayers"] == []
    assert small.error(asked, name="a" * 101)["extensions"]["code"] == "BAD_REQUEST"
