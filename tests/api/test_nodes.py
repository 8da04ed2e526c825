"""Every object with a global id is found again by it."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from typing import Any

import pytest
from api_server import Served, token
from graphql import GraphQLInterfaceType

from league.api.finding import FIND
from league.api.graphql.shaping.relay import global_id
from league.api.schema import core

ADMIN = token("admin")

PATHS = {
    "Player": '{ player(id: "p004") { OBJECT } }',
    "Team": "{ teams(first: 1) { nodes { OBJECT } } }",
    "Match": "{ matches(first: 1) { nodes { OBJECT } } }",
    "Edition": "{ edition(number: 1) { OBJECT } }",
    "RatingChange": '{ match(id: "c-0001") { ratingChanges { OBJECT } } }',
    "Board": "{ board { OBJECT } }",
    "Hand": '{ match(id: "c-0007") { hands { OBJECT } } }',
    "SeriesMonth": '{ a: seriesMonth(month: "2026-01") { OBJECT } b: seriesMonth(mode: TWO_ON_TWO) { OBJECT } }',
    "EarnedBadge": "{ badges { holders(first: 2) { nodes { OBJECT } } } }",
}
"""For each type a query in which objects of it lie below `OBJECT`."""
IN_SMALL = ("Season", "Table", "Photo", "Replay", "Dispute", "Member", "Tournament")
"""Types of which the season of the tests has no object."""
FIELDS = {
    "Player": "id playerId name",
    "Team": "id teamId",
    "Match": "id matchId beganAt",
    "Edition": "id hash",
    "RatingChange": "id mode before after",
    "Board": "id kind region includeInactive asOf month mode",
    "Hand": "id number points terms { rule points }",
    "SeriesMonth": "id month mode startsAt standings(first: 2) { totalCount }",
    "EarnedBadge": "id earnedAt badge { key } match { matchId }",
}
"""The fields that are read of each object."""


def objects(answer: Any) -> list[Any]:
    """All objects with an id in an answer."""
    if isinstance(answer, list):
        return [found for one in answer for found in objects(one)]
    if not isinstance(answer, dict):
        return []
    return [answer] if "id" in answer else [found for one in answer.values() for found in objects(one)]


def test_every_type_with_an_id_can_be_fetched() -> None:
    """Each type that implements `Node` has a row in `FIND`, a kind of ids and a test."""
    node = core.get_type("Node")
    assert isinstance(node, GraphQLInterfaceType)
    names = sorted(kind.name for kind in core.get_possible_types(node))
    assert names == sorted(FIND) == sorted([*PATHS, *IN_SMALL])
    assert sorted(PATHS) == sorted(FIELDS)


@pytest.mark.parametrize("kind", PATHS)
def test_an_object_is_found_again_by_its_id(season: Served, kind: str) -> None:
    """With the same fields, alone and in a list."""
    found = objects(season.ask(PATHS[kind].replace("OBJECT", FIELDS[kind])))
    assert found
    fragment = f"{{ __typename ... on {kind} {{ {FIELDS[kind]} }} }}"
    again = [{"__typename": kind, **one} for one in found]
    ids = [one["id"] for one in found]
    assert season.ask(f"query ($ids: [ID!]!) {{ nodes(ids: $ids) {fragment} }}", ids=ids)["nodes"] == again
    assert season.ask(f"query ($id: ID!) {{ node(id: $id) {fragment} }}", id=ids[0])["node"] == again[0]


def test_an_id_has_one_form(season: Served) -> None:
    """Another one that would lead to the same object finds nothing."""
    query = "query ($id: ID!) { node(id: $id) { id } }"
    for one in objects(season.ask(PATHS["RatingChange"].replace("OBJECT", "id"))):
        kind, _, local = urlsafe_b64decode(one["id"] + "==").decode().partition(":")
        match, _, of = local.split(":")
        assert season.ask(query, id=one["id"])["node"] == one
        assert season.ask(query, id=global_id(kind, f"{match}:another:{of}"))["node"] is None


def test_a_season_is_found_again_by_its_id(small: Served) -> None:
    """As another type with an id."""
    read = "... on SeasonSuccess { season { id name } }"
    season = small.do("openSeason", ADMIN, read, name="Spring", start="2026-03-01T00:00:00Z")["season"]
    again = small.ask("query ($id: ID!) { node(id: $id) { id ... on Season { name } } }", id=season["id"])
    assert again["node"] == season


NODE = """query ($id: ID!) { node(id: $id) { id
    ... on Replay { number state } ... on Dispute { number reason } ... on Member { memberId roles } } }"""


def test_a_replay_is_found_again_by_its_id(small: Served) -> None:
    """As soon as it was requested, though nothing of the read side has changed."""
    read = "... on ReplaySuccess { replay { id number state } }"
    start = f"mutation ($input: StartReplayInput!) {{ startReplay(input: $input) {{ {read} }} }}"
    replay = small.ask(start, ADMIN, input={"document": "rating.k.casual = 9"})["startReplay"]["replay"]
    assert replay["state"] == "WAITING"
    assert small.ask(NODE, ADMIN, id=replay["id"])["node"] == replay
    for number in ("0", "01", "999", "x", "9" * 20):
        assert small.ask(NODE, id=global_id("Replay", number)) == {"node": None}


def test_a_dispute_is_found_again_by_its_id(small: Served) -> None:
    """Everybody finds it, as on its match."""
    match = {"matchId": "disputed", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"]}
    small.do("openMatch", ADMIN, **match, competition="CASUAL")
    small.do("recordResult", ADMIN, match="disputed", announced={"winner": 0})
    read = "... on MatchSuccess { match { disputes { id number reason } } }"
    bea = token("player", sub="bea")
    [dispute] = small.do("disputeResult", bea, read, match="disputed", reason="no")["match"]["disputes"]
    assert small.ask(NODE, id=dispute["id"])["node"] == dispute
    for said in ("disputed:2", "disputed:01", "disputed", "another:1"):
        assert small.ask(NODE, id=global_id("Dispute", said)) == {"node": None}


def test_a_member_is_found_again_by_an_admin_only(small: Served) -> None:
    """At once, though no member is of the read side; to others there is none. `member` takes either id."""
    added = small.do("addMember", ADMIN, subject="lee@club", memberId="lee", roles=["SCOREKEEPER"])
    assert added["__typename"] == "MemberSuccess"
    member = {"memberId": "lee", "roles": ["SCOREKEEPER"], "id": global_id("Member", "lee")}
    assert small.ask(NODE, ADMIN, id=member["id"])["node"] == member
    for id_ in ("lee", member["id"]):
        assert small.ask("query ($id: ID!) { member(id: $id) { id } }", ADMIN, id=id_)["member"] == {"id": member["id"]}
    for seeing in (None, token("scorekeeper"), token("auditor")):
        assert small.ask(NODE, seeing, id=member["id"])["node"] is None
    assert small.ask(NODE, ADMIN, id=global_id("Member", "\x00"))["node"] is None
    small.do("removeMember", ADMIN, memberId="lee")


@pytest.mark.parametrize("said", ["1v1:2026-13", "1v1:", "1v1:2026-1", "overall:2026-01", "2026-01", ":"])
def test_an_id_that_no_month_has_finds_none(season: Served, said: str) -> None:
    """Other spellings, no mode."""
    assert season.ask(NODE, id=global_id("SeriesMonth", said)) == {"node": None}


BOARDS = [
    "kind: GLOBAL",
    "kind: ONE_ON_ONE, includeInactive: true",
    'kind: CAPICUAS, asOf: "2026-01-20T12:00:00+01:00"',
    'kind: TWO_ON_TWO, region: "Camagüey", includeInactive: true, asOf: "2026-01-20T00:00:00.123456Z"',
    'kind: SERIES, month: "2026-01"',
    'kind: SERIES, mode: TWO_ON_TWO, month: "2026-01", region: "Camagüey"',
    "kind: SERIES",
]
ON_BOARD = f"{FIELDS['Board']} places {{ totalCount nodes {{ rank value competitorId }} }}"


@pytest.mark.parametrize("arguments", BOARDS)
def test_a_board_is_found_with_all_of_its_arguments(season: Served, arguments: str) -> None:
    """`node` shows the places again, of the month that the board showed."""
    board = season.ask(f"{{ board({arguments}) {{ {ON_BOARD} }} }}")["board"]
    again = season.ask(f"query ($id: ID!) {{ node(id: $id) {{ ... on Board {{ {ON_BOARD} }} }} }}", id=board["id"])
    assert again["node"] == board
    assert (board["month"] is not None) == (board["mode"] is not None) == ("SERIES" in arguments)


def test_boards_have_the_same_id_if_and_only_if_they_are_the_same(season: Served) -> None:
    """SERIES without a month has the id of the month that it shows."""
    *ids, latest = [season.ask(f"{{ board({arguments}) {{ id }} }}")["board"]["id"] for arguments in BOARDS]
    assert len(set(ids)) == len(ids)
    assert latest == ids[BOARDS.index('kind: SERIES, month: "2026-01"')]


def local(id_: str) -> Any:
    """What the id of a board says."""
    return json.loads(urlsafe_b64decode(id_ + "==").decode().removeprefix("Board:"))


@pytest.mark.parametrize(
    "said",
    [
        '{"kind":"none"}',
        '{"kind":"global","month":"2026-01"}',
        '{"kind":"global","mode":"1v1"}',
        '{"kind":"series"}',
        '{"kind":"series","month":"2026-01"}',
        '{"kind":"series","month":"2026-13","mode":"1v1"}',
        '{"kind":"series","month":"2026-01","mode":"overall"}',
        '{"kind":"global","include_inactive":false}',
        '{"kind":"global","as_of":"2026-01-01T00:00:00"}',
        '{"kind":"global","as_of":"0001-01-01T00:00:00+14:00"}',
        '{"kind": "global"}',
        "{}",
        "[]",
        "",
    ],
)
def test_an_id_that_no_board_has_finds_none(season: Served, said: str) -> None:
    """Other kinds, months and modes where there are none, other spellings, no JSON."""
    assert season.ask("query ($id: ID!) { node(id: $id) { id } }", id=global_id("Board", said)) == {"node": None}


@pytest.mark.parametrize("said", ["c-0007", "c-0007:", "c-0007:0", "c-0007:01", "c-0007:99", "none:1", ":1"])
def test_an_id_that_no_hand_has_finds_none(season: Served, said: str) -> None:
    """Other numbers, other spellings, other matches."""
    assert season.ask("query ($id: ID!) { node(id: $id) { id } }", id=global_id("Hand", said)) == {"node": None}


def test_a_hand_keeps_its_id_when_it_is_corrected_and_its_match_voided(small: Served) -> None:
    """It has other points then, and none."""
    facts = {"starter": 0, "ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 30}]}
    match = {"matchId": "corrected", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"]}
    small.do("openMatch", ADMIN, **match)
    read = "... on MatchSuccess { match { hands { id points } } }"
    hand = small.do("recordHand", ADMIN, read, match="corrected", facts=facts)["match"]["hands"][0]
    again = (
        "query ($id: ID!, $at: BigInt) @readFrom(afterPosition: $at) { node(id: $id) { id ... on Hand { points } } }"
    )
    facts["leftover"] = [{"tiles": []}, {"pips": 40}]
    done = small.do("correctHand", ADMIN, match="corrected", hand=1, facts=facts, reason="miscounted")
    corrected = small.ask(again, id=hand["id"], at=done["position"])["node"]
    done = small.do("voidMatch", ADMIN, match="corrected", reason="never played")
    voided = small.ask(again, id=hand["id"], at=done["position"])["node"]
    assert [hand["points"], corrected["points"], voided["points"]] == [[30, 0], [40, 0], None]
    assert hand["id"] == corrected["id"] == voided["id"]
