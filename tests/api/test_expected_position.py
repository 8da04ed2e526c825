"""Two clients overwrite the same thing: the second one gets what is stored now, as data."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token

KEEPER, ADMIN = token("scorekeeper", sub="kim"), token("admin", sub="boss")
CHANGED = """... on ChangedSinceError { expectedPosition position changedAt event { position name actor }
    hand { number points position } player { name region position } }"""


def facts(pips: int) -> dict[str, Any]:
    """A domino of the first seat."""
    return {"starter": 0, "ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": pips}]}


def a_hand(small: Served, match: str) -> Any:
    """The only hand of a new match."""
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"], "competition": "CASUAL"}
    small.do("openMatch", KEEPER, matchId=match, **given)
    read = "... on MatchSuccess { hand { number points position } }"
    return small.do("recordHand", KEEPER, read, match=match, facts=facts(20))["hand"]


@pytest.mark.parametrize("sender", [KEEPER, ADMIN])
def test_the_second_of_two_corrections_gets_the_hand_as_it_is(small: Served, sender: str) -> None:
    """Both have read the same hand. Who wrote it is told to those who may read the trail."""
    match = f"two-{'admin' if sender is ADMIN else 'keeper'}"
    hand = a_hand(small, match)
    common = {"match": match, "hand": 1, "reason": "miscounted", "expectedPosition": hand["position"]}
    first = small.do("correctHand", KEEPER, facts=facts(30), **common)
    assert first["__typename"] == "MatchSuccess"
    refused = small.do("correctHand", sender, CHANGED, facts=facts(40), **common)
    assert (refused["code"], refused["field"]) == ("CHANGED_SINCE", ["expectedPosition"])
    assert (refused["expectedPosition"], refused["position"]) == (hand["position"], first["position"])
    assert refused["hand"] == {"number": 1, "points": [30, 0], "position": first["position"]}
    actor = "kim" if sender is ADMIN else None
    assert refused["event"] == {"position": first["position"], "name": "hand-corrected/1", "actor": actor}
    again = small.do("correctHand", sender, facts=facts(40), **{**common, "expectedPosition": refused["position"]})
    assert again["__typename"] == "MatchSuccess"


def test_a_player_has_the_position_that_a_new_name_takes(small: Served) -> None:
    """So has the league: its position is that of all that was read beside it. A region is no name."""
    at = "query ($at: BigInt!) @readFrom(afterPosition: $at)"
    registered = small.do("registerPlayer", ADMIN, playerId="two-names", name="Two")
    read = f'{at} {{ league {{ position }} player(id: "two-names") {{ position }} }}'
    known = small.ask(read, at=registered["position"])
    player, everything = known["player"]["position"], known["league"]["position"]
    assert int(player) <= int(everything)
    renamed = small.do("renamePlayer", ADMIN, player="two-names", name="One", expectedPosition=player)
    assert renamed["__typename"] == "PlayerSuccess"
    for position in (player, everything):
        refused = small.do("renamePlayer", KEEPER, CHANGED, player="two-names", name="Three", expectedPosition=position)
        assert refused["code"] == "CHANGED_SINCE"
        assert refused["player"] == {"name": "One", "region": None, "position": renamed["position"]}
    moved = small.do("movePlayer", KEEPER, player="two-names", region="Holguín", expectedPosition=player)
    assert moved["__typename"] == "PlayerSuccess"
    assert small.ask(read, at=moved["position"])["player"]["position"] == moved["position"]


def test_settings_that_another_admin_has_changed_are_not_overwritten(small: Served) -> None:
    """The league's own position is what the form of the settings was made from."""
    known = small.ask("{ league { name timeZone position } }")["league"]
    first = small.do("changeSettings", ADMIN, name="Renamed", expectedPosition=known["position"])
    refused = small.do("changeSettings", ADMIN, CHANGED, name="Another", expectedPosition=known["position"])
    assert (refused["code"], refused["position"], refused["hand"]) == ("CHANGED_SINCE", first["position"], None)
    given = {"name": known["name"], "expectedPosition": refused["position"]}
    assert small.do("changeSettings", ADMIN, **given)["__typename"] == "LeagueSuccess"


def test_a_member_that_another_admin_has_changed_is_not_overwritten(small: Served) -> None:
    """The position of a member is that of the log, since members are not folded."""
    small.do("addMember", ADMIN, memberId="two-roles", subject="two@club", roles=["AUDITOR"])
    read = '{ member(id: "two-roles") { position roles } }'
    known = small.ask(read, ADMIN)["member"]
    given = {"memberId": "two-roles", "expectedPosition": known["position"]}
    first = small.do("changeMember", ADMIN, roles=["SCOREKEEPER"], **given)
    refused = small.do("changeMember", ADMIN, CHANGED, roles=["ADMIN"], **given)
    assert (refused["code"], refused["position"]) == ("CHANGED_SINCE", first["position"])
    assert small.ask(read, ADMIN)["member"] == {"position": first["position"], "roles": ["SCOREKEEPER"]}
    small.do("removeMember", ADMIN, memberId="two-roles")
