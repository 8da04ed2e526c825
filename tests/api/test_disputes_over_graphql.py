"""Confirming and disputing results over HTTP, and what everybody sees of it."""

from __future__ import annotations

from typing import Any

from api_server import Served, heard, subscribe, token

from league.domain.league import ChangeSettings

ADMIN = token("admin", sub="boss")
KEEPER = token("scorekeeper", sub="kim")
ANA, BEA, CIRA = (token("player", sub=name) for name in ("ana", "bea", "cira"))

SEEN = """... on MatchSuccess { match {
    status winner decidedAt confirmBy sides { won } confirmations { player { playerId } at }
    dispute { number player { playerId } reason status } disputes { number status answer }
} }"""


def ended(small: Served, match: str) -> int:
    """Ana has won against Bea; the position of the end. Casual, for all tests here play in the same month."""
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"], "competition": "CASUAL"}
    small.do("openMatch", KEEPER, matchId=match, **given)
    done = small.do("recordResult", KEEPER, match=match, announced={"winner": 0, "score": [150, 90]})
    assert done["__typename"] == "MatchSuccess"
    return int(done["position"])


def seen(small: Served, mutation: str, bearer: str, **given: Any) -> Any:
    done = small.do(mutation, bearer, SEEN, **given)
    assert "code" not in done, done
    return done["match"]


def test_a_dispute_is_opened_listed_and_settled(small: Served) -> None:
    """The match shows it and keeps its result; admins see the list; the correction that settles it names it."""
    ended(small, "m1")
    disputed = seen(small, "disputeResult", BEA, match="m1", reason=" It was 150 to 140. ")
    shown = {"number": 1, "player": {"playerId": "bea"}, "reason": "It was 150 to 140.", "status": "OPEN"}
    assert (disputed["dispute"], disputed["status"], disputed["winner"]) == (shown, "ANNOUNCED", 0)
    listed = "query ($open: Boolean) { disputes(open: $open) { totalCount nodes { match { matchId } number status } } }"
    one = {"match": {"matchId": "m1"}, "number": 1, "status": "OPEN"}
    assert small.ask(listed, ADMIN, open=True)["disputes"] == {"totalCount": 1, "nodes": [one]}
    assert small.error(listed, BEA, open=True)["extensions"]["code"] == "FORBIDDEN"
    refused = small.do("voidMatch", KEEPER, "... on DisputeIsOpenError { dispute player }", match="m1", reason="x")
    assert (refused["code"], refused["dispute"], refused["player"]) == ("DISPUTE_IS_OPEN", 1, "bea")
    settled = seen(small, "reopenMatch", KEEPER, match="m1", reason="typed wrongly", settles=1)
    answer = {"number": 1, "status": "REOPENED", "answer": "typed wrongly"}
    assert (settled["status"], settled["dispute"], settled["disputes"]) == ("OPEN", None, [answer])
    assert small.ask(listed, ADMIN, open=True)["disputes"]["totalCount"] == 0
    words = small.ask("{ trail(first: 2) { nodes { text } } }", ADMIN)["trail"]["nodes"]
    assert [entry["text"].partition(": ")[2] for entry in words] == [
        "reopened: typed wrongly; this settles dispute 1",
        "Bea disputed the result (1): It was 150 to 140.",
    ]


ANSWERS = "... on ConfirmationsSuccess { answers { matchId refusal { code } match { status } } }"


def test_several_results_are_confirmed_each_by_itself(small: Served) -> None:
    """An unknown, an open and a disputed one are refused and take no other with them. A repetition answers the same."""
    small.league.dispatcher.send(ChangeSettings(confirmation=True), "test")
    for match in ("c1", "c2", "c3"):
        ended(small, match)
    small.do("openMatch", KEEPER, matchId="c4", ruleset="cuban-150", mode="ONE_ON_ONE", seats=["ana", "bea"],
             competition="CASUAL")  # fmt: skip
    seen(small, "disputeResult", BEA, match="c2", reason="no")
    given = {"matches": ["c1", "c2", "nobody", "c4", "c3"], "idempotencyKey": "confirm-all"}
    expected = [
        ("c1", None, "ANNOUNCED"),
        ("c2", "DISPUTE_IS_OPEN", "PENDING"),
        ("nobody", "NOT_FOUND", None),
        ("c4", "MATCH_OPEN", "OPEN"),
        ("c3", None, "ANNOUNCED"),
    ]
    for _ in range(2):
        done = small.do("confirmResults", ADMIN, ANSWERS, **given)["answers"]
        assert [
            (one["matchId"], one["refusal"] and one["refusal"]["code"], one["match"] and one["match"]["status"])
            for one in done
        ] == expected
    assert small.do("confirmResults", KEEPER, matches=["c1"])["code"] == "FORBIDDEN"
    for wrong in ([], ["c1", "c1"], [f"m{n}" for n in range(51)]):
        assert small.do("confirmResults", ADMIN, matches=wrong)["field"] == ["matches"]


def test_a_player_confirms_several_of_their_own_results(small: Served) -> None:
    """Each counts for the player's side; a match of others is refused."""
    small.league.dispatcher.send(ChangeSettings(confirmation=True), "test")
    ended(small, "p1")
    done = small.do("confirmResults", ANA, ANSWERS, matches=["p1"])["answers"]
    assert done == [{"matchId": "p1", "refusal": None, "match": {"status": "PENDING"}}]
    others = small.do("confirmResults", CIRA, ANSWERS, matches=["p1"])["answers"]
    assert others[0]["refusal"]["code"] in ("DID_NOT_PLAY", "FORBIDDEN")
    assert small.do("confirmResults", BEA, ANSWERS, matches=["p1"])["answers"][0]["match"]["status"] == "ANNOUNCED"
    small.league.dispatcher.send(ChangeSettings(confirmation=False), "test")


def test_disputes_are_refused_by_name(small: Served) -> None:
    """A dispute of a match that one did not play, a second one, somebody else's, and an unknown number are refused."""
    ended(small, "m2")
    not_played = small.do("disputeResult", CIRA, match="m2", reason="x")
    assert (not_played["code"], not_played["message"]) == ("DID_NOT_PLAY", "'cira' did not play in match 'm2'.")
    for_another = small.do("disputeResult", CIRA, match="m2", player="ana", reason="x")
    assert (for_another["code"], for_another["field"]) == ("FORBIDDEN", ["player"])
    seen(small, "disputeResult", ADMIN, match="m2", player="ana", reason="Ana says so on the phone")
    assert small.do("disputeResult", BEA, match="m2", reason="x")["code"] == "DISPUTE_IS_OPEN"
    assert small.do("withdrawDispute", BEA, match="m2", dispute=1)["code"] == "NOT_YOUR_DISPUTE"
    unknown = small.do("rejectDispute", ADMIN, match="m2", dispute=2, reason="x")
    assert (unknown["code"], unknown["field"]) == ("NO_SUCH_DISPUTE", ["dispute"])
    rejected = seen(small, "rejectDispute", ADMIN, match="m2", dispute=1, reason="the paper is signed")
    assert rejected["disputes"] == [{"number": 1, "status": "REJECTED", "answer": "the paper is signed"}]
    seen(small, "disputeResult", ANA, match="m2", reason="still")
    assert seen(small, "withdrawDispute", ANA, match="m2", dispute=2)["disputes"][1]["status"] == "WITHDRAWN"
    opened = small.do("disputeResult", ANA, match="m1", reason="x")
    assert (opened["code"], opened["__typename"]) == ("MATCH_OPEN", "WrongStateError")


def test_a_pending_match_is_decided_by_its_players(small: Served) -> None:
    """A follower of the matches gets a message each time."""
    small.league.dispatcher.send(ChangeSettings(confirmation=True), "test")
    position = ended(small, "m3")
    text = """query ($at: BigInt) @readFrom(afterPosition: $at) { league { confirmation }
        match(id: "m3") { status winner decidedAt confirmBy sides { won } explanation { statement } } }"""
    shown = small.ask(text, at=position)
    assert shown["league"]["confirmation"] is True
    assert (shown["match"]["status"], shown["match"]["winner"], shown["match"]["decidedAt"]) == ("PENDING", 0, None)
    assert [side["won"] for side in shown["match"]["sides"]] == [None, None]
    assert shown["match"]["confirmBy"] is not None
    assert "awaits confirmation" in shown["match"]["explanation"]["statement"]
    changes = "subscription ($after: BigInt) { matchesChanged(after: $after) { match { matchId status } } }"
    with small.socket() as socket:
        subscribe(socket, changes, after=position)
        first = seen(small, "confirmResult", ANA, match="m3")
        assert (first["status"], [one["player"]["playerId"] for one in first["confirmations"]]) == ("PENDING", ["ana"])
        assert heard(socket)["matchesChanged"]["match"] == {"matchId": "m3", "status": "PENDING"}
        assert small.do("confirmResult", ANA, match="m3")["code"] == "ALREADY_CONFIRMED"
        both = seen(small, "confirmResult", BEA, match="m3")
        assert (both["status"], both["confirmBy"], both["sides"][0]["won"]) == ("ANNOUNCED", None, True)
        assert heard(socket)["matchesChanged"]["match"] == {"matchId": "m3", "status": "ANNOUNCED"}
    ended(small, "m4")
    assert seen(small, "confirmResult", ADMIN, match="m4")["status"] == "ANNOUNCED"
    small.league.dispatcher.send(ChangeSettings(confirmation=False), "test")


def test_a_player_records_the_result_of_their_own_match(small: Served) -> None:
    """It awaits the confirmation of the other side alone, for who recorded it has confirmed it by doing so."""
    small.league.dispatcher.send(ChangeSettings(confirmation=True), "test")
    casual = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"], "competition": "CASUAL"}
    small.do("openMatch", KEEPER, matchId="m5", **casual)
    result = {"match": "m5", "announced": {"winner": 1, "score": [90, 150]}}
    recorded = seen(small, "recordResult", BEA, **result)
    assert (recorded["status"], recorded["winner"]) == ("PENDING", 1)
    assert [one["player"]["playerId"] for one in recorded["confirmations"]] == ["bea"]
    again = small.do("recordResult", ANA, **result)
    assert (again["__typename"], again["code"]) == ("MatchOverError", "MATCH_OVER")
    assert seen(small, "confirmResult", ANA, match="m5")["status"] == "ANNOUNCED"
    small.league.dispatcher.send(ChangeSettings(confirmation=False), "test")
