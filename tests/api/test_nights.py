"""Nights over HTTP: who is here, what is played, and the next match with one request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_server import Served, token

from league.domain.hand import HandFacts
from league.domain.match import CorrectResult, ForfeitMatch, OpenMatch, RecordHand, RecordResult, VoidMatch
from league.domain.player import ErasePlayer, MergePlayers, RegisterPlayer
from league.domain.result import AnnouncedResult
from league.domain.rules import Mode
from tests.leagues import domino

KEEPER = token("scorekeeper")
HERE = "{ night { day here(first: 100) { nodes { playerId match { matchId } event { name } } } } }"
MATCH = "... on MatchSuccess { match { matchId status mode competition ruleset { name } seats { playerId } } }"
AT_TABLE = f"{MATCH} ... on PlayersAtTableError {{ matchId playerIds match {{ status }} }}"


def people(small: Served, test: str, count: int = 4) -> list[str]:
    """Players of one test only: who is here, and at which table, depends on what others have done."""
    ids = [f"{test}-{number}" for number in range(count)]
    for player in ids:
        small.league.dispatcher.send(RegisterPlayer(player, player.upper()), "kim")
    return ids


def here(small: Served, test: str) -> dict[str, str | None]:
    """Which players of a test are here, and the match that each of them plays."""
    small.follow(str(small.league.store.head()))
    found = small.ask(HERE, KEEPER)["night"]["here"]["nodes"]
    return {
        one["playerId"]: one["match"] and one["match"]["matchId"]
        for one in found
        if one["playerId"].startswith(f"{test}-")
    }


def opened(small: Served, seats: list[str], bearer: str = KEEPER, **given: Any) -> Any:
    mode = "TWO_ON_TWO" if len(seats) == 4 else "ONE_ON_ONE"
    rules = {"ruleset": "cuban-150", "mode": mode, "competition": "CASUAL"}
    return small.do("openMatchTonight", bearer, AT_TABLE, seats=seats, **rules, **given)


def again(small: Served, match: str, bearer: str = KEEPER, **given: Any) -> Any:
    return small.do("openRematch", bearer, AT_TABLE, match=match, **given)


def end(small: Served, match: str) -> None:
    done = small.do("recordResult", KEEPER, match=match, announced={"winner": 0, "score": [150, 90]})
    assert "code" not in done


def seats_of(done: Any) -> list[str]:
    return [seat["playerId"] for seat in done["match"]["seats"]]


def test_players_come_and_leave(small: Served) -> None:
    """Who comes twice is here once, who leaves is not, and somebody who never came cannot leave."""
    a, b, c, d, e = people(small, "come", 5)
    first = small.do("playersCame", KEEPER, players=[a, b, c, d])
    assert "code" not in small.do("playersCame", KEEPER, players=[b, a, a])
    assert [*here(small, "come")] == [a, b, c, d]
    assert "code" not in small.do("playerLeft", KEEPER, player=b)
    assert "code" not in small.do("playerLeft", KEEPER, player=b)
    assert [*here(small, "come")] == [a, c, d]
    refused = small.do("playerLeft", KEEPER, player=e)
    assert (refused["code"], refused["field"]) == ("NOT_HERE", ["player"])
    again_here = small.do("playersCame", KEEPER, players=[b])
    assert int(again_here["position"]) > int(first["position"])
    assert [*here(small, "come")] == [a, c, d, b]


def test_only_known_players_come(small: Served) -> None:
    """Nobody comes if one of them is unknown or erased; a list without players is refused."""
    a, b = people(small, "known", 2)
    small.league.dispatcher.send(ErasePlayer(b), "boss")
    refused = small.do("playersCame", KEEPER, "... on NotFoundError { key }", players=[a, "nobody"])
    assert (refused["code"], refused["field"], refused["key"]) == ("NOT_FOUND", ["players", "1"], "nobody")
    assert small.do("playersCame", KEEPER, players=[a, b])["code"] == "PLAYER_ERASED"
    assert small.do("playersCame", KEEPER, players=[])["code"] == "INVALID"
    assert here(small, "known") == {}


def test_a_player_comes_for_themselves_only(small: Served) -> None:
    """Not in a list with others; and who is here is for those who sign in."""
    a, b = people(small, "own", 2)
    own = token("player", sub=a)
    assert "code" not in small.do("playersCame", own, players=[a])
    assert small.do("playersCame", own, players=[a, b])["code"] == "FORBIDDEN"
    assert small.do("playerLeft", own, player=b)["code"] == "FORBIDDEN"
    assert [*here(small, "own")] == [a]
    assert small.ask(HERE, own)["night"]["here"] is not None
    assert small.error(HERE)["extensions"]["code"] == "UNAUTHENTICATED"
    assert "code" not in small.do("playerLeft", own, player=a)


def test_merged_players_are_one_and_erased_ones_are_gone(small: Served) -> None:
    """Two ids of one player are here once; an erased player is not listed."""
    a, b, c, twin = people(small, "merged")
    send = small.league.dispatcher.send
    small.do("playersCame", KEEPER, players=[twin, b, c])
    send(MergePlayers(a, twin), "boss")
    small.do("playersCame", KEEPER, players=[a])
    send(ErasePlayer(c), "boss")
    assert [*here(small, "merged")] == [a, b]
    assert "code" not in small.do("playerLeft", KEEPER, player=twin)
    assert [*here(small, "merged")] == [b]


def test_who_sits_down_is_here_and_at_a_table(small: Served) -> None:
    """Until the match ends; the players of a match that was opened otherwise, too."""
    a, b, c, d, e, f = people(small, "sit", 6)
    match = opened(small, [a, b, c, d])["match"]["matchId"]
    assert here(small, "sit") == dict.fromkeys((a, b, c, d), match)
    rules = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL"}
    other = small.do("openMatch", KEEPER, MATCH, seats=[e, f], **rules)["match"]["matchId"]
    assert here(small, "sit") == {**dict.fromkeys((a, b, c, d), match), e: other, f: other}
    end(small, match)
    end(small, other)
    assert here(small, "sit") == dict.fromkeys((a, b, c, d, e, f))
    small.do("playerLeft", KEEPER, player=f)
    assert here(small, "sit") == dict.fromkeys((a, b, c, d, e))


def test_nobody_sits_at_two_tables_by_mistake(small: Served) -> None:
    """The refusal names the match and the players; said on purpose, the match is opened. One that ended is no table."""
    a, b, c, d, e = people(small, "busy", 5)
    match = opened(small, [a, b, c, d])["match"]["matchId"]
    refused = opened(small, [e, b])
    assert (refused["code"], refused["field"]) == ("PLAYERS_AT_TABLE", ["seats"])
    assert (refused["matchId"], refused["playerIds"], refused["match"]) == (match, [b], {"status": "OPEN"})
    on_purpose = opened(small, [e, b], evenIfSeated=True)["match"]["matchId"]
    end(small, match)
    end(small, on_purpose)
    assert opened(small, [e, b])["match"]["status"] == "OPEN"


def test_two_phones_open_one_table(small: Served) -> None:
    """At the same moment for the same people: one opens the match, the other is told of it."""
    seats = people(small, "phones")
    with ThreadPoolExecutor(2) as phones:
        answers = [*phones.map(lambda sub: opened(small, seats, token("scorekeeper", sub=sub)), ("kim", "lee"))]
    [match] = [one["match"]["matchId"] for one in answers if "code" not in one]
    refused = [(one["code"], one["matchId"], one["playerIds"]) for one in answers if "code" in one]
    assert refused == [("PLAYERS_AT_TABLE", match, seats)]


def test_a_rematch_has_the_same_rules_and_seats(small: Served) -> None:
    """Or other partners, so that after three matches each has had each other one as partner."""
    seats = people(small, "rematch")
    match = opened(small, seats)["match"]["matchId"]
    assert again(small, match)["code"] == "MATCH_OPEN"
    end(small, match)
    played = again(small, match)
    assert seats_of(played) == seats
    rules = {key: played["match"][key] for key in ("mode", "competition", "ruleset")}
    assert rules == {"mode": "TWO_ON_TWO", "competition": "CASUAL", "ruleset": {"name": "cuban-150"}}
    partners = []
    for _ in range(3):
        end(small, played["match"]["matchId"])
        played = again(small, played["match"]["matchId"], seats="TURNED")
        partners.append(seats_of(played)[2])
    assert seats_of(played) == seats
    assert sorted(partners) == seats[1:]


TOLD = "{ night { capicuas bestHand { matchId number points players { playerId } match { matchId } } } }"


def test_a_night_tells_of_capicuas_and_the_best_hand(small: Served) -> None:
    """Only decided matches count, not open, forfeited and voided ones."""
    a, b, c, d = people(small, "told")
    send = small.league.dispatcher.send

    def plays(*hands: HandFacts) -> str:
        match = str(opened(small, [a, b, c, d], evenIfSeated=True)["match"]["matchId"])
        for hand in hands:
            send(RecordHand(match, hand), "kim")
        return match

    def told() -> tuple[int, tuple[str, int, int, list[str]] | None]:
        small.follow(str(small.league.store.head()))
        night = small.ask(TOLD)["night"]
        best = night["bestHand"]
        who = best and [player["playerId"] for player in best["players"]]
        return night["capicuas"], best and (best["matchId"], best["number"], best["points"], who)

    before = told()[0]
    first = plays(
        domino(0, None, 20, None, 20, both=True), domino(1, 45, None, 44, None), domino(0, None, 60, None, 60)
    )
    assert told() == (before + 1, (first, 3, 120, [a, c]))
    plays(domino(0, None, 70, None, 70, both=True))
    gone = plays(domino(0, None, 70, None, 70, both=True))
    send(ForfeitMatch(gone, 1), "kim")
    voided = plays(domino(1, 73, None, 74, None), domino(1, 10, None, 11, None))
    assert told() == (before + 1, (voided, 1, 147, [b, d]))
    send(VoidMatch(voided, "a test", None), "kim")
    assert told() == (before + 1, (first, 3, 120, [a, c]))


MOVED = """query ($day: Date!, $who: ID!) {
    night(day: $day) {
        largestRise { points players { playerId } }
        players(first: 100) { nodes { playerId ratingChange } }
    }
    player(id: $who) { ratingHistory(first: 20) { nodes { match { beganAt } overall { delta } } } }
}"""


def test_a_night_tells_whose_rating_moved(small: Served) -> None:
    """As far as its own matches moved it, in both modes, also when a result is corrected or voided afterwards."""
    a, b, c, d, e, f = people(small, "risen", 6)
    send = small.league.dispatcher.send
    night, morning = datetime(2019, 3, 8, 22, tzinfo=UTC), datetime(2019, 3, 9, 18, tzinfo=UTC)

    def plays(match: str, seats: tuple[str, ...], began: datetime, score: tuple[int, int]) -> None:
        mode: Mode = "1v1" if len(seats) == 2 else "2v2" if len(seats) == 4 else "individuals"
        ruleset = "cuban-150" if len(seats) != 3 else "doscientos-100"
        send(OpenMatch(match, ruleset, mode, "casual", seats, None, began), "kim")
        if mode != "individuals":
            winner = int(score[1] > score[0])
            send(RecordResult(match, AnnouncedResult(winner, score), began + timedelta(hours=1)), "kim")

    def moves(who: str) -> tuple[float | None, float, Any]:
        small.follow(str(small.league.store.head()))
        told = small.ask(MOVED, day="2019-03-08", who=who)
        of = {one["playerId"]: one["ratingChange"] for one in told["night"]["players"]["nodes"]}
        history = told["player"]["ratingHistory"]["nodes"]
        own = [one["overall"]["delta"] for one in history if one["match"]["beganAt"].startswith("2019-03-08")]
        rise = told["night"]["largestRise"]
        return of.get(who), sum(own), rise and (rise["points"], [player["playerId"] for player in rise["players"]])

    plays("risen-1", (a, b, c, d), night, (150, 90))
    plays("risen-2", (a, b), night + timedelta(minutes=5), (150, 0))
    plays("risen-3", (b, c), morning, (150, 0))
    plays("risen-4", (d, e, f), night, (0, 0))
    for player in (a, b, c, d):
        shown, own, rise = moves(player)
        assert shown == pytest.approx(own)
    first, _, rise = moves(a)
    assert first is not None
    assert rise == (round(first), [a])
    assert moves(e)[:2] == (None, 0)
    send(CorrectResult("risen-1", AnnouncedResult(1, (90, 150)), "typed wrong"), "kim")
    shown, own, rise = moves(a)
    assert shown == pytest.approx(own)
    assert shown != first
    assert rise[1] != [a]
    send(VoidMatch("risen-1", "a test", None), "kim")
    send(VoidMatch("risen-2", "a test", None), "kim")
    assert moves(b) == (None, 0, None)


def test_a_double_tap_opens_one_rematch(small: Served) -> None:
    """A repeated key gives the first answer; another phone is told that they play already."""
    a, b = people(small, "tap", 2)
    match = opened(small, [a, b])["match"]["matchId"]
    end(small, match)
    twice = [again(small, match, seats="TURNED", idempotencyKey="a tap") for _ in range(2)]
    assert twice[0]["match"] == twice[1]["match"]
    assert seats_of(twice[0]) == [b, a]
    assert again(small, match, token("scorekeeper", sub="lee"))["matchId"] == twice[0]["match"]["matchId"]


def test_a_voided_match_is_played_again(small: Served) -> None:
    """Also one that was voided while it was open; a match that is not there has no rematch."""
    seats = people(small, "voided")
    match = opened(small, seats)["match"]["matchId"]
    small.do("voidMatch", KEEPER, match=match, reason="wrong rules")
    assert seats_of(again(small, match)) == seats
    refused = again(small, "never")
    assert (refused["code"], refused["field"]) == ("NOT_FOUND", ["match"])


def test_a_player_opens_rematches_of_their_own_matches(small: Served) -> None:
    """And of no others."""
    a, b, c, d = people(small, "mine")
    match = opened(small, [a, b])["match"]["matchId"]
    other = opened(small, [c, d])["match"]["matchId"]
    end(small, match)
    end(small, other)
    own = token("player", sub=a)
    assert again(small, other, own)["code"] == "FORBIDDEN"
    assert seats_of(again(small, match, own)) == [a, b]
