"""Merging players over HTTP: what it would change, the merge, reading by both ids, and the undoing."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token
from leagues import announced, send
from table_clients import WHOLE_CHANGES, AtTable, deal, moment, outcome
from waiting import wait_until

from league.api.graphql.shaping.relay import global_id
from league.domain.disputes import ResultDisputed
from league.domain.player import ErasePlayer, RegisterPlayer
from league.infra.database import connect

ADMIN, KEEPER = token("admin", sub="boss"), token("scorekeeper", sub="kim")
PREVIEW = """
    query ($keep: ID!, $drop: ID!) {
        previewMerge(keep: $keep, drop: $drop) {
            __typename
            ... on MergePreview { matches changes { playersMoved matchesRatedAnew moves { competitorId mode after } } }
            ... on UserError { code message }
        }
    }
"""
READ = """
    query ($id: ID!, $at: BigInt!) @readFrom(afterPosition: $at) {
        player(id: $id) {
            playerId displayName formerIds rating(mode: ONE_ON_ONE) { value }
            matches { nodes { matchId } }
        }
    }
"""


def do(small: Served, mutation: str, by: str | None = ADMIN, **given: Any) -> Any:
    return small.do(mutation, by, "... on PlayerSuccess { player { playerId formerIds } }", **given)


def read(small: Served, player: str, at: Any) -> Any:
    return small.ask(READ, id=player, at=str(at))["player"]


@pytest.mark.heavy
def test_a_merge_is_previewed_done_read_by_both_ids_and_undone(small: Served) -> None:
    """The preview has the rating that the merge then gives; after the undoing all is as it was."""
    register = RegisterPlayer("bea-2", "Beatriz Zaldívar", "Granma")
    won, again, between = (announced(f"p{day}", seats, day) for day, seats in enumerate(
        (("ana", "bea"), ("bea-2", "cira"), ("ana", "cira")), 1
    ))  # fmt: skip
    at = send(small.league, register, won, again, between)
    before = {player: read(small, player, at) for player in ("ana", "bea", "bea-2", "cira")}
    assert before["bea"]["formerIds"] == []

    found = small.ask(PREVIEW, ADMIN, keep="bea", drop="bea-2")["previewMerge"]
    assert (found["__typename"], found["matches"], found["changes"]["matchesRatedAnew"]) == ("MergePreview", 1, 2)
    assert small.league.store.head() == at
    merged = do(small, "mergePlayers", keep="bea", drop="bea-2", idempotencyKey="one")
    assert merged["player"] == {"playerId": "bea", "formerIds": ["bea-2"]}
    assert do(small, "mergePlayers", keep="bea", drop="bea-2", idempotencyKey="one") == merged

    one = read(small, "bea-2", merged["position"])
    assert one == read(small, "bea", merged["position"])
    assert (one["playerId"], {match["matchId"] for match in one["matches"]["nodes"]}) == ("bea", {"p1", "p2"})
    moves = found["changes"]["moves"]
    rating = next(move["after"] for move in moves if (move["competitorId"], move["mode"]) == ("bea", "ONE_ON_ONE"))
    assert one["rating"]["value"] == rating
    assert {move["after"] for move in moves if move["competitorId"] == "bea-2"} == {None}

    listed = "{ merges { nodes { keepId keepName dropId dropName player { playerId } } } }"
    assert small.ask(listed, ADMIN)["merges"]["nodes"] == [
        {"keepId": "bea", "keepName": "Bea", "dropId": "bea-2", "dropName": "Beatriz Zaldívar",
         "player": {"playerId": "bea"}}
    ]  # fmt: skip
    assert small.error(listed, KEEPER)["extensions"]["code"] == "FORBIDDEN"

    objects = small.ask(
        "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=[global_id("Player", one) for one in ("bea-2", "bea")]
    )["nodes"]
    assert objects == [{"id": global_id("Player", "bea")}] * 2

    undoing = small.ask(PREVIEW.replace("previewMerge", "previewUndoMerge"), ADMIN, keep="bea", drop="bea-2")
    foreseen = undoing["previewUndoMerge"]
    assert (foreseen["matches"], foreseen["changes"]["matchesRatedAnew"]) == (1, 2)
    after = {move["competitorId"]: move["after"] for move in foreseen["changes"]["moves"]}
    assert {player: after[player] for player in ("bea", "bea-2")} == {
        player: before[player]["rating"]["value"] for player in ("bea", "bea-2")
    }
    undone = do(small, "undoMerge", keep="bea", drop="bea-2")
    assert undone["player"] == {"playerId": "bea-2", "formerIds": []}
    assert {player: read(small, player, undone["position"]) for player in before} == before


def test_names_that_look_the_same_are_listed_for_merging(small: Served) -> None:
    """With the two inputs of the merge; after it they are gone from the list."""
    at = send(small.league, RegisterPlayer("tw-1", "Tomás", None), RegisterPlayer("tw-2", "Tom\u200eás", None))
    listed = """query ($at: BigInt!) @readFrom(afterPosition: $at) {
        nameTwins { nodes { keep { playerId } drop { playerId } } }
    }"""
    found = small.ask(listed, ADMIN, at=str(at))["nameTwins"]["nodes"]
    assert found == [{"keep": {"playerId": "tw-1"}, "drop": {"playerId": "tw-2"}}]
    merged = do(small, "mergePlayers", keep="tw-1", drop="tw-2")
    assert small.ask(listed, ADMIN, at=merged["position"])["nameTwins"]["nodes"] == []
    assert small.error(listed, KEEPER, at=str(at))["extensions"]["code"] == "FORBIDDEN"


def test_merges_are_refused_by_name(small: Served) -> None:
    """Each refusal is a type with the ids it is about; the preview gives the same."""
    register = (RegisterPlayer(id_, id_.title(), None) for id_ in ("x1", "x2", "x3", "gone"))
    send(small.league, *register, announced("together", ("x1", "x2"), 4), ErasePlayer("gone"))

    def refused(keep: str, drop: str) -> tuple[str, list[str] | None]:
        said = small.do("mergePlayers", ADMIN, keep=keep, drop=drop)
        previewed = small.ask(PREVIEW, ADMIN, keep=keep, drop=drop)["previewMerge"]
        assert (previewed["code"], previewed["message"]) == (said["code"], said["message"])
        return said["code"], said["field"]

    assert refused("x1", "x2") == ("PLAYED_TOGETHER", ["drop"])
    assert refused("nobody", "x2") == ("NOT_FOUND", ["keep"])
    assert refused("x1", "gone")[0] == "PLAYER_ERASED"
    assert refused("x1", "x1") == ("INVALID", ["drop"])
    assert do(small, "undoMerge", keep="x1", drop="x3")["code"] == "NOT_MERGED"
    do(small, "mergePlayers", keep="x1", drop="x3")
    assert refused("x3", "x1")[0] == "MERGE_CIRCLE"
    assert refused("x2", "x3") == ("ALREADY_MERGED", ["drop"])
    assert do(small, "mergePlayers", KEEPER, keep="x1", drop="x2")["code"] == "FORBIDDEN"
    assert small.error(PREVIEW, KEEPER, keep="x1", drop="x2")["extensions"]["code"] == "FORBIDDEN"
    together = small.do("mergePlayers", ADMIN, "... on PlayedTogetherError { match players }", keep="x1", drop="x2")
    assert (together["match"], sorted(together["players"])) == ("together", ["x1", "x2"])


def test_an_old_id_is_read_as_the_player_everywhere(small: Served) -> None:
    """Filters, the search by either name, head to head, the trail; lists have the player once."""
    names = {"dor-1": "Dora Quesada", "dor-2": "Dorotea Quirós", "eli": "Eli"}
    send(small.league, *(RegisterPlayer(id_, name, None) for id_, name in names.items()))
    send(small.league, announced("d1", ("dor-1", "eli"), 6), announced("d2", ("dor-2", "eli"), 7))
    at = do(small, "mergePlayers", keep="dor-1", drop="dor-2")["position"]
    found = small.ask(
        """query ($at: BigInt) @readFrom(afterPosition: $at) {
            matches(filter: {competitor: "dor-2"}) { totalCount }
            headToHead(a: "dor-2", b: "eli") { a { competitor { displayName } statistics { matches } } }
            search(query: "Quirós", kinds: [PLAYERS]) { totalCount nodes { ... on Player { playerId } } }
            both: search(query: "Qu", kinds: [PLAYERS]) { totalCount nodes { ... on Player { playerId } } }
            players(filter: {nameStartsWith: "Do", nameContains: "Qu"}) { nodes { playerId } }
            similarPlayers(name: "Dorotea Quiros") { playerId }
            trail(filter: {player: "dor-2"}) { nodes { event { name } } }
        }""",
        ADMIN,
        at=at,
    )
    only = [{"playerId": "dor-1"}]
    assert found["matches"]["totalCount"] == 2
    side = found["headToHead"]["a"]
    assert (side["competitor"]["displayName"], side["statistics"]["matches"]) == ("Dora Quesada", 2)
    assert found["search"] == found["both"] == {"totalCount": 1, "nodes": only}
    assert found["players"]["nodes"] == found["similarPlayers"] == only
    events = [one["event"]["name"] for one in found["trail"]["nodes"]]
    assert (events.count("player-registered/1"), events.count("match-opened/1")) == (2, 2)


def test_a_token_of_an_old_id_acts_for_the_player(small: Served) -> None:
    """They dispute and withdraw by the id with which they sit in the match; others do not."""
    names = {"fe": "Fe", "fe-2": "Fe María", "gil": "Gil"}
    send(small.league, *(RegisterPlayer(id_, name, None) for id_, name in names.items()))
    send(small.league, announced("f1", ("fe", "gil"), 8))
    do(small, "mergePlayers", keep="fe", drop="fe-2")
    old, gil = token("player", sub="fe-2"), token("player", sub="gil")
    assert do(small, "movePlayer", gil, player="fe", region="Cibao")["code"] == "FORBIDDEN"
    assert do(small, "movePlayer", old, player="fe", region="Cibao")["player"]["playerId"] == "fe"
    assert "code" not in small.do("disputeResult", old, match="f1", reason="It was the other way round.")
    [event] = [one.event for one in small.league.store.load("match:f1") if isinstance(one.event, ResultDisputed)]
    assert event.player == "fe"
    assert small.do("withdrawDispute", gil, match="f1", dispute=1)["code"] == "NOT_YOUR_DISPUTE"
    assert "code" not in small.do("withdrawDispute", token("player", sub="fe"), match="f1", dispute=1)
    assert "code" not in small.do("confirmResult", old, match="f1")


def test_an_erasure_erases_the_names_of_all_ids(small: Served) -> None:
    """Also of the id that was dropped, and when that one is named."""
    names = {"hugo": "Hugo", "hugo-2": "Hugo Leal"}
    send(small.league, *(RegisterPlayer(id_, name, None) for id_, name in names.items()))
    do(small, "mergePlayers", keep="hugo", drop="hugo-2")
    erased = do(small, "erasePlayer", player="hugo-2")
    listed = "query ($at: BigInt) @readFrom(afterPosition: $at) { merges { nodes { dropId keepName dropName } } }"
    merges = small.ask(listed, ADMIN, at=erased["position"])["merges"]["nodes"]
    [one] = [merge for merge in merges if merge["dropId"] == "hugo-2"]
    assert "Hugo" not in one["keepName"] + one["dropName"]
    for id_ in names:
        assert small.league.store.load(f"player:{id_}")[0].event.name is None  # type: ignore[union-attr]  # registered


@pytest.mark.heavy
def test_a_token_of_either_id_acts_at_a_live_table(small: Served) -> None:
    """It sits where the other id sits, sees its tiles, is heard and connected there; not after the merge is undone."""
    names = {"ida": "Ida", "ida-2": "Ida Mena", "jon": "Jon"}
    send(small.league, *(RegisterPlayer(id_, name, None) for id_, name in names.items()))
    do(small, "mergePlayers", keep="ida", drop="ida-2")
    new, old, jon = (AtTable(small, "merged", sub) for sub in ("ida", "ida-2", "jon"))
    jon.open(competition="CASUAL", listed=False, invited=["ida"])
    listed = '{ tables(filter: {player: "ida-2"}) { nodes { tableId viewerSeat } } }'
    assert old.sit(0)["table"]["viewerSeat"] == 0
    assert small.ask(listed, new.token)["tables"]["nodes"] == [{"tableId": "merged", "viewerSeat": 0}]
    assert new.do("takeSeat", seat=1)["code"] == "ALREADY_SEATED"
    jon.sit(1)
    with new.following(query=WHOLE_CHANGES) as hers, jon.following() as his:
        assert moment(hers)["__typename"] == moment(his)["__typename"] == "TableSnapshot"
        deal([new, jon])
        dealt = next(said for said in iter(lambda: moment(hers), None) if said["__typename"] == "HandDealt")
        tiles = new.look()["hand"]["ownTiles"]
        assert dealt["ownTiles"] == tiles == old.look()["hand"]["ownTiles"] != jon.look()["hand"]["ownTiles"]
        with connect(small.league.database.url, autocommit=True) as conn:
            conn.execute("DELETE FROM live_presence WHERE table_id = 'merged'")
            wait_until(lambda: conn.execute("SELECT FROM live_presence WHERE player_id = 'ida-2'").rowcount)
        assert outcome(new, "mutePlayer", player="jon") is None
        assert outcome(jon, "mutePlayer", player="ida") is None
        assert [outcome(at, "sayPhrase", phrase="GIVE_WATER") for at in (jon, new)] == [None, None]
        said = next(said for said in iter(lambda: moment(hers), None) if said["__typename"] == "PhraseSaid")
        assert said["seat"] == 0  # not Jon, whom she has muted by another id than that of her seat
        do(small, "undoMerge", keep="ida", drop="ida-2")
        jon.do("leaveSeat")
        left = moment(hers)
        assert (left["__typename"], left["table"]["viewerSeat"]) == ("SeatHandedOver", None)
        assert left["table"]["hand"]["ownTiles"] is None
    assert (new.look()["viewerSeat"], new.look()["hand"]["ownTiles"]) == (None, None)
    assert old.look()["viewerSeat"] == 0
    assert new.do("leaveSeat")["code"] == "NOT_SEATED"
