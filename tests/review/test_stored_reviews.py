"""Reviews that a league stores: requested once, gone on with after a kill, begun again after a correction."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import msgspec
import pytest
from api_server import Served, heard, served, subscribe, token
from dramatiq import Message
from dramatiq.brokers.stub import StubBroker
from leagues import import_cuban, league_at, own_database

from league.application.work_part import JobSettings
from league.domain.match import EndMatch, ForfeitMatch, OpenMatch, RecordHand, ReopenMatch, VoidMatch
from league.domain.transcript import Transcript
from league.infra.database import connect
from league.review import hand as hands
from league.review import options, rows
from league.review.decisions import PlayDecision
from league.review.hand import ReviewedMove, review_move
from league.review.work import ReviewJobs, begin_outdated_again, review_stored_hand

PLAYERS = ("p101", "p102", "p103", "p104", "p105", "p106")
SEASON = Path(__file__).parents[2] / "examples" / "dominican-2026"
KEEPER = token("scorekeeper")
REVIEW = """query ($id: ID!) { match(id: $id) { hands { number review {
  status moveCount moves { turn isMistake sentence kind loss { value low high } options { tile } }
  parts { side result deal luck ownMoves otherMoves } } } } }"""


@pytest.fixture(scope="module")
def club(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A league with two matches of the recorded Dominican season; a hand of the second one lost its turns.

    Beside them the first one once more, in which a side gave up.
    """
    folder = tmp_path_factory.mktemp("season")
    (folder / "players.jsonl").write_bytes((SEASON / "players.jsonl").read_bytes())
    one, other = (SEASON / "matches.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    without = json.loads(other)
    without["hands"][1].update(dealt=None, plays=None)
    forfeited = {**json.loads(one), "match": "d-forfeited", "forfeited_by": 0}
    lines = [one, json.dumps(without), json.dumps(forfeited)]
    (folder / "matches.jsonl").write_text("\n".join(lines), encoding="utf-8")
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
    found = club.ask(REVIEW, KEEPER, id=match)["match"]["hands"]
    return next(one["review"] for one in found if one["number"] == hand)


@pytest.mark.heavy
def test_who_follows_a_match_hears_how_far_the_review_of_a_hand_is(club: Served) -> None:
    """Subscribers of a match get each reviewed move when it is stored, and the end of the review."""
    request(club, "d-0001", 8)
    followed = (
        "subscription ($id: ID!) { matchChanged(match: $id) { hands { number review { status moves { turn } } } } }"
    )
    seen: list[tuple[str, int]] = []
    with club.socket(KEEPER) as socket:
        subscribe(socket, followed, id="d-0001")
        while not seen or seen[-1][0] != "DONE":
            found = heard(socket)["matchChanged"]["hands"]
            review = next(one["review"] for one in found if one["number"] == 8)
            if not seen:
                threading.Thread(target=review_stored_hand, args=(club.league.database.url, "d-0001", 8)).start()
            seen.append((review["status"], len(review["moves"])))
    assert seen[0] == ("WAITING", 0)
    assert seen == sorted(set(seen), key=lambda step: (step[0] == "DONE", step[1])), "each step once, in order"
    assert len(seen) > 2


@pytest.mark.heavy
def test_a_review_is_for_those_who_sat_in_the_match(club: Served) -> None:
    """Other viewers see only that there is a review, unless all players of the match consent."""
    url = club.league.database.url
    request(club, "d-0001", 4)
    review_stored_hand(url, "d-0001", 4)
    seats = [seat["player"]["playerId"] for seat in seats_of(club, "d-0001")]

    def seen_by(asking: str | None) -> Any:
        found = club.ask(REVIEW, asking, id="d-0001")["match"]["hands"]
        return next(one["review"] for one in found if one["number"] == 4)

    hidden = {"status": "HIDDEN", "moveCount": None, "moves": [], "parts": None}
    other = next(player for player in ("p100", *PLAYERS) if player not in seats)
    assert seen_by(None) == seen_by(token("player", sub=other)) == hidden
    assert seen_by(token("player", sub=seats[3])) == seen_by(token("auditor")) == review_of(club, "d-0001", 4)
    for player in seats:
        assert seen_by(None) == hidden
        consent(club, player, token("admin"), given=True)
    assert seen_by(None)["status"] == "DONE"
    for player in seats:
        consent(club, player, token("admin"), given=False)


@pytest.mark.heavy
def test_a_review_waits_while_its_match_is_open_again(club: Served) -> None:
    """A review of a match that is opened again waits, and is done when the match is over."""
    url, sent = club.league.database.url, club.league.dispatcher.send
    play_one_hand(club, "again")
    request(club, "again", 1)
    club.follow(str(sent(ReopenMatch("again", "a test"), "kim")))
    for _ in range(rows.ATTEMPTS + 1):
        review_stored_hand(url, "again", 1)
    assert review_of(club, "again", 1)["status"] == "WAITING"
    club.follow(str(sent(EndMatch("again"), "kim")))
    review_stored_hand(url, "again", 1)
    assert review_of(club, "again", 1)["status"] == "DONE"


def test_hands_of_an_open_match_are_not_sent(club: Served) -> None:
    """Hands of an open match are not sent to workers, because they would block the queue."""
    url, sent = club.league.database.url, club.league.dispatcher.send
    play_one_hand(club, "reopened")
    request(club, "reopened", 1)
    assert ("reopened", 1) in sent_again(url)
    club.follow(str(sent(ReopenMatch("reopened", "a test"), "kim")))
    assert ("reopened", 1) not in sent_again(url)
    club.follow(str(sent(EndMatch("reopened"), "kim")))
    assert ("reopened", 1) in sent_again(url)


def sent_again(url: str) -> list[tuple[str, int]]:
    """The hands that a search sends to workers."""
    broker = StubBroker()
    ReviewJobs(url, broker, JobSettings(), threading.Event()).send_unfinished_again()
    queue = broker.queues[ReviewJobs.queue]
    return [Message.decode(queue.get_nowait()).args for _ in range(queue.qsize())]  # type: ignore[misc]


def play_one_hand(club: Served, match: str, ruleset: str = "dominican-200") -> None:
    """Record a casual match that ends after a hand of the season."""
    sent = club.league.dispatcher.send
    line = json.loads((SEASON / "matches.jsonl").read_text(encoding="utf-8").splitlines()[0])
    first = {name: line["hands"][0][name] for name in ("dealt", "plays")}
    sent(OpenMatch(match, ruleset, line["mode"], "casual", tuple(line["seats"])), "kim")
    sent(RecordHand(match, transcript=msgspec.convert(first, Transcript)), "kim")
    club.follow(str(sent(EndMatch(match), "kim")))


def test_hands_that_count_no_points_are_no_figures(club: Served) -> None:
    """Hands in rulesets without points do not count in the figures."""
    play_one_hand(club, "row", "chiva-4")
    request(club, "row", 1)
    review_stored_hand(club.league.database.url, "row", 1)
    assert review_of(club, "row", 1)["status"] == "DONE"
    with connect(club.league.database.url) as conn:
        assert conn.execute("SELECT FROM review_losses WHERE match_id = 'row'").rowcount == 0


@pytest.mark.heavy
def test_a_voided_match_shows_no_review(club: Served) -> None:
    """A voided match shows no review, even if one is stored."""
    play_one_hand(club, "voided")
    request(club, "voided", 1)
    review_stored_hand(club.league.database.url, "voided", 1)
    assert review_of(club, "voided", 1)["status"] == "DONE"
    club.follow(str(club.league.dispatcher.send(VoidMatch("voided", "a test"), "kim")))
    assert review_of(club, "voided", 1) == {"status": "IMPOSSIBLE", "moveCount": None, "moves": [], "parts": None}


@pytest.mark.heavy
def test_reviews_of_other_rules_are_begun_again(club: Served) -> None:
    """Reviews begin again if the ruleset of their match has changed, not if other parts of the edition have."""
    url = club.league.database.url
    request(club, "d-0001", 6)
    review_stored_hand(url, "d-0001", 6)
    with connect(url) as conn:
        (known,) = conn.execute("SELECT document FROM editions WHERE edition = 1").fetchone() or ()
        others = {"other-ratings": ("title",), "other-play": ("rulesets", "dominican-200", "target")}
        for hash_, (*path, last) in others.items():
            document = json.loads(known)
            part = document
            for name in path:
                part = part[name]
            part[last] = "?" if last == "title" else 150
            row = (hash_, json.dumps(document).encode())
            conn.execute("INSERT INTO editions (hash, title, document) VALUES (%s, 'other', %s)", row)
    for hash_, status in (("other-ratings", "DONE"), ("other-play", "WAITING")):
        with connect(url) as conn:
            conn.execute("UPDATE hand_reviews SET edition = %s WHERE match_id = 'd-0001' AND hand = 6", (hash_,))
            begin_outdated_again(conn)
        assert review_of(club, "d-0001", 6)["status"] == status
    with connect(url) as conn:
        left = conn.execute("SELECT FROM review_losses WHERE match_id = 'd-0001' AND hand = 6")
        assert left.rowcount == 0
    review_stored_hand(url, "d-0001", 6)
    assert review_of(club, "d-0001", 6)["status"] == "DONE"


@pytest.mark.heavy
@pytest.mark.parametrize("judge", [None, hands.JUDGE - 1])
def test_reviews_of_an_older_judge_are_begun_again(club: Served, judge: int | None) -> None:
    """Reviews by an older version of the judging code begin again, without their losses; others stay."""
    url = club.league.database.url
    for hand in (5, 7):
        request(club, "d-0001", hand)
        review_stored_hand(url, "d-0001", hand)
    with connect(url) as conn:
        conn.execute("UPDATE hand_reviews SET judge = %s WHERE match_id = 'd-0001' AND hand = 7", (judge,))
        begin_outdated_again(conn)
    with connect(url) as conn:
        left = conn.execute("SELECT DISTINCT hand FROM review_losses WHERE match_id = 'd-0001' AND hand IN (5, 7)")
        assert left.fetchall() == [(5,)]
    assert [review_of(club, "d-0001", hand)["status"] for hand in (5, 7)] == ["DONE", "WAITING"]
    review_stored_hand(url, "d-0001", 7)
    assert review_of(club, "d-0001", 7)["status"] == "DONE"


def request(club: Served, match: str, hand: int | None) -> Any:
    """What a scorekeeper is answered who asks for a review."""
    return club.do("requestReview", KEEPER, match=match, hand=hand)


@pytest.mark.heavy
def test_a_requested_review_is_stored(club: Served) -> None:
    """A requested review waits; when a worker has done it, its parts add up."""
    url = club.league.database.url
    assert review_of(club, "d-0001", 1) is None
    first = request(club, "d-0001", 1)
    assert request(club, "d-0001", 1)["position"] == first["position"]
    assert (review_of(club, "d-0001", 1)["status"], review_of(club, "d-0001", 1)["moves"]) == ("WAITING", [])
    review_stored_hand(url, "d-0001", 1)
    review = review_of(club, "d-0001", 1)
    assert (review["status"], len(review["moves"])) == ("DONE", review["moveCount"])
    assert all((move["sentence"] is not None) == move["isMistake"] for move in review["moves"])
    assert all(move["loss"]["value"] == 0 for move in review["moves"] if len(move["options"]) == 1)
    for part in review["parts"]:
        assert isclose(part["result"], part["deal"] + part["luck"] + part["ownMoves"] + part["otherMoves"])


@pytest.mark.parametrize(
    ("match", "hand", "code"),
    [("none", 1, "NOT_FOUND"), ("d-0001", 99, "NOT_FOUND"), ("d-0001", 0, "NOT_FOUND"), ("d-0002", 2, "NO_TURNS")],
)
def test_what_cannot_be_reviewed_is_refused(club: Served, match: str, hand: int, code: str) -> None:
    """Unknown matches, unknown hands and hands without turns are refused, and nothing is stored."""
    refused = request(club, match, hand)
    assert refused["code"] == code
    if match == "d-0001":
        assert refused["message"] == f"There is no hand {hand}."
    with connect(club.league.database.url) as conn:
        row = conn.execute("SELECT FROM hand_reviews WHERE match_id = %s AND hand = %s", (match, hand))
        assert row.rowcount == 0


def test_a_match_without_hands_is_refused(club: Served) -> None:
    """A match without hands is refused, for all hands and for one."""
    sent = club.league.dispatcher.send
    sent(OpenMatch("empty", "dominican-200", "2v2", "casual", ("p152", "p160", "p146", "p159")), "kim")
    sent(ForfeitMatch("empty", 0), "kim")
    for hand in (None, 1):
        refused = request(club, "empty", hand)
        assert (refused["code"], refused["field"]) == ("NO_HANDS", None)
        assert refused["message"] == "Match 'empty' is without hands: there is nothing to review."


@pytest.mark.heavy
def test_a_review_goes_on_where_its_process_ended(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A continued review does not repeat moves, and equals a review made at once."""
    url, reviewed = club.league.database.url, list[int]()
    request(club, "d-0001", 2)

    def dying(decision: PlayDecision, seed: int) -> ReviewedMove:
        if len(reviewed) == 3:
            raise MemoryError
        reviewed.append(decision.turn)
        return review_move(decision, seed)

    monkeypatch.setattr(hands, "review_move", dying)
    with pytest.raises(MemoryError):
        review_stored_hand(url, "d-0001", 2)
    assert (review_of(club, "d-0001", 2)["status"], len(review_of(club, "d-0001", 2)["moves"])) == ("WAITING", 3)
    again = list[int]()

    def counted(decision: PlayDecision, seed: int) -> ReviewedMove:
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
        conn.execute("DELETE FROM review_losses WHERE match_id = %s AND hand = %s", (match, hand))


def test_a_review_that_dies_again_and_again_is_given_up(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A review fails after three processes without a new move."""
    url = club.league.database.url
    request(club, "d-0001", 3)

    def dying(_decision: PlayDecision, _seed: int) -> ReviewedMove:
        raise MemoryError

    monkeypatch.setattr(hands, "review_move", dying)
    for _ in range(rows.ATTEMPTS):
        with pytest.raises(MemoryError):
            review_stored_hand(url, "d-0001", 3)
    assert review_of(club, "d-0001", 3)["status"] == "WAITING"
    review_stored_hand(url, "d-0001", 3)
    assert review_of(club, "d-0001", 3)["status"] == "FAILED"


@pytest.mark.heavy
def test_a_corrected_hand_loses_its_review(club: Served) -> None:
    """A corrected hand has no turns any more; later hands, whose score has changed, are reviewed again."""
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


def test_all_hands_of_a_match_are_requested_at_once(club: Served) -> None:
    """A request for all hands requests each hand that can be reviewed, once."""
    asked = club.do("requestReview", KEEPER, match="d-0002")
    assert club.do("requestReview", KEEPER, match="d-0002")["position"] == asked["position"]
    found = club.ask(REVIEW, KEEPER, id="d-0002")["match"]["hands"]
    assert [one["number"] for one in found if one["review"] is None] == [2], "it has no turns"


FIGURES = """fragment F on ReviewedPlayFigures { consents isVisible total { hands decisions mistakes lost { value } }
  byKind { kind decisions mistakes lost { value } } byMonth { month hands decisions } }
query ($player: ID!, $team: ID!) {
  player(id: $player) { reviewedPlay { ...F } } team(id: $team) { reviewedPlay { ...F } } }"""


def figures_of(club: Served, player: str, team: str, asking: str | None = None) -> tuple[Any, Any]:
    """What somebody sees of the play of a player and a pair."""
    seen = club.ask(FIGURES, asking, player=player, team=team)
    return seen["player"]["reviewedPlay"], seen["team"]["reviewedPlay"]


def test_nothing_of_a_forfeited_match_is_in_the_figures(club: Served) -> None:
    """Hands of a forfeited match can be reviewed, but do not count in the figures."""
    _, partner, _, player = (seat["player"]["playerId"] for seat in seats_of(club, "d-forfeited"))
    asked = (player, "+".join(sorted((player, partner))), token("player", sub=player))
    before, _ = figures_of(club, *asked)
    with connect(club.league.database.url) as conn:
        losses = "match_id, hand, seat, kind, player_id, partner_id, decisions, mistakes, lost"
        conn.execute(
            f"INSERT INTO review_losses ({losses}) VALUES ('d-forfeited', 1, 3, 'suit', %s, NULL, 5, 1, 9)",  # noqa: S608
            (player,),
        )
    assert figures_of(club, *asked)[0] == before


@pytest.mark.heavy
def test_figures_are_for_the_player_until_they_consent(club: Served) -> None:
    """Others see figures only with consent, those of a pair with both consents; an erasure withdraws it."""
    url = club.league.database.url
    request(club, "d-0001", 1)
    review_stored_hand(url, "d-0001", 1)
    one, _, partner, _ = (seat["player"]["playerId"] for seat in seats_of(club, "d-0001"))
    team = "+".join(sorted((one, partner)))
    assert figures_of(club, one, team) == (HIDDEN, HIDDEN)
    own, of_pair = figures_of(club, one, team, token("player", sub=one))
    assert (own["consents"], own["isVisible"], of_pair["isVisible"]) == (False, True, True)
    moves = moves_of(club, one)
    assert own["total"]["decisions"] == len(moves) == sum(kind["decisions"] for kind in own["byKind"])
    lost = sum(move["loss"]["value"] for move in moves)
    assert isclose(own["total"]["lost"]["value"] * len(moves), lost, abs_tol=1e-9)
    assert own["total"]["hands"] == sum(month["hands"] for month in own["byMonth"])
    assert "position" in consent(club, one, token("player", sub=one), given=True)
    assert consent(club, one, token("player", sub=partner), given=False)["code"] == "FORBIDDEN"
    seen, of_pair = figures_of(club, one, team)
    assert (seen["total"], of_pair) == (own["total"], HIDDEN)
    assert "position" in consent(club, partner, token("admin"), given=True)
    assert figures_of(club, one, team)[1]["total"]["decisions"] > own["total"]["decisions"]
    erased = club.do("erasePlayer", token("admin"), player=partner)
    club.follow(erased["position"])
    assert figures_of(club, one, team)[1] == HIDDEN
    assert consent(club, partner, token("admin"), given=True)["code"] == "PLAYER_ERASED"
    again = consent(club, one, token("player", sub=one), given=False)
    assert consent(club, one, token("player", sub=one), given=False)["position"] == again["position"]
    assert figures_of(club, one, team) == (HIDDEN, HIDDEN)


HIDDEN: Any = {"consents": False, "isVisible": False, "total": None, "byKind": [], "byMonth": []}


def consent(club: Served, player: str, asking: str, *, given: bool) -> Any:
    """The answer to somebody who gives or withdraws the consent of a player."""
    return club.do("setReviewConsent", asking, player=player, consents=given)


def seats_of(club: Served, match: str) -> Any:
    """The seats of a match."""
    return club.ask("query ($id: ID!) { match(id: $id) { seats { player { playerId } } } }", id=match)["match"]["seats"]


def moves_of(club: Served, player: str) -> list[Any]:
    """The reviewed decisions of a player, in all matches."""
    query = """{ matches(first: 9) { nodes { ruleset { name } seats { number player { playerId } } hands {
      review { status moves { seat options { tile } loss { value } } } } } } }"""
    return [
        move
        for match in club.ask(query, KEEPER)["matches"]["nodes"]
        if match["ruleset"]["name"] == "dominican-200"
        for seat in match["seats"]
        for hand in match["hands"]
        if seat["player"]["playerId"] == player and hand["review"] and hand["review"]["status"] == "DONE"
        for move in hand["review"]["moves"]
        if move["seat"] == seat["number"] and len(move["options"]) > 1
    ]
