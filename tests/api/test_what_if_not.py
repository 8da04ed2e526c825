"""What would be different for a player if a match had not been, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token
from leagues import announced, send

from league.domain.disputes import DisputeResult

AUDITOR = token("auditor", sub="audit")
WITHOUT = """
    query ($match: ID!, $player: ID!) {
        whatIfNot(match: $match, player: $player) {
            __typename
            ... on Preview {
                playersMoved matchesRatedAnew
                moves { competitorId mode before after }
                places { competitorId }
                results { matchId after { status } }
                months { standingsChanged }
            }
            ... on UserError { code message }
        }
    }
"""


def without(small: Served, match: str, player: str, by: str | None = AUDITOR) -> Any:
    return small.ask(WITHOUT, by, match=match, player=player)["whatIfNot"]


@pytest.mark.heavy
def test_without_a_match_only_the_player_is_shown(small: Served) -> None:
    """The ratings after a void; the lists have no other player, and nothing is stored."""
    at = send(small.league, announced("w1", ("ana", "bea"), 1), announced("w2", ("bea", "cira"), 2))
    small.ask('query ($at: BigInt) @readFrom(afterPosition: $at) { match(id: "none") { id } }', at=str(at))
    seen = without(small, "w1", "cira")
    assert (seen["playersMoved"], seen["matchesRatedAnew"]) == (1, 2)
    assert {row["competitorId"] for row in (*seen["moves"], *seen["places"])} == {"cira"}
    assert seen["results"] == [{"matchId": "w1", "after": {"status": "VOIDED"}}]
    assert small.league.store.head() == at
    after = next(move["after"] for move in seen["moves"] if move["mode"] == "ONE_ON_ONE")
    done = small.do("voidMatch", token("scorekeeper", sub="kim"), match="w1", reason="never played")
    rated = small.ask(
        'query ($at: BigInt) @readFrom(afterPosition: $at) { player(id: "cira") { ratings { mode value } } }',
        at=done["position"],
    )
    assert {"mode": "ONE_ON_ONE", "value": after} in rated["player"]["ratings"]


def test_what_if_not_is_for_auditors_and_those_who_may_void(small: Served) -> None:
    """It is as much work as the correction; what is not there is not found."""
    refused = small.error(WITHOUT, token("player", sub="bea"), match="w2", player="bea")["extensions"]
    assert refused == {"code": "FORBIDDEN", "needs": ["ADMIN", "SCOREKEEPER", "AUDITOR"]}
    assert without(small, "none", "bea")["code"] == "NOT_FOUND"
    assert without(small, "w2", "nobody")["code"] == "NOT_FOUND"


def test_an_open_dispute_is_no_obstacle(small: Served) -> None:
    """A match that was never played has no dispute either: the void that is tried settles it."""
    at = send(small.league, announced("w3", ("ana", "bea"), 3), DisputeResult("w3", "bea", "the third hand was ours"))
    small.follow(str(at))
    assert without(small, "w3", "ana")["__typename"] == "Preview"
