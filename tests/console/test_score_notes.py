"""Announced scores that may be a slip of the pen, over the API and in the form of a result."""

from __future__ import annotations

from typing import Any

from api_server import Served, token
from desk import cookie_of
from leagues import opened, send

KEEPER = token("scorekeeper", sub="kim")
LOOK = """query ($score: [Int!]!, $winner: Int!, $at: BigInt!) @readFrom(afterPosition: $at) {
    match(id: "doubtful") {
        scoreNotes(announced: {winner: $winner, score: $score}) { doubt score target most message }
    }
}"""


def test_a_doubtful_score_is_noted_before_and_after_it_is_recorded(small_site: Served) -> None:
    """A doubtful score is stored all the same. A plausible score has no note."""
    at = send(small_site.league, opened("doubtful", ("ana", "bea"), 1))

    def looked(*score: int, winner: int = 0) -> list[dict[str, Any]]:
        return small_site.ask(LOOK, score=list(score), winner=winner, at=str(at))["match"]["scoreNotes"]

    assert looked(155, 60) == []
    assert looked(155) == []
    assert looked(155, 60, winner=7) == []
    [note] = looked(149, 95)
    assert note.pop("message") == "the winner has 149 of 150 points: was play stopped early?"
    assert note == {"doubt": "BELOW_TARGET", "score": 149, "target": 150, "most": None}
    [note] = looked(1500, 95)
    assert (note["doubt"], note["score"], note["most"]) == ("ABOVE_ONE_HAND", 1500, 301)
    done = small_site.do(
        "recordResult", KEEPER, "... on MatchSuccess { notes { doubt score } }",
        match="doubtful", announced={"winner": 0, "score": [160, 155]},
    )  # fmt: skip
    assert done["notes"] == [{"doubt": "LOSER_AT_TARGET", "score": 155}]


def test_a_forfeit_has_no_notes(small_site: Served) -> None:
    """A forfeited match, and a match that was only opened, have no notes."""
    send(small_site.league, opened("given-up", ("ana", "bea"), 2))
    done = small_site.do("forfeitMatch", KEEPER, "... on MatchSuccess { notes { doubt } }", match="given-up", side=0)
    assert done["notes"] == []


def test_the_form_of_a_result_shows_the_notes(small_site: Served) -> None:
    """The notes appear beside what was typed, before it is stored."""
    at = send(small_site.league, opened("typed", ("ana", "bea"), 3))
    small_site.follow(str(at))
    cookie = {
        "Cookie": f"league={cookie_of(small_site, 'kim', 'scorekeeper')}",
        "Origin": str(small_site.http.base_url),
    }
    typed = {"announced.score.0": "149", "announced.score.1": "20", "look": "yes"}
    shown = small_site.http.post("/matches/typed/result", data=typed, headers=cookie)
    assert "was play stopped early?" in shown.text
    assert 'value="149"' in shown.text
    part = small_site.http.post(
        "/matches/typed/result", data=typed | {"announced.score.0": "150"}, headers=cookie | {"HX-Request": "true"}
    )
    assert (part.status_code, part.text.strip()) == (200, "")
