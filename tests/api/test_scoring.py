"""Scoring without a match, as a score-keeping app asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from api_server import Served

SCORE = """query ($input: ScoreHandInput!) { scoreHand(input: $input) {
  ... on ScoredHand { winner winningSeat points terms { rule side points }
    notJudged { rule reason field message } leftoverPips isCapicua score }
  ... on UserError { __typename code message field } } }"""
DERIVE = """query ($input: DeriveFactsInput!) { deriveFacts(input: $input) {
  ... on DerivedFacts { starter endedBy seat openingPass corridos drew leftover { seat tiles pips }
    closing { tile fitsBothEnds endsEqual blocksToo } }
  ... on UserError { __typename code message field } } }"""


def score(season: Served, **given: Any) -> Any:
    return season.ask(SCORE, input=given)["scoreHand"]


def domino(*pips: int, seat: int = 0, **ended: Any) -> dict[str, Any]:
    """A hand that a seat went out of, with only the pips of the others known."""
    return {"starter": 0, "ended": {"by": "DOMINO", "seat": seat, **ended}, "leftover": [{"pips": p} for p in pips]}


def test_the_value_of_a_tile_and_of_a_hand(season: Served) -> None:
    """[3|5] = 8, [6|6] = 12, [0|1] = 1, and their sum (Caribbean text, Domino Representation)."""
    asked = "{ a: tileValue(tile: [3, 5]) b: tileValue(tile: [6, 6]) handTotal(tiles: [[3, 5], [6, 6], [0, 1]]) }"
    assert season.ask(asked) == {"a": 8, "b": 12, "handTotal": 21}


@pytest.mark.parametrize(
    ("asked", "argument"),
    [
        ("tileValue(tile: [99, -3])", "tile"),
        ("tileValue(tile: [0, 10])", "tile"),
        ("handTotal(tiles: [[3, 5], [10, 0]])", "tiles"),
        ("handTotal(tiles: [[3, 5], [0, 1], [5, 3]])", "tiles"),
    ],
)
def test_what_is_no_tile_has_no_value(season: Served, asked: str, argument: str) -> None:
    """The largest set is the double-nine, and it has each tile once."""
    assert season.ask("{ tileValue(tile: [9, 9]) }") == {"tileValue": 18}
    extensions = season.error(f"{{ {asked} }}")["extensions"]
    assert (extensions["code"], extensions["argument"]) == ("BAD_REQUEST", argument)


def test_the_winner_of_a_block_scores_all_other_seats(season: Served) -> None:
    """Player A has 12 spots, others have 15, 18, 22: A wins and scores 55 (Caribbean text, Blocked Game)."""
    facts = {"starter": 1, "ended": {"by": "BLOCK"}, "leftover": [{"pips": p} for p in (12, 15, 18, 22)]}
    said = score(season, ruleset="doscientos-200", mode="INDIVIDUALS", facts=facts)
    assert said["winner"] == said["winningSeat"] == 0
    assert said["points"] == [55, 0, 0, 0]
    assert said["terms"] == [{"rule": "LEFTOVER", "side": 0, "points": 55}]


def test_a_hand_is_scored_with_its_bonuses_and_on_top_of_the_score(season: Served) -> None:
    """A double out without a draw in hand 1: leftover, first hand, double, no draw."""
    facts = {**domino(0, 30, tile=[6, 6], fitsBothEnds=False), "passes": {"drew": [1]}}
    said = score(season, ruleset="caribbean-500-bonus", mode="ONE_ON_ONE", facts=facts, score=[10, 20])
    assert [(term["rule"], term["points"]) for term in said["terms"]] == [
        ("LEFTOVER", 30), ("FIRST_HAND", 100), ("DOUBLE_OUT", 50), ("DOMINO_WITHOUT_DRAW", 25),
    ]  # fmt: skip
    assert said["score"] == [215, 20]
    assert said["notJudged"] == []


def test_a_rule_without_its_fact_is_listed(season: Served) -> None:
    """An unknown closing tile: neither the double nor the capicúa can be judged."""
    said = score(season, ruleset="caribbean-500-bonus", mode="ONE_ON_ONE", facts=domino(0, 30), number=2)
    assert [(one["rule"], one["field"]) for one in said["notJudged"]] == [
        ("DOUBLE_OUT", ["facts", "ended", "tile"]),
        ("DOMINO_WITHOUT_DRAW", ["facts", "passes", "drew"]),
        ("CAPICUA", ["facts", "ended", "fitsBothEnds"]),
    ]
    assert said["points"] == [30, 0]


def test_the_reset_rule_sees_the_score_before(season: Served) -> None:
    """The side that is behind wins: 0-0, and the hand scores nothing."""
    facts = domino(5, 0, 5, 5, seat=1, fitsBothEnds=False)
    said = score(season, ruleset="partnership-6", mode="TWO_ON_TWO", facts=facts, number=4, score=[3, 0])
    assert said["terms"] == [{"rule": "RESET", "side": 1, "points": 0}]
    assert said["score"] == [0, 0]


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"ruleset": "truco"}, "NOT_FOUND", ["ruleset"]),
        ({"edition": 9}, "NOT_FOUND", ["edition"]),
        ({"mode": "INDIVIDUALS"}, "INVALID", ["mode"]),
        ({"score": [1, 2, 3]}, "INVALID", ["score"]),
        ({"number": 0}, "INVALID", ["number"]),
        ({"lastWinningSeat": 2}, "INVALID", ["lastWinningSeat"]),
        ({"startingDraw": [[9, 9], [9, 10]]}, "INVALID", ["startingDraw"]),
        ({"facts": domino(0, 30, 5)}, "INVALID", ["facts", "leftover"]),
        ({"facts": domino(3, 30)}, "INVALID", ["facts", "leftover", "0"]),
        ({"facts": {**domino(0, 30), "passes": {"drew": [1]}}}, "INVALID", ["facts", "passes", "drew"]),
        ({"facts": domino(0, 30, tile=[3, 12])}, "INVALID", ["facts", "ended", "tile"]),
    ],
)
def test_what_cannot_be_is_refused_by_name(season: Served, change: Any, code: str, field: list[str]) -> None:
    """As when recording: an unknown ruleset, contradicting facts, a score of other sides."""
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "facts": domino(0, 30), **change}
    said = score(season, **given)
    assert (said["code"], said["field"]) == (code, field)


def test_the_turns_of_a_recorded_hand_give_its_facts(season: Served) -> None:
    """Playing the transcript says what is written beside it in the recorded season."""
    with Path("examples/cuban-2026/matches.jsonl").open() as lines:
        match = json.loads(next(lines))
    hand = match["hands"][0]
    where = {"left": "LEFT", "right": "RIGHT", None: None}
    plays = [{"seat": seat, "tile": tile, "where": where[end]} for seat, tile, end in hand["plays"]]
    transcript = {"dealt": hand["dealt"], "plays": plays}
    given = {"ruleset": match["ruleset"], "mode": "TWO_ON_TWO", "transcript": transcript}
    said = season.ask(DERIVE, input=given)["deriveFacts"]
    assert said["seat"] == hand["ended"]["seat"]
    assert said["closing"]["fitsBothEnds"] == hand["ended"]["fits_both_ends"]
    assert [held["tiles"] for held in said["leftover"]] == hand["leftover"]
    plays[1]["seat"] = 0
    wrong = season.ask(DERIVE, input=given)["deriveFacts"]
    assert (wrong["code"], wrong["field"]) == ("INVALID", ["transcript", "plays", "1", "seat"])


def test_an_error_names_the_rulesets_that_there_are(season: Served) -> None:
    """A message is a whole sentence, and tells a misspelt name from a missing one."""
    text = """{ scoreHand(input: {ruleset: "chiva", mode: ONE_ON_ONE, facts: {ended: {by: BLOCK}, leftover: []}}) {
      ... on UserError { message } } }"""
    said = season.ask(text)["scoreHand"]["message"]
    assert said.startswith("There is no ruleset 'chiva'; there are ")
    assert "cuban-150" in said
    assert said.endswith(".")


def test_a_total_tells_an_impossible_tile_from_one_that_is_named_twice(season: Served) -> None:
    """Turned around it is the same tile."""
    assert "there is no tile [10, 0]" in season.error("{ handTotal(tiles: [[10, 0]]) }")["message"]
    assert "[2, 1] is named twice" in season.error("{ handTotal(tiles: [[1, 2], [2, 1]]) }")["message"]
