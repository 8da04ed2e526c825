"""Reviews that a league stores: requested once, gone on with after a kill, begun again after a correction."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from api_server import Served, served, token
from leagues import import_cuban, league_at, own_database

from league.infra.database import connect
from league.review import hand as hands
from league.review import options
from league.review.application import reviewing
from league.review.application.reviewing import review_stored_hand
from league.review.decisions import Decision
from league.review.moves import ReviewedMove, review_move

SEASON = Path(__file__).parents[2] / "examples" / "dominican-2026"
KEEPER = token("scorekeeper")
REVIEW = """query ($id: ID!) { match(id: $id) { hands { number review {
  status decisions moves { turn isMistake sentence kind loss { value low high } options { tile } }
  parts { side result deal luck ownMoves otherMoves } } } } }"""


@pytest.fixture(scope="module")
def club(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A league with two matches of the recorded Dominican season; a hand of the second one lost its turns."""
    folder = tmp_path_factory.mktemp("season")
    (folder / "players.jsonl").write_bytes((SEASON / "players.jsonl").read_bytes())
    one, other = (SEASON / "matches.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    without = json.loads(other)
    without["hands"][1].update(dealt=None, plays=None)
    (folder / "matches.jsonl").write_text(f"{one}\n{json.dumps(without)}\n", encoding="utf-8")
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            league.create("Liga", "America/Santo_Domingo", "test")
            import_cuban(league, folder)
            league.project()
        with served(url) as server:
            yield server


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for what these tests ask."""
    monkeypatch.setattr(options, "FIRST_DEALS", 32)
    monkeypatch.setattr(options, "MOST_DEALS", 32)
    monkeypatch.setattr(hands, "DEALS", 16)


def review_of(club: Served, match: str, hand: int) -> Any:
    """What the API says of the review of a hand."""
    found = club.ask(REVIEW, id=match)["match"]["hands"]
    return next(one["review"] for one in found if one["number"] == hand)


def request(club: Served, match: str, hand: int) -> Any:
    """What a scorekeeper is answered who asks for a review."""
    return club.do("requestReview", KEEPER, match=match, hand=hand)


def test_a_requested_review_is_stored(club: Served) -> None:
    """Nobody sees one before; then it waits, and when a worker has done it, its parts add up."""
    url = club.league.database.url
    assert review_of(club, "d-0001", 1) is None
    first = request(club, "d-0001", 1)
    assert request(club, "d-0001", 1)["position"] == first["position"]
    assert (review_of(club, "d-0001", 1)["status"], review_of(club, "d-0001", 1)["moves"]) == ("WAITING", [])
    review_stored_hand(url, "d-0001", 1)
    review = review_of(club, "d-0001", 1)
    assert (review["status"], len(review["moves"])) == ("DONE", review["decisions"])
    assert all((move["sentence"] is not None) == move["isMistake"] for move in review["moves"])
    assert all(move["loss"]["value"] == 0 for move in review["moves"] if len(move["options"]) == 1)
    for part in review["parts"]:
        assert isclose(part["result"], part["deal"] + part["luck"] + part["ownMoves"] + part["otherMoves"])


@pytest.mark.parametrize(
    ("match", "hand", "code"), [("none", 1, "NOT_FOUND"), ("d-0001", 99, "NOT_FOUND"), ("d-0002", 2, "WRONG_STATE")]
)
def test_what_cannot_be_reviewed_is_refused(club: Served, match: str, hand: int, code: str) -> None:
    """A match or a hand that there is not, and one without turns; nothing is stored."""
    assert request(club, match, hand)["code"] == code
    with connect(club.league.database.url) as conn:
        row = conn.execute("SELECT FROM hand_reviews WHERE match_id = %s AND hand = %s", (match, hand))
        assert row.rowcount == 0


def test_a_review_goes_on_where_its_process_ended(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves that are reviewed are not reviewed again, and the review is the one that would have been made at once."""
    url, reviewed = club.league.database.url, list[int]()
    request(club, "d-0001", 2)

    def dying(decision: Decision, seed: int) -> ReviewedMove:
        if len(reviewed) == 3:
            raise MemoryError
        reviewed.append(decision.turn)
        return review_move(decision, seed)

    monkeypatch.setattr(hands, "review_move", dying)
    with pytest.raises(MemoryError):
        review_stored_hand(url, "d-0001", 2)
    assert (review_of(club, "d-0001", 2)["status"], len(review_of(club, "d-0001", 2)["moves"])) == ("WAITING", 3)
    again = list[int]()

    def counted(decision: Decision, seed: int) -> ReviewedMove:
        again.append(decision.turn)
        return review_move(decision, seed)

    monkeypatch.setattr(hands, "review_move", counted)
    review_stored_hand(url, "d-0001", 2)
    at_end = review_of(club, "d-0001", 2)
    assert at_end["status"] == "DONE"
    assert [move["turn"] - 1 for move in at_end["moves"]] == reviewed + again
    begin_again(url, "d-0001", 2)
    review_stored_hand(url, "d-0001", 2)
    assert review_of(club, "d-0001", 2) == at_end


def begin_again(url: str, match: str, hand: int) -> None:
    """Forget a review, as after a correction."""
    with connect(url, autocommit=True) as conn:
        conn.execute(
            "UPDATE hand_reviews SET status = 'waiting', moves = '[]', parts = NULL, attempts = 0"
            " WHERE match_id = %s AND hand = %s",
            (match, hand),
        )


def test_a_review_that_dies_again_and_again_is_given_up(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """After three processes without a new move."""
    url = club.league.database.url
    request(club, "d-0001", 3)

    def dying(_decision: Decision, _seed: int) -> ReviewedMove:
        raise MemoryError

    monkeypatch.setattr(hands, "review_move", dying)
    for _ in range(reviewing.ATTEMPTS):
        with pytest.raises(MemoryError):
            review_stored_hand(url, "d-0001", 3)
    assert review_of(club, "d-0001", 3)["status"] == "WAITING"
    review_stored_hand(url, "d-0001", 3)
    assert review_of(club, "d-0001", 3)["status"] == "FAILED"


def test_a_corrected_hand_loses_its_review(club: Served) -> None:
    """It has no turns any more; the hands after it, whose score has changed, are reviewed anew."""
    url = club.league.database.url
    for hand in (1, 3):
        request(club, "d-0002", hand)
        review_stored_hand(url, "d-0002", hand)
        assert review_of(club, "d-0002", hand)["status"] == "DONE"
    facts = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, *([{"pips": 7}] * 3)]}
    corrected = club.do("correctHand", KEEPER, match="d-0002", hand=1, facts=facts, reason="miscounted")
    assert "position" in corrected, corrected
    club.follow(corrected["position"])
    assert {review_of(club, "d-0002", hand)["status"] for hand in (1, 3)} == {"WAITING"}
    for hand in (1, 3):
        review_stored_hand(url, "d-0002", hand)
    assert [review_of(club, "d-0002", hand)["status"] for hand in (1, 3)] == ["IMPOSSIBLE", "DONE"]
