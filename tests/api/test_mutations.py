"""Every mutation over HTTP: what it does, and every way in which it is refused."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Event
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from api_server import Served, token
from waiting import LIMIT, wait_until

from league.api.graphql.executing.context import Context
from league.domain.match import HandRecorded
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore

ADMIN = token("admin", sub="boss")
KEEPER = token("scorekeeper", sub="kim")

MATCH = "... on MatchSuccess { match { matchId status score winner hands { number points } } }"


def opened(small: Served, **given: Any) -> str:
    """A new match of ana and bea; casual, for all tests here play in the same month."""
    asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"], "competition": "CASUAL", **given}
    done = small.do("openMatch", KEEPER, "... on MatchSuccess { matchId }", **asked)
    assert done["__typename"] == "MatchSuccess", done
    match: str = done["matchId"]
    return match


def domino(pips: int, seat: int = 0) -> dict[str, Any]:
    """A hand that a seat of two ended, with so many pips at the other one."""
    held: list[Any] = [{"pips": pips}, {"pips": pips}]
    held[seat] = {"tiles": []}
    return {"ended": {"by": "DOMINO", "seat": seat}, "leftover": held}


def test_a_player_is_registered_renamed_and_moved_and_can_be_read_at_once(small: Served) -> None:
    """A success shows the player as the mutation left them."""
    name = "... on PlayerSuccess { player { playerId name region } }"
    done = small.do("registerPlayer", KEEPER, name, playerId="gina", name=" Gina ", region="Granma")
    assert done["player"] == {"playerId": "gina", "name": "Gina", "region": "Granma"}
    assert small.do("renamePlayer", KEEPER, name, player="gina", name="Gina R.")["player"]["name"] == "Gina R."
    assert small.do("movePlayer", KEEPER, name, player="gina")["player"]["region"] is None


def test_commands_that_wait_for_the_lock_of_a_match_do_not_hold_up_other_matches(
    small: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold no thread, and all of them are carried out."""
    busy, other, ready, arrived = opened(small), opened(small), Event(), list[str]()
    append, send = EventStore.append, Context.send

    def append_when_ready(store: EventStore, appends: Any, *given: Any, **more: Any) -> int:
        assert appends[0].stream != f"match:{busy}" or ready.wait(LIMIT)
        return append(store, appends, *given, **more)

    async def counted(context: Context, operation: str, *arguments: Any, **more: Any) -> int:
        arrived.append(operation)
        return await send(context, operation, *arguments, **more)

    monkeypatch.setattr(EventStore, "append", append_when_ready)
    monkeypatch.setattr(Context, "send", counted)
    with ThreadPoolExecutor(24) as people:
        hands = [people.submit(small.do, "recordHand", KEEPER, match=busy, facts=domino(1)) for _ in range(24)]
        try:
            wait_until(lambda: len(arrived) == 24)
            assert "position" in small.do("recordHand", KEEPER, match=other, facts=domino(1))
            assert not any(hand.done() for hand in hands)
        finally:
            ready.set()
        assert all("position" in hand.result() for hand in hands)
    stored = [stored.event for stored in small.league.store.load(f"match:{busy}")]
    assert [event.hand for event in stored if isinstance(event, HandRecorded)] == list(range(1, 25))


def test_a_change_without_a_key_is_answered_without_reading_the_log_again(
    small: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change is stored: if its answer were an error, the client would believe that it was not."""

    def fail(*_: Any) -> None:
        raise StoreUnavailable("away")

    monkeypatch.setattr(EventStore, "stream_at", fail)
    player = "... on PlayerSuccess { playerId }"
    assert small.do("registerPlayer", KEEPER, player, playerId="katia", name="Katia")["playerId"] == "katia"
    assert small.do("renamePlayer", KEEPER, player, player="katia", name="Katia R.")["playerId"] == "katia"


def test_a_success_names_the_position_that_a_query_can_wait_for(small: Served) -> None:
    """AfterPosition reads what was just written."""
    done = small.do("registerPlayer", KEEPER, "... on PlayerSuccess { playerId }", name="Hilda")
    text = "query ($id: ID!, $at: BigInt) @readFrom(afterPosition: $at) { player(id: $id) { name } }"
    assert small.ask(text, id=done["playerId"], at=done["position"])["player"] == {"name": "Hilda"}


def test_a_match_is_played_to_its_end_by_facts(small: Served) -> None:
    """Hands are recorded by their facts; points, the end and the winner follow."""
    match = opened(small)
    first = small.do("recordHand", KEEPER, MATCH, match=match, facts=domino(90))
    assert first["match"]["status"] == "OPEN"
    last = small.do("recordHand", KEEPER, MATCH, match=match, facts=domino(70))
    assert last["match"] == {
        "matchId": match,
        "status": "COMPLETED",
        "score": [160, 0],
        "winner": 0,
        "hands": [{"number": 1, "points": [90, 0]}, {"number": 2, "points": [70, 0]}],
    }


def test_a_hand_after_the_end_is_refused_with_when_and_why_it_ended(small: Served) -> None:
    """MatchOverError names the match, its end and the hand that ended it."""
    match = opened(small)
    small.do("recordHand", KEEPER, match=match, facts=domino(150))
    over = small.do("recordHand", KEEPER, "... on MatchOverError { match endedAt hand }", match=match, facts=domino(1))
    assert (over["__typename"], over["code"], over["match"], over["hand"]) == ("MatchOverError", "MATCH_OVER", match, 1)
    assert over["endedAt"].endswith("Z")
    assert f"{datetime.fromisoformat(over['endedAt']).astimezone(ZoneInfo('America/Havana')):%H:%M}" in over["message"]


def test_a_hand_that_someone_else_has_recorded_is_refused_by_its_number(small: Served) -> None:
    """WrongHandError names the match, the number that was sent and the next one; the first hand stays as it is."""
    match = opened(small)
    small.do("recordHand", KEEPER, match=match, hand=1, facts=domino(30))
    fields = "... on WrongHandError { field match hand nextHand }"
    refused = small.do("recordHand", KEEPER, fields, match=match, hand=1, facts=domino(50))
    assert (refused["__typename"], refused["code"], refused["field"]) == ("WrongHandError", "WRONG_HAND", ["hand"])
    assert (refused["match"], refused["hand"], refused["nextHand"]) == (match, 1, 2)
    done = small.do("recordHand", KEEPER, MATCH, match=match, hand=2, facts=domino(50))
    assert done["match"]["score"] == [80, 0]


def test_a_corrected_hand_takes_the_place_of_the_old_one(small: Served) -> None:
    """The score follows from the corrected facts."""
    match = opened(small)
    small.do("recordHand", KEEPER, match=match, facts=domino(40))
    done = small.do("correctHand", KEEPER, MATCH, match=match, hand=1, facts=domino(60, seat=1), reason="misread")
    assert done["match"]["score"] == [0, 60]
    unknown = small.do("correctHand", KEEPER, match=match, hand=7, facts=domino(60), reason="misread")
    assert (unknown["__typename"], unknown["field"]) == ("NotFoundError", ["hand"])
    same = small.do("correctHand", KEEPER, match=match, hand=1, facts=domino(60, seat=1), reason="again")
    assert (same["__typename"], same["field"]) == ("InvalidInputError", ["facts"])
    silent = small.do("correctHand", KEEPER, match=match, hand=1, facts=domino(50), reason=" ")
    assert silent["field"] == ["reason"]


def test_a_match_is_ended_early_and_reopened_and_voided(small: Served) -> None:
    """Who led has won; an end that was said can be taken back; a voided match counts for nothing."""
    match = opened(small)
    assert small.do("endMatch", KEEPER, match=match)["__typename"] == "WrongStateError"
    small.do("recordHand", KEEPER, match=match, facts=domino(30))
    ended = small.do("endMatch", KEEPER, MATCH, match=match, announced={"winner": 0, "score": [30, 0]})
    assert (ended["match"]["status"], ended["match"]["winner"]) == ("CUT_SHORT", 0)
    assert small.do("reopenMatch", KEEPER, MATCH, match=match, reason="they play on")["match"]["status"] == "OPEN"
    assert small.do("reopenMatch", KEEPER, match=match, reason="again")["__typename"] == "WrongStateError"
    voided = small.do("voidMatch", KEEPER, MATCH, match=match, reason="wrong players")
    assert (voided["match"]["status"], voided["match"]["score"]) == ("VOIDED", None)
    assert voided["match"]["hands"] == [{"number": 1, "points": None}]
    read = small.ask("query ($id: ID!) { match(id: $id) { position event { name } } }", id=match)["match"]
    assert read == {"position": voided["position"], "event": {"name": "match-voided/1"}}
    again = small.do("voidMatch", KEEPER, "... on WrongStateError { state }", match=match, reason="again")
    assert (again["code"], again["state"]) == ("MATCH_VOIDED", "voided")


def test_a_match_is_forfeited(small: Served) -> None:
    """The other side has won."""
    match = opened(small)
    assert small.do("forfeitMatch", KEEPER, match=match, side=2)["field"] == ["side"]
    done = small.do("forfeitMatch", KEEPER, MATCH, match=match, side=0)
    assert (done["match"]["status"], done["match"]["winner"]) == ("FORFEITED", 1)


def test_a_result_without_hands_is_recorded(small: Served) -> None:
    """The announced score counts; one that contradicts its winner is refused at its place."""
    match = opened(small)
    wrong = small.do("recordResult", KEEPER, match=match, announced={"winner": 0, "score": [100, 150]})
    assert (wrong["__typename"], wrong["field"]) == ("InvalidInputError", ["announced", "winner"])
    done = small.do("recordResult", KEEPER, MATCH, match=match, announced={"winner": 1, "score": [100, 150]})
    assert (done["match"]["status"], done["match"]["score"]) == ("ANNOUNCED", [100, 150])


@pytest.mark.parametrize(
    ("change", "kind", "at"),
    [
        ({"ruleset": "mus"}, "NotFoundError", ["ruleset"]),
        ({"seats": ["ana", "nobody"]}, "NotFoundError", ["seats", "1"]),
        ({"seats": ["ana", "ana"]}, "InvalidInputError", ["seats", "1"]),
        ({"seats": ["ana"]}, "InvalidInputError", ["seats"]),
        ({"mode": "INDIVIDUALS"}, "InvalidInputError", ["mode"]),
        ({"matchId": "a match"}, "InvalidInputError", ["matchId"]),
        ({"playedAt": "2999-01-01T00:00:00Z"}, "InTheFutureError", ["playedAt"]),
        ({"startingDraw": [[9, 9], [9, 10]]}, "InvalidInputError", ["startingDraw", "1"]),
    ],
)
def test_an_impossible_match_is_refused_at_the_field(small: Served, change: Any, kind: str, at: list[str]) -> None:
    """The path is that of the input, in the names of the API."""
    asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"], **change}
    refused = small.do("openMatch", KEEPER, **asked)
    assert (refused["__typename"], refused["field"]) == (kind, at), refused


ELEVEN = [[0, n] for n in range(10)] + [[1, 1]]


@pytest.mark.parametrize(
    ("facts", "at"),
    [
        ({"ended": {"by": "DOMINO", "seat": 5}, "leftover": [{"tiles": []}, None]}, ["ended", "seat"]),
        ({"ended": {"by": "DOMINO", "locker": 1}, "leftover": [None, None]}, ["ended", "locker"]),
        ({"ended": {"by": "BLOCK", "seat": 1}, "leftover": [None, None]}, ["ended", "seat"]),
        ({"ended": {"by": "DOMINO", "seat": 0, "tile": [9, 12]}, "leftover": [None, None]}, ["ended", "tile"]),
        ({"ended": {"by": "BLOCK"}, "leftover": [{"tiles": [[0, 1]]}, {"tiles": [[1, 0]]}]}, "leftover 1 tiles 0"),
        ({"ended": {"by": "BLOCK"}, "leftover": [{"tiles": ELEVEN}, None]}, ["leftover", "0"]),
        ({"ended": {"by": "BLOCK"}, "leftover": [{"pips": 496}, None]}, ["leftover", "0"]),
        ({"ended": {"by": "BLOCK"}, "leftover": [{"pips": 3, "tiles": [[1, 1]]}, None]}, ["leftover", "0", "pips"]),
        ({"ended": {"by": "BLOCK", "blocksToo": False}, "leftover": [None, None]}, ["ended", "blocksToo"]),
        (
            {"ended": {"by": "BLOCK"}, "leftover": [None, None], "passes": {"drew": [1]}},
            ["passes", "drew"],
        ),
    ],
)
def test_impossible_facts_are_refused_at_the_field(small: Served, facts: Any, at: Any) -> None:
    """An impossible tile, a tile twice, 11 tiles at a seat: each names the field."""
    refused = small.do("recordHand", KEEPER, match=opened(small), facts=facts)
    path = at.split() if isinstance(at, str) else at
    assert (refused["__typename"], refused["field"]) == ("InvalidInputError", ["facts", *path]), refused


def test_an_impossible_turn_is_refused_at_the_turn(small: Served) -> None:
    """The path leads into the transcript."""
    dealt = [[[0, n] for n in range(10)], [[1, n] for n in range(1, 10)] + [[2, 2]]]
    plays = [{"seat": 0, "tile": [0, 0]}, {"seat": 1, "tile": [5, 5], "where": "LEFT"}]
    match = opened(small)
    refused = small.do("recordHand", KEEPER, match=match, transcript={"dealt": dealt, "plays": plays})
    assert (refused["__typename"], refused["field"]) == ("InvalidInputError", ["transcript", "plays", "1", "tile"])
    nothing = small.do("recordHand", KEEPER, match=match)
    assert nothing["field"] == ["facts"]


def test_what_the_league_does_not_know_is_not_found(small: Served) -> None:
    """NotFoundError says what was looked for."""
    asked = "... on NotFoundError { kind key }"
    hand = small.do("recordHand", KEEPER, asked, match="m-none", facts=domino(5))
    assert (hand["kind"], hand["key"], hand["field"]) == ("MATCH", "m-none", ["match"])
    assert small.do("renamePlayer", KEEPER, asked, player="nobody", name="N")["kind"] == "PLAYER"
    assert small.do("adoptEdition", ADMIN, asked, edition=99)["field"] == ["edition"]
    assert small.do("closeSeason", ADMIN, asked, season="none", end="2026-01-01T00:00:00Z")["kind"] == "SEASON"


def test_an_id_that_is_taken_is_refused(small: Served) -> None:
    """AlreadyExistsError, for players and matches."""
    refused = small.do("registerPlayer", KEEPER, "... on AlreadyExistsError { kind key }", playerId="ana", name="Anita")
    assert (refused["kind"], refused["key"], refused["field"]) == ("PLAYER", "ana", ["playerId"])
    match = opened(small)
    asked = {"matchId": match, "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"]}
    assert small.do("openMatch", KEEPER, **asked)["code"] == "ALREADY_EXISTS"


def test_the_same_key_gives_the_first_answer_and_stores_nothing(small: Served) -> None:
    """Also where the id was made up; with another input the key is refused."""
    key = uuid.uuid4().hex
    asked = {"name": "Ines", "idempotencyKey": key}
    first, second = (small.do("registerPlayer", KEEPER, "... on PlayerSuccess { playerId }", **asked) for _ in "12")
    assert first == second
    assert len(small.league.store.load(f"player:{first['playerId']}")) == 1
    other = small.do("registerPlayer", KEEPER, "... on KeyReusedError { key }", name="Juana", idempotencyKey=key)
    assert (other["code"], other["key"], other["field"]) == ("KEY_REUSED", key, ["idempotencyKey"])
    long = small.do("registerPlayer", KEEPER, name="Juana", idempotencyKey="x" * 201)
    assert long["field"] == ["idempotencyKey"]


def test_seasons_are_opened_and_closed_and_do_not_overlap(small: Served) -> None:
    """A season's end may come later; a second one over the same span is refused."""
    asked = "... on SeasonSuccess { season { seasonId name start end } }"
    done = small.do("openSeason", ADMIN, asked, seasonId="s26", name="2026", start="2026-01-01T00:00:00+02:00")
    assert done["season"] == {"seasonId": "s26", "name": "2026", "start": "2025-12-31T22:00:00Z", "end": None}
    overlap = small.do("openSeason", ADMIN, seasonId="s27", name="2027", start="2026-05-01T00:00:00Z")
    assert (overlap["__typename"], overlap["field"]) == ("InvalidInputError", ["start"])
    closed = small.do("closeSeason", ADMIN, asked, season="s26", end="2027-01-01T00:00:00Z")
    assert closed["season"]["end"] == "2027-01-01T00:00:00Z"
    assert small.do("closeSeason", ADMIN, season="s26", end="2028-01-01T00:00:00Z")["code"] == "SEASON_CLOSED"
    text = '{ matches(filter: {season: "s26"}) { totalCount } seasons { nodes { seasonId } } }'
    assert small.ask(text)["seasons"]["nodes"] == [{"seasonId": "s26"}]


def test_an_edition_is_published_and_adopted(small: Served) -> None:
    """It may name only what it changes; the timeline follows, and the matches of its span with it."""
    asked = "... on RulesSuccess { edition { number title document rulesets { name } } }"
    text = 'title = "K 32"\n[rating.k]\nprovisional = 32\n'
    done = small.do("publishEdition", ADMIN, asked, document=text)
    edition = done["edition"]
    assert (edition["number"], edition["title"], edition["document"]["rating"]["k"]["provisional"]) == (2, "K 32", 32)
    assert small.do("publishEdition", ADMIN, document=text, baseEdition=1)["code"] == "ALREADY_EXISTS"
    asked = "... on RulesSuccess { timeline { start edition { number } } }"
    start = "2026-06-01T00:00:00Z"
    adopted = small.do("adoptEdition", ADMIN, asked, edition=2, **{"from": start})
    assert adopted["timeline"] == [
        {"start": None, "edition": {"number": 1}},
        {"start": start, "edition": {"number": 2}},
    ]
    backwards = small.do("adoptEdition", ADMIN, edition=2, **{"from": start, "to": "2026-01-01T00:00:00Z"})
    assert (backwards["__typename"], backwards["field"]) == ("InvalidInputError", ["to"])


def test_house_rules_that_are_made_twice_with_one_key_get_the_same_edition(small: Served) -> None:
    """The answer names the edition that was published the first time, also if other rules hold by now."""
    asked = '... on RulesSuccess { edition { number title ruleset(name: "house-el-patio") { target } } }'
    given = {"ruleset": "cuban-150", "title": "El Patio", "settings": "target = 100", "idempotencyKey": "patio"}
    start = "2026-06-01T00:00:00Z"
    first = small.do("adoptHouseRules", ADMIN, asked, **given, **{"from": start})
    assert (first["edition"]["title"], first["edition"]["ruleset"]) == ("New ruleset El Patio", {"target": 100})
    small.do("adoptHouseRules", ADMIN, ruleset="cuban-150", title="La Esquina", **{"from": start})
    assert small.do("adoptHouseRules", ADMIN, asked, **given, **{"from": start}) == first


def test_an_edition_that_is_published_twice_with_one_key_is_one_after_house_rules_too(small: Served) -> None:
    """The key belongs to what was asked, and not to the edition that it would become by now."""
    asked = "... on RulesSuccess { edition { number } }"
    given = {"document": "rating.k.casual = 12", "idempotencyKey": "casual"}
    first = small.do("publishEdition", ADMIN, asked, **given)
    house = {"ruleset": "cuban-150", "title": "El Solar", "from": "2026-06-01T00:00:00Z"}
    assert "position" in small.do("adoptHouseRules", ADMIN, **house)
    assert small.do("publishEdition", ADMIN, asked, **given) == first


def test_a_preview_of_house_rules_says_what_they_change_from_when_and_by_which_edition(small: Served) -> None:
    """Nothing is stored. What the mutation would refuse is refused, with the title of the ruleset that has the name."""
    query = """query ($input: AdoptHouseRulesInput!) { it: previewHouseRules(input: $input) {
      ... on UserError { code message field }
      ... on HouseRulesPreview { name baseTitle edition publishes differences { setting before after } }
    } }"""
    house = {"ruleset": "dominican-200", "title": "La Acera", "from": "2026-06-01T00:00:00Z", "seenEdition": 1}
    given = {**house, "settings": "target = 150\ntiles_each = 7\nbonuses.chuchazo = false"}
    seen = small.ask(query, ADMIN, input=given)["it"]
    assert seen["publishes"][0] > seen.pop("edition")
    assert (seen["name"], seen["baseTitle"]) == ("house-la-acera", "Dominican, 200")
    assert seen["differences"] == [
        {"setting": "rulesets.house-la-acera.target", "before": "200", "after": "150"},
        {"setting": "rulesets.house-la-acera.bonuses.chuchazo", "before": "50", "after": "not given"},
    ]
    assert small.ask(query, ADMIN, input=given)["it"]["publishes"] == seen["publishes"]
    taken = small.ask(query, ADMIN, input={**house, "title": "DOMINICANO,  200"})["it"]
    assert (taken["code"], taken["field"]) == ("ALREADY_EXISTS", ["title"])
    assert "'Dominicano, 200' already exists: choose another name" in taken["message"]


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ("[rating]\nkk = 1\n", "rating.kk"),
        ("[rating.k]\ncasual = 'ten'\n", "rating.k.casual"),
        ("title = ", "(file)"),
    ],
)
def test_a_faulty_rulebook_is_refused_with_its_keys(small: Served, document: str, key: str) -> None:
    """InvalidRulebookError lists every fault by its dotted key."""
    asked = "... on InvalidRulebookError { problems { key reason } }"
    refused = small.do("publishEdition", ADMIN, asked, document=document, baseEdition=1)
    assert (refused["code"], refused["field"]) == ("INVALID_RULEBOOK", ["document"])
    assert [problem["key"] for problem in refused["problems"]] == [key]
    missing = small.do("publishEdition", ADMIN, document=document, baseEdition=77)
    assert (missing["__typename"], missing["field"]) == ("NotFoundError", ["baseEdition"])


def test_global_ids_and_ids_of_the_league_are_both_taken(small: Served) -> None:
    """A client that keeps only global ids needs no others."""
    ids = small.ask('{ a: player(id: "ana") { id } b: player(id: "bea") { id } }')
    asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": [ids["a"]["id"], ids["b"]["id"]]}
    fields = "... on MatchSuccess { match { id seats { playerId } } }"
    found = small.do("openMatch", KEEPER, fields, **asked)["match"]
    assert [seat["playerId"] for seat in found["seats"]] == ["ana", "bea"]
    assert small.do("voidMatch", KEEPER, match=found["id"], reason="a test")["__typename"] == "MatchSuccess"


@pytest.mark.parametrize("odd", ["a\0b", "half of a character: \ud83d"], ids=["null", "half"])
def test_text_that_cannot_be_stored_is_refused_at_the_field(small: Served, odd: str) -> None:
    """In names, ids, lists of ids and keys."""
    for given, at in (({"name": odd}, ["name"]), ({"name": "N", "playerId": odd}, ["playerId"])):
        refused = small.do("registerPlayer", KEEPER, **given)
        assert (refused["__typename"], refused["field"]) == ("InvalidInputError", at)
    asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", odd]}
    assert small.do("openMatch", KEEPER, **asked)["field"] == ["seats", "1"]
    assert small.do("registerPlayer", KEEPER, name="N", idempotencyKey=odd)["field"] == ["idempotencyKey"]
    assert small.error("query ($id: ID!) { player(id: $id) { name } }", id=odd)["extensions"]["code"] == "BAD_REQUEST"
