"""Notices over HTTP: what everybody reads, what a player is told, who did it, and answers that end with them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from api_server import Served, token
from leagues import announced, revised, send
from waiting import wait_until

from league.application.following import remove_ended_notices
from league.domain.match import VoidMatch
from league.domain.player import MergePlayers, RegisterPlayer
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.runs import raise_generation

ADMIN = AppendRequest("kim", "manual")

NOTICES = """
    query ($at: BigInt) @readFrom(afterPosition: $at) {
        league { notices { totalCount nodes {
            kind position text reason playersMoved largestMove since until
            edition { number title } match { matchId } promotion { playersMoved matchesChanged }
            players { totalCount nodes { playerId moves { mode change } } }
        } } }
        player(id: "cira") { notices { totalCount nodes {
            playerId notice { position } player { playerId }
            moves { mode before after change shownBefore shownAfter rankBefore rankAfter
                    old { matches start outcome expected modifier } new { matches start outcome expected modifier } }
        } } }
    }
"""
REASONS = "query ($position: BigInt!) { notice(position: $position) { reason correctionReason } }"
AUTHOR = "query ($position: BigInt!) { notice(position: $position) { event { actor } } }"
PLAIN = "{ league { notices { nodes { position text } } } }"


@pytest.fixture(scope="module")
def promoted(small: Served) -> int:
    """Some matches, and rules that were promoted. The position of the adoption."""
    send(small.league, announced("n1", ("ana", "bea"), 1), announced("n2", ("bea", "cira"), 2))
    small.follow(str(send(small.league, announced("n3", ("cira", "dora"), 3))))
    run = replay(small.league.database.url, revised('title = "Calm"\n[rating]\nk.provisional = 32'), ReplayPeriod())
    position = small.league.promoter.promote(run, ADMIN, "newcomers climb too fast")
    small.follow(str(position))
    return position


def read(small: Served, at: int) -> tuple[Any, Any]:
    """The notices of the league and of Cira."""
    found = small.ask(NOTICES, at=str(at))
    return found["league"]["notices"]["nodes"], found["player"]["notices"]["nodes"]


def test_a_promotion_tells_everybody_and_each_player(small: Served, promoted: int) -> None:
    """What changed with the title of the edition, how many moved, and both ratings of a player with their parts."""
    [notice], [told] = read(small, promoted)
    assert (notice["kind"], notice["position"]) == ("PROMOTION", str(promoted))
    assert notice["text"] == "Other rules are in force: K while provisional 40 → 32"
    assert notice["edition"] == {"number": 2, "title": "Calm"}
    assert notice["playersMoved"] == notice["players"]["totalCount"] == notice["promotion"]["playersMoved"] == 4
    changes = [abs(move["change"]) for one in notice["players"]["nodes"] for move in one["moves"]]
    assert changes[0] == max(changes) == notice["largestMove"]
    assert told["notice"]["position"] == str(promoted)
    [move] = [move for move in told["moves"] if move["mode"] == "ONE_ON_ONE"]
    assert move["change"] == move["after"] - move["before"] != 0
    assert sum(move["new"][part] for part in ("start", "outcome", "expected", "modifier")) == pytest.approx(
        move["after"]
    )
    assert (move["old"]["matches"], move["new"]["matches"]) == (2, 2)


def test_the_figures_of_a_promotion_stay(small: Served, promoted: int) -> None:
    """It is read by the position of its adoption, with every rating that moved, pairs and players apart."""
    found = small.ask(
        "query ($at: BigInt!) { promotion(position: $at) { position edition { title } playersMoved moves(of: PLAYERS, "
        "mode: ONE_ON_ONE) { totalCount nodes { competitorId change competitor { displayName } } } } "
        "promotions { totalCount } }",
        at=str(promoted),
    )
    promotion = found["promotion"]
    assert (promotion["edition"]["title"], promotion["playersMoved"], found["promotions"]["totalCount"]) == (
        "Calm",
        4,
        1,
    )
    sizes = [abs(move["change"]) for move in promotion["moves"]["nodes"]]
    assert (len(sizes), sizes) == (4, sorted(sizes, reverse=True))


def test_who_did_it_is_told_to_those_who_may_read_the_log(small: Served, promoted: int) -> None:
    """Others read the kind of the notice, which tells the role."""
    shown = {
        role: small.ask(AUTHOR, role and token(role), position=str(promoted)) for role in (None, "admin", "auditor")
    }
    assert [one["notice"]["event"]["actor"] for one in shown.values()] == [None, "kim", "kim"]


def test_the_line_of_an_adoption_has_the_number_and_the_title_of_its_edition(small: Served, promoted: int) -> None:
    """In the journal and in the trail."""
    query = (
        '{ player(id: "ana") { journal(mode: ONE_ON_ONE, causes: [PROMOTION, ADOPTION]) '
        "{ nodes { cause text edition { number title } } } } }"
    )
    [entry] = small.ask(query)["player"]["journal"]["nodes"]
    assert entry == {
        "cause": "PROMOTION",
        "text": "A replay under other rules became the official league: edition 2, “Calm”.",
        "edition": {"number": 2, "title": "Calm"},
    }
    trail = "query ($at: BigInt!) { event(position: $at) { entry { text } } }"
    said = small.ask(trail, token("auditor"), at=str(promoted))["event"]["entry"]["text"]
    assert said.startswith("Rules were adopted: edition 2, “Calm”, from the beginning")


def test_a_correction_tells_others_in_their_language(small: Served, promoted: int) -> None:
    """It is there under the id that a player has since, too; and no longer than its time."""
    voided = send(small.league, VoidMatch("n1", "never played"))
    small.follow(str(voided))
    notice = read(small, voided)[0][0]
    assert (notice["kind"], notice["text"]) == ("CORRECTION", "Match n1 was voided")
    assert (notice["match"]["matchId"], notice["edition"], notice["promotion"]) == ("n1", None, None)
    reasons = {
        (role, at): small.ask(REASONS, role and token(role), position=str(at))["notice"]
        for role in (None, "player", "scorekeeper", "auditor", "admin")
        for at in (promoted, voided)
    }
    assert reasons == {
        (role, at): {
            "reason": "newcomers climb too fast" if at == promoted else None,
            "correctionReason": "never played" if at == voided and role in ("auditor", "admin") else None,
        }
        for role, at in reasons
    }, "only readers of the log read why a match was corrected; everybody reads why rules changed"
    spanish = small.post(PLAIN, headers={"Accept-Language": "es"}).json()["data"]["league"]["notices"]["nodes"]
    assert [one["text"] for one in spanish] == [
        "Se anuló la partida n1",
        "Rigen otras reglas: K mientras es provisional 40 → 32",
    ]
    merged = send(small.league, RegisterPlayer("gala", "Gala"), MergePlayers("gala", "cira"))
    small.follow(str(merged))
    one = small.ask('{ player(id: "gala") { notices { totalCount nodes { playerId player { playerId } } } } }')[
        "player"
    ]
    assert one["notices"]["totalCount"] == 2
    assert {(told["playerId"], told["player"]["playerId"]) for told in one["notices"]["nodes"]} == {("cira", "gala")}


ENDED = """
    query ($position: BigInt!) {
        league { notices(kinds: [PROMOTION]) { totalCount } } notice(position: $position) { position }
        player(id: "ana") { notices { nodes { notice { position } } } notice(position: $position) { playerId } }
    }
"""


def test_a_notice_is_told_no_longer_than_its_time(small: Served, promoted: int) -> None:
    """Also where nothing has removed it yet."""

    def end_after(days: int) -> None:
        with connect(small.league.database.url) as conn:
            conn.execute("UPDATE notices SET until = now() + %s WHERE position = %s", (timedelta(days), promoted))
            raise_generation(conn)

    def is_told() -> bool:
        found = small.ask(ENDED, position=str(promoted))
        of_ana = {one["notice"]["position"] for one in found["player"]["notices"]["nodes"]}
        told = (found["notice"], found["player"]["notice"], found["league"]["notices"]["totalCount"])
        return any((*told, str(promoted) in of_ana))

    end_after(-1)
    # Requests may share what was read a moment before.
    wait_until(lambda: not is_told())
    end_after(30)
    wait_until(is_told)


def test_an_answer_with_a_notice_is_cached_until_it_ends(small: Served, promoted: int) -> None:
    """Its ETag changes when the notice has run out and was removed, though no event came."""
    first = small.http.get("/graphql", params={"query": PLAIN})
    again = small.http.get("/graphql", params={"query": PLAIN})
    assert first.headers["ETag"] == again.headers["ETag"]
    store = small.league.store
    assert remove_ended_notices(small.league, store.now() + timedelta(days=31)) > 0

    def gone() -> bool:
        later = small.http.get("/graphql", params={"query": PLAIN})
        return bool(later.headers["ETag"] != first.headers["ETag"])

    wait_until(gone)
    assert small.ask(PLAIN)["league"]["notices"]["nodes"] == []
    assert small.ask("query ($at: BigInt!) { promotion(position: $at) { position } }", at=str(promoted))["promotion"]
