"""What a mutation did not judge is said in its answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from api_server import Served, token

KEEPER = token("scorekeeper")
FIELDS = "... on MatchSuccess { notJudged { rule reason hand field message } match { score } }"


def test_a_block_without_its_locker_is_not_silent(small: Served) -> None:
    """The answer names the rule and the field; the corrected hand is judged."""
    seats = ["ana", "bea", "cira", "dora"]
    small.do("openMatch", KEEPER, matchId="block", ruleset="dominican-200", mode="TWO_ON_TWO", seats=seats)
    facts: dict[str, Any] = {
        "starter": 0, "ended": {"by": "BLOCK"}, "leftover": [{"pips": pips} for pips in (20, 10, 20, 15)],
        "passes": {"openingPass": False, "corridos": []},
    }  # fmt: skip
    said = small.do("recordHand", KEEPER, FIELDS, match="block", facts=facts)
    assert said["match"]["score"] == [0, 0]
    assert [(one["rule"], one["reason"], one["hand"], one["field"]) for one in said["notJudged"]] == [
        ("WINNER", "UNKNOWN", 1, ["facts", "ended", "locker"]),
        ("LEFTOVER", "UNKNOWN", 1, ["facts", "ended", "locker"]),
    ]
    assert "which seat locked the hand" in said["notJudged"][0]["message"]
    second = {**facts, "ended": {"by": "BLOCK", "locker": 0}}
    said = small.do("recordHand", KEEPER, FIELDS, match="block", facts=second)
    assert (said["notJudged"], said["match"]["score"]) == ([], [0, 40])
    corrected = small.do(
        "correctHand", KEEPER, FIELDS, match="block", hand=1, facts=second, reason="the locker is known"
    )
    assert (corrected["notJudged"], corrected["match"]["score"]) == ([], [0, 80])


def test_the_same_request_again_gives_the_same_notes(small: Served) -> None:
    """The notes are those of the hand that it recorded, not of later ones, also after earlier hands were corrected."""
    small.do("openMatch", KEEPER, matchId="again", ruleset="cuban-150", mode="ONE_ON_ONE", seats=["eva", "flor"])
    facts = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 20}]}
    first = small.do("recordHand", KEEPER, FIELDS, match="again", facts=facts, idempotencyKey="one")
    assert [(one["rule"], one["field"]) for one in first["notJudged"]] == [
        ("CAPICUA", ["facts", "ended", "fitsBothEnds"]),
    ]  # fmt: skip
    known = {**facts, "ended": {"by": "DOMINO", "seat": 0, "fitsBothEnds": False}}
    assert small.do("recordHand", KEEPER, FIELDS, match="again", facts=known)["notJudged"] == []
    again = small.do("recordHand", KEEPER, FIELDS, match="again", facts=facts, idempotencyKey="one")
    assert (again["position"], again["notJudged"]) == (first["position"], first["notJudged"])
    small.do("correctHand", KEEPER, match="again", hand=2, facts=known, reason="a test")
    third = small.do("recordHand", KEEPER, FIELDS, match="again", facts=facts, idempotencyKey="three")
    # With its fields: those are read when the correction is folded.
    small.do("correctHand", KEEPER, FIELDS, match="again", hand=1, facts=known, reason="a test")
    again = small.do("recordHand", KEEPER, FIELDS, match="again", facts=facts, idempotencyKey="three")
    assert (again["position"], again["notJudged"]) == (third["position"], third["notJudged"])
    assert [one["hand"] for one in again["notJudged"]] == [3]


def test_notes_on_a_hand_turn_by_turn_name_no_field(small: Served) -> None:
    """An opening pass that the ruleset does not play follows from the turns; the input has no field for it."""
    with Path("examples/cuban-2026/matches.jsonl").open() as lines:
        hands = [hand for line in lines for hand in json.loads(line)["hands"] if "plays" in hand]
    passed = [True, False, True]
    hand = next(hand for hand in hands if [tile is not None for _, tile, _ in hand["plays"][:3]] == passed)
    where = {"left": "LEFT", "right": "RIGHT", None: None}
    plays = [{"seat": seat, "tile": tile, "where": where[end]} for seat, tile, end in hand["plays"]]
    seats = ["ana", "bea", "cira", "dora"]
    small.do("openMatch", KEEPER, matchId="turns", ruleset="cuban-150", mode="TWO_ON_TWO", seats=seats)
    turns = {"dealt": hand["dealt"], "plays": plays}
    said = small.do("recordHand", KEEPER, FIELDS, match="turns", transcript=turns)
    assert ("OPENING_PASS", "NOT_PLAYED", None) in [
        (one["rule"], one["reason"], one["field"]) for one in said["notJudged"]
    ]


def test_a_result_without_hands_and_other_announcements_are_said(small: Served) -> None:
    """Rules that need hands; an announced winner whom the hands deny."""
    small.do("openMatch", KEEPER, matchId="result", ruleset="cuban-150", mode="ONE_ON_ONE", seats=["eva", "flor"])
    said = small.do("recordResult", KEEPER, FIELDS, match="result", announced={"winner": 0})
    notes = {(one["rule"], one["field"] and tuple(one["field"])) for one in said["notJudged"]}
    assert {("DIFFERENTIAL", ("announced", "score")), ("CAPICUA", None)} <= notes
    small.do("openMatch", KEEPER, matchId="short", ruleset="cuban-150", mode="ONE_ON_ONE", seats=["ana", "flor"])
    facts = {"ended": {"by": "DOMINO", "seat": 0, "fitsBothEnds": False}, "leftover": [{"tiles": []}, {"pips": 20}]}
    small.do("recordHand", KEEPER, match="short", facts=facts)
    said = small.do("endMatch", KEEPER, FIELDS, match="short", announced={"winner": 1})
    assert [(one["rule"], one["reason"], one["field"]) for one in said["notJudged"]] == [
        ("ANNOUNCED", "FACTS_HOLD", ["announced", "winner"]),
    ]  # fmt: skip


def test_the_end_of_a_match_asks_who_locked_its_last_hand(small: Served) -> None:
    """A block that nobody is known to have locked may have been the critical one."""
    small.do("openMatch", KEEPER, matchId="locked", ruleset="cuban-150", mode="ONE_ON_ONE", seats=["eva", "dora"])
    facts = {"ended": {"by": "BLOCK"}, "leftover": [{"pips": 10}, {"pips": 20}]}
    assert small.do("recordHand", KEEPER, FIELDS, match="locked", facts=facts)["notJudged"] == []
    [note] = small.do("endMatch", KEEPER, FIELDS, match="locked")["notJudged"]
    assert (note["rule"], note["hand"], note["field"]) == ("CRITICAL_BLOCK", 1, None)


def test_a_hand_of_which_only_the_sides_are_known(small: Served) -> None:
    """The losers' pips are enough; what is not, and what the facts deny, is said in the answer and in the preview."""
    seats = ["ana", "bea", "cira", "dora"]
    small.do("openMatch", KEEPER, matchId="sides", ruleset="cuban-150", mode="TWO_ON_TWO", seats=seats)
    facts: dict[str, Any] = {
        "ended": {"by": "DOMINO"}, "leftover": [None] * 4, "sideLeftover": [None, 35], "statedWinner": 0,
        "statedCapicua": True, "passes": {"openingPass": False, "corridosBySide": [1, 2]},
    }  # fmt: skip
    said = small.do("recordHand", KEEPER, FIELDS, match="sides", facts=facts)
    assert said["match"]["score"] == [35, 0]
    assert [(one["rule"], one["reason"], one["field"]) for one in said["notJudged"]] == [
        ("CAPICUA_BLOCKS", "UNKNOWN", ["facts", "ended", "blocksToo"]),
        ("PASE_CORRIDO", "NOT_PLAYED", ["facts", "passes", "corridosBySide"]),
    ]
    known = {**facts, "ended": {"by": "DOMINO", "seat": 1, "fitsBothEnds": False}, "sideLeftover": [20, None]}
    said = small.do("recordHand", KEEPER, FIELDS, match="sides", facts=known)
    assert said["match"]["score"] == [35, 20]
    assert [(one["rule"], one["reason"], one["field"]) for one in said["notJudged"]][:2] == [
        ("WINNER", "FACTS_HOLD", ["facts", "statedWinner"]), ("CAPICUA", "FACTS_HOLD", ["facts", "statedCapicua"]),
    ]  # fmt: skip
    lacking = {"ended": {"by": "BLOCK"}, "leftover": [None] * 4, "sideLeftover": [20, None]}
    scored = '{ scoreHand(input: {ruleset: "cuban-150", mode: TWO_ON_TWO, facts: {ended: {by: BLOCK}, leftover: '
    scored += (
        "[null, null, null, null], sideLeftover: [20, 30]}}) { ... on ScoredHand { winner winningSeat winnerBy } } }"
    )
    assert small.ask(scored)["scoreHand"] == {"winner": 0, "winningSeat": None, "winnerBy": "FACTS"}
    said = small.do("recordHand", KEEPER, FIELDS, match="sides", facts=lacking)
    assert said["notJudged"][0]["field"] == ["facts", "sideLeftover", "1"]
    assert said["notJudged"][0]["message"] == (
        "Not judged: who won the hand. For that, record how many pips the second side still held, or the side that the "
        "score sheet names."
    )
    hands = "hands { winner winningSeat winnerBy sideLeftover statedWinner statedCapicua corridosBySide }"
    [first, *_] = small.ask(f'{{ match(id: "sides") {{ {hands} }} }}')["match"]["hands"]
    assert first == {
        "winner": 0, "winningSeat": None, "winnerBy": "STATED", "sideLeftover": [None, 35], "statedWinner": 0,
        "statedCapicua": True, "corridosBySide": [1, 2],
    }  # fmt: skip
