"""Merging players over HTTP: what it would change, the merge, reading by both ids, and the undoing."""

from __future__ import annotations

from typing import Any

from api_server import Served, token
from leagues import announced, send

from league.domain.player import ErasePlayer, RegisterPlayer

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

    undone = do(small, "undoMerge", keep="bea", drop="bea-2")
    assert undone["player"] == {"playerId": "bea-2", "formerIds": []}
    assert {player: read(small, player, undone["position"]) for player in before} == before


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
    assert refused("x1", "gone")[0] == "WRONG_STATE"
    assert refused("x1", "x1") == ("INVALID", ["drop"])
    assert do(small, "undoMerge", keep="x1", drop="x3")["code"] == "NOT_MERGED"
    do(small, "mergePlayers", keep="x1", drop="x3")
    assert refused("x3", "x1")[0] == "MERGE_CIRCLE"
    assert refused("x2", "x3") == ("ALREADY_MERGED", ["drop"])
    assert do(small, "mergePlayers", KEEPER, keep="x1", drop="x2")["code"] == "FORBIDDEN"
    assert small.ask(PREVIEW, KEEPER, keep="x1", drop="x2")["previewMerge"]["code"] == "FORBIDDEN"
    together = small.do("mergePlayers", ADMIN, "... on PlayedTogetherError { match players }", keep="x1", drop="x2")
    assert (together["match"], sorted(together["players"])) == ("together", ["x1", "x2"])
