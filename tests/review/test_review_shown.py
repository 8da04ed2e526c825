"""The review of a hand, as its page shows it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

import pytest
from shown_pages import REVIEW, page_of, text_of, url

from league.api.auth.reach import Role
from league.review.console import HEIGHT, LINE, WIDTH, curve_of
from league.review.console import REVIEW as REVIEW_PAGE

WORTH = {"value": 4.0, "low": 2.0, "high": 6.0}


def play(*tile: int, end: str | None = "LEFT", value: float = 4.0) -> dict[str, Any]:
    """A play and its worth."""
    return {"tile": list(tile), "end": end, "worth": {**WORTH, "value": value}}


def move(turn: int = 5, **more: Any) -> dict[str, Any]:
    """A mistake of the first seat."""
    played, best = play(2, 6, value=-1.0), play(1, 5)
    return {
        "turn": turn, "seat": 0, "side": 0, "kind": "SUIT", "isMistake": True, "sentence": "playing 6-2 cost 5 points",
        "deals": 512, "madeBy": None, "played": played, "best": best,
        "options": [best, played, play(3, 3, end="RIGHT")],
        "loss": {"value": 5.0, "low": 3.0, "high": 7.0}, "openLoss": 2.0, "chances": None, **more,
    }  # fmt: skip


def sound(turn: int = 1, **more: Any) -> dict[str, Any]:
    """A move that is no mistake."""
    return move(turn, isMistake=False, sentence=None, loss={"value": 0.0, "low": 0.0, "high": 0.0}, **more)


def part(side: int, result: float = 20.0) -> dict[str, Any]:
    """What made the result for a side."""
    return {"side": side, "result": result, "deal": 1.0, "luck": 2.0, "ownMoves": -3.0, "otherMoves": 4.0}


PARTS = [part(0), part(1, -20.0)]


def shown(
    *roles: Role, sub: str | None = None, status: str = "CONFIRMED", scoring: str = "points", has: bool = True,
    review: dict[str, Any] | None = None,
) -> str:  # fmt: skip
    """The page of a hand; `has`: whether its turns are known."""
    players = [
        {"playerId": f"p{seat}", "formerIds": [f"old{seat}"], "displayName": f"Name {seat}"} for seat in range(4)
    ]
    match = {
        "matchId": "m1", "status": status, "mode": "TWO_ON_TWO", "hands": [{"number": 1, "hasTranscript": has}],
        "ruleset": {"title": "Rules", "rules": {"scoring": scoring}},
        "sides": [{"number": side, "players": players[side::2]} for side in range(2)],
        "seats": [{"number": seat, "side": seat % 2, "player": players[seat]} for seat in range(4)],
    }  # fmt: skip
    hand = {"number": 1, "hasTranscript": has, "review": review}
    curve = curve_of(review["moves"], review["parts"]) if review else None
    return page_of(REVIEW, *roles, sub=sub, match=match, hand=hand, curve=curve)


def review(*moves: dict[str, Any], status: str = "DONE", parts: Any = PARTS) -> dict[str, Any]:
    """A review."""
    return {"status": status, "moveCount": 9 if moves else None, "moves": list(moves), "parts": parts}


@pytest.mark.parametrize(
    ("roles", "sub", "may"),
    [
        ((), None, False),
        (("player",), "p9", False),
        (("player",), "p2", True),
        (("player",), "old2", True),
        (("scorekeeper",), "kim", True),
        (("admin",), "kim", True),
        (("auditor",), "kim", False),
    ],
)
def test_only_those_may_ask_see_the_button(roles: tuple[Role, ...], sub: str | None, may: bool) -> None:
    """Players of the match (by any id), scorekeepers and admins see the button; others read who may ask."""
    page = text_of(shown(*roles, sub=sub))
    assert ("Review this hand" in page) == may
    assert ("Its players and the scorekeepers can ask for one" in page) != may


def test_a_voided_match_is_no_corrected_hand() -> None:
    """A voided match, a corrected hand and an open match each have their own sentence."""
    impossible = review(status="IMPOSSIBLE", parts=None)
    assert "The match was voided" in text_of(shown("admin", status="VOIDED", review=impossible))
    assert "The match was voided" in text_of(shown("admin", status="VOIDED"))
    corrected = text_of(shown("admin", has=False, review=impossible))
    assert "The hand was corrected" in corrected
    assert "voided" not in corrected
    assert "when it is over" in text_of(shown("admin", status="OPEN"))


def test_nothing_is_said_of_mistakes_before_a_review_is_done() -> None:
    """Before a review is done, the page does not say that there are no mistakes."""
    waiting = text_of(shown(review=review(sound(), status="WAITING", parts=None)))
    assert "1 of 9 moves" in waiting
    assert "mistake" not in waiting
    assert "No move was surely a mistake" in text_of(shown(review=review(sound())))
    assert "Playing 6-2 cost 5 points." in text_of(shown(review=review(move(), status="WAITING", parts=None)))


def test_moves_that_a_player_did_not_choose_are_listed_in_one_line() -> None:
    """Moves of AIs and of the clock are listed in one line."""
    moves = [sound(1, madeBy="AI"), sound(5, madeBy="AI"), sound(9, madeBy="CLOCK"), sound(11, madeBy="PLAYER")]
    said = "Turns 1, 5 were played by an AI. Turn 9 was played by the clock. Such moves do not count as the player's."
    assert said in text_of(shown(review=review(*moves)))
    assert "do not count" not in text_of(shown(review=review(sound())))


def test_a_review_begins_with_the_hand_and_ends_with_the_moves() -> None:
    """The page shows the curve first, then what made the result, then the moves."""
    page = shown(review=review(sound(), move()))
    headings = re.findall(r"<h2>([^<]*)</h2>", page)
    assert headings == ["The curve of the hand", "What made the result", "The moves that mattered"]
    assert "need not mirror each other" in text_of(page)


def test_a_mistake_leads_to_its_turn_and_marks_its_plays() -> None:
    """A mistake links to its turn, and a warning stands beside the open loss."""
    page = shown(review=review(sound(), move()))
    assert '<a href="turns/m1/1#turn-5">' in page
    said = text_of(page)
    assert "would have cost 2.0. No seat could know that deal." in said
    assert "a number that the next player lacks" not in said
    rows = re.findall(r"<tr><td>.*?</tr>", page[page.index("All plays") :], re.DOTALL)
    assert [text_of(row) for row in rows] == [
        "on the left was better +4.0", "on the left was played -1.0", "on the right +4.0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scoring", "loss", "said"),
    [
        (
            "points",
            {"value": 5.0, "low": 3.0, "high": 7.0},
            "It cost 3.0 to 7.0 points in 512 deals, drawn by how likely the",
        ),
        ("points", {"value": 1.2, "low": 0.04, "high": 2.4}, "It cost 0.04 to 2.4 points"),
        (
            "points",
            {"value": 2.0, "low": 2.0, "high": 2.0},
            "It cost 2.0 points over all 512 possible deals, each counted by",
        ),
        ("row", {"value": 0.3, "low": 0.2, "high": 0.4}, "It cost 10 to 20 of 100 hands"),
        ("hands", {"value": 0.3, "low": 0.3, "high": 0.3}, "It cost 15 of 100 hands over all 512 possible deals, each"),
    ],
)
def test_a_cost_is_written_so_that_something_is_left(scoring: str, loss: dict[str, float], said: str) -> None:
    """No interval begins at 0.0, and in rulesets without points costs are in hands of 100."""
    page = text_of(shown(scoring=scoring, review=review(sound(), move(loss=loss))))
    assert said in page
    assert "by how likely the earlier plays make" in page
    assert "A move is called a mistake only if it is one with equal odds of all deals, too." in page


def test_a_curve_ends_at_the_result_and_names_its_mistakes() -> None:
    """The curve ends at the result, with the numbers of its mistakes and its highest and lowest value."""
    moves = [sound(1, played=play(1, 1, value=3.0)), move(4, side=1, played=play(1, 2, value=8.0))]
    curve = curve_of(moves, PARTS)
    assert curve is not None
    assert [(dot.turn, dot.value) for dot in curve.dots] == [(1, 3.0), (4, -8.0), (None, 20.0)]
    assert [value for _, value in curve.labels] == [20.0, -8.0]
    page = shown(review=review(*moves))
    assert re.findall(r"<text[^>]*>([^<]*)</text>", page) == ["+20.0", "-8.0", "4"]
    assert "The square at the end is the result of the hand." in text_of(page)
    unfinished = curve_of(moves, None)
    assert unfinished is not None
    assert [dot.turn for dot in unfinished.dots] == [1, 4]


def test_everything_of_a_curve_lies_within_its_picture() -> None:
    """The whole curve lies within its picture, and both labels can be read even if all values are equal."""
    for values in ([0.0, 0.0], [25.0, -25.0], [-0.5, -0.6]):
        curve = curve_of([move(at, played=play(1, 1, value=value)) for at, value in enumerate(values)], None)
        assert curve is not None
        assert all(0 <= dot.x <= WIDTH and 0 <= dot.label_y <= HEIGHT for dot in curve.dots)
        (high, _), (low, _) = curve.labels
        assert LINE <= low - high <= HEIGHT


def test_a_request_leads_back_to_the_same_page() -> None:
    """A request leads back to the same page, also a request for all hands of the match."""
    assert REVIEW_PAGE.then.address is not None
    address = "/matches/m1/hands/3/review"
    answer = {"hand": None, "match": {"matchId": "m1"}}
    assert urljoin(address, REVIEW_PAGE.then.address(answer, url)) == address
