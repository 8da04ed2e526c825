"""Who may do what: the whole table of roles by mutations, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token

from league.api.auth.permissions import PERMISSIONS
from league.api.auth.reach import ROLES
from league.api.schema import schema

# The table of docs/api/permissions.md, written out a second time: a slip in one of them shows.
ANY, OWN, NO = "any", "own", None
TABLE: dict[str, dict[str, str | None]] = {
    #                  player            scorekeeper        admin         auditor
    "registerPlayer": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "registerPlayers": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "renamePlayer": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "movePlayer": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "erasePlayer": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "mergePlayers": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "undoMerge": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "openMatch": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "playersCame": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "playerLeft": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "openMatchTonight": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "openRematch": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "readWhoIsHere": {"player": ANY, "scorekeeper": ANY, "admin": ANY, "auditor": ANY},
    "recordHand": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "correctHand": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "endMatch": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "correctResult": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "reopenMatch": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "forfeitMatch": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "voidMatch": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "recordResult": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "confirmResult": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "confirmResults": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "disputeResult": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "withdrawDispute": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "rejectDispute": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "importSheet": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "openSeason": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "closeSeason": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "closeMonth": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "closeEndedMonths": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "reopenMonth": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "publishEdition": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "adoptEdition": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "adoptHouseRules": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "revokeToken": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "changeSettings": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "makeSignInLink": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "addMember": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "changeMember": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "removeMember": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "grantAccess": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "declineAccess": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "endSessions": {"player": OWN, "scorekeeper": OWN, "admin": OWN, "auditor": OWN},
    "startReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "cancelReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "dropReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "nameReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "showReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "withdrawReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "promoteReplay": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "computeReplayAgain": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "rollBack": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "planTournament": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "changeTournamentPlan": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "returnToTournament": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "drawRound": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "publishRound": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "withdrawRound": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "openFixture": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "changePairings": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "recordAbsence": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "replaceTournamentMatch": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "closeRound": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "confirmRound": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "enterTournament": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "checkInToTournament": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "claimAbsence": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "confirmAbsence": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "commitToDrawing": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "contributeToDrawing": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "withdrawFromTournament": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "requestBye": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "takeBackBye": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "endTournament": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "openTable": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "openTableOfMatch": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "closeTable": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "seatAi": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "takeSeat": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "leaveSeat": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "sayReady": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "contributeSeed": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "acceptReshuffle": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "declineReshuffle": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "playTile": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "sayPhrase": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "mutePlayer": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "unmutePlayer": {"player": OWN, "scorekeeper": NO, "admin": NO, "auditor": NO},
    "requestReview": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "setReviewConsent": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "uploadPhoto": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "confirmPhoto": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "correctPhotoCount": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "erasePhoto": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "readPhoto": {"player": OWN, "scorekeeper": ANY, "admin": ANY, "auditor": ANY},
    "watchTables": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": ANY},
    "readReviews": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": ANY},
    "readRulesReview": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": ANY},
    "whatIfHand": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "whatIf": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "whatIfNot": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": ANY},
    "readDisputes": {"player": NO, "scorekeeper": ANY, "admin": ANY, "auditor": NO},
    "downloadBackup": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "readMembers": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": NO},
    "readDrafts": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": ANY},
    "readLogDetails": {"player": NO, "scorekeeper": NO, "admin": ANY, "auditor": ANY},
    "readProof": {"player": OWN, "scorekeeper": NO, "admin": ANY, "auditor": ANY},
}

FACTS = {"ended": {"by": "BLOCK"}, "leftover": [None, None]}
DAY = "2026-01-01T00:00:00Z"
# Each refers to something unknown or impossible, so that nothing is written, whatever the viewer's role.
INPUTS: dict[str, dict[str, Any]] = {
    "registerPlayer": {"playerId": "ana", "name": "Ana"},
    "registerPlayers": {"players": [{"playerId": "ana", "name": "Ana"}]},
    "renamePlayer": {"player": "bea", "name": ""},
    "movePlayer": {"player": "bea", "region": "x" * 101},
    "erasePlayer": {"player": "none"},
    "mergePlayers": {"keep": "none", "drop": "none"},
    "undoMerge": {"keep": "none", "drop": "none"},
    "openMatch": {"ruleset": "none", "mode": "ONE_ON_ONE", "seats": ["bea", "cira"]},
    "recordHand": {"match": "none", "facts": FACTS},
    "correctHand": {"match": "none", "hand": 1, "facts": FACTS, "reason": "r"},
    "endMatch": {"match": "none"},
    "correctResult": {"match": "none", "announced": {"winner": 0}, "reason": "r"},
    "reopenMatch": {"match": "none", "reason": "r"},
    "forfeitMatch": {"match": "none", "side": 0},
    "voidMatch": {"match": "none", "reason": "r"},
    "recordResult": {"match": "none", "announced": {"winner": 0}},
    "confirmResult": {"match": "none", "player": "bea"},
    "disputeResult": {"match": "none", "player": "bea", "reason": "r"},
    "withdrawDispute": {"match": "none", "dispute": 1},
    "rejectDispute": {"match": "none", "dispute": 1, "reason": "r"},
    "openSeason": {"name": "", "start": DAY},
    "closeSeason": {"season": "none", "end": DAY},
    "closeMonth": {"month": "none"},
    "closeEndedMonths": {},
    "reopenMonth": {"month": "none"},
    "publishEdition": {"document": "nonsense"},
    "adoptEdition": {"edition": 99},
    "adoptHouseRules": {"ruleset": "none", "title": "Patio", "from": "2026-06-01T00:00:00Z"},
    "planTournament": {"plan": {"name": "", "format": "SWISS", "ruleset": "none"}},
    "changeTournamentPlan": {"tournament": "none", "plan": {"name": "", "format": "SWISS", "ruleset": "none"}},
    "enterTournament": {"tournament": "none", "competitors": [{"players": ["bea"]}]},
    "checkInToTournament": {"tournament": "none", "competitors": ["bea"]},
    "claimAbsence": {"tournament": "none", "competitor": "bea", "round": 1},
    "confirmAbsence": {"tournament": "none", "competitor": "bea", "round": 1},
    "commitToDrawing": {"tournament": "none", "competitor": "bea", "commitment": "00"},
    "contributeToDrawing": {
        "tournament": "none",
        "competitor": "bea",
        "round": 1,
        "drawing": 1,
        "contribution": "00",
    },
    "withdrawFromTournament": {"tournament": "none", "competitor": "bea"},
    "requestBye": {"tournament": "none", "competitor": "bea", "round": 1},
    "takeBackBye": {"tournament": "none", "competitor": "bea", "round": 1},
    "returnToTournament": {"tournament": "none", "competitor": "bea"},
    "drawRound": {"tournament": "none"},
    "publishRound": {"tournament": "none", "round": 1},
    "withdrawRound": {"tournament": "none", "round": 1, "reason": "r"},
    "openFixture": {"tournament": "none", "round": 1, "table": 1},
    "changePairings": {"tournament": "none", "round": 1, "tables": [], "reason": "r"},
    "recordAbsence": {"tournament": "none", "round": 1, "table": 1, "sides": [0]},
    "replaceTournamentMatch": {"tournament": "none", "round": 1, "table": 1, "reason": "r"},
    "closeRound": {"tournament": "none", "round": 1},
    "confirmRound": {"tournament": "none", "round": 1},
    "endTournament": {"tournament": "none"},
    "openTableOfMatch": {"match": "none"},
    "closeTable": {"table": "none"},
    "seatAi": {"table": "none", "seat": 0},
    "revokeToken": {"tokenId": ""},
    "changeSettings": {"name": ""},
    "makeSignInLink": {"memberId": "none"},
    "addMember": {"subject": "", "roles": ["ADMIN"]},
    "changeMember": {"memberId": "none", "roles": ["ADMIN"]},
    "removeMember": {"memberId": "none"},
    "grantAccess": {"memberId": "none", "roles": ["ADMIN"]},
    "declineAccess": {"memberId": "none"},
    "confirmPhoto": {"photo": "none"},
    "correctPhotoCount": {"photo": "none", "pips": 3},
    "requestReview": {"match": "none", "hand": 1},
    "setReviewConsent": {"player": "none", "consents": True},
    "playersCame": {"players": ["none"]},
    "playerLeft": {"player": "none"},
    "openMatchTonight": {"ruleset": "none", "mode": "ONE_ON_ONE", "seats": ["none"]},
    "openRematch": {"match": "none"},
    "erasePhoto": {"photo": "none", "reason": "r"},
    "startReplay": {"season": "none"},
    "cancelReplay": {"replay": 999},
    "dropReplay": {"replay": 999},
    "computeReplayAgain": {"replay": 999},
    "promoteReplay": {"replay": 999, "reason": "r"},
    "nameReplay": {"replay": 999},
    "showReplay": {"replay": 999, "reason": "r"},
    "withdrawReplay": {"replay": 999, "reason": "r"},
    "rollBack": {"reason": "r"},
}


def refused(small: Served, operation: str, bearer: str | None, **given: Any) -> Any:
    """The code with which a viewer is turned away; None when the door is open."""
    kind = operation[0].upper() + operation[1:]
    text = (
        f"mutation ($input: {kind}Input!) {{ it: {operation}(input: $input) "
        "{ ... on ForbiddenError { code operation needs } } }"
    )
    said = small.ask(text, bearer, input={**INPUTS[operation], **given})["it"]
    assert not said or said["operation"] == operation
    return said.get("code")


def test_the_table_is_complete() -> None:
    """Every mutation of the schema and every role has its place in it."""
    mutations = set(schema._schema.mutation_type.fields)  # type: ignore[union-attr]
    others = {
        "downloadBackup", "importSheet", "readDisputes", "readDrafts", "readLogDetails", "readMembers", "readPhoto",
        "readProof", "readReviews", "readRulesReview", "readWhoIsHere", "uploadPhoto", "watchTables", "whatIf",
        "whatIfHand", "whatIfNot",
    }  # fmt: skip
    assert set(PERMISSIONS) == set(TABLE) == mutations | others
    assert {operation: {role: roles.get(role) for role in ROLES} for operation, roles in PERMISSIONS.items()} == TABLE


@pytest.mark.parametrize("operation", INPUTS)
def test_a_role_opens_exactly_the_doors_of_the_table(small: Served, operation: str) -> None:
    """`own` means closed here: the viewer neither is the player nor sits in the match."""
    for role, reach in TABLE[operation].items():
        expected = None if reach == ANY else "FORBIDDEN"
        assert refused(small, operation, token(role, sub="ana")) == expected, role
    assert refused(small, operation, token(sub="ana")) == "FORBIDDEN"
    assert refused(small, operation, None) == "UNAUTHENTICATED"


def test_each_of_several_results_has_its_own_door(small: Served) -> None:
    """A player may ask for several; a match of others is refused, and no other with it."""
    asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": ["bea", "cira"]}
    match = small.do("openMatch", token("admin"), "... on MatchSuccess { matchId }", **asked)["matchId"]
    small.do("recordResult", token("admin"), match=match, announced={"winner": 0})
    bearers = {role: token(role, sub="ana") for role in ROLES} | {"nobody": None}
    text = "mutation ($input: ConfirmResultsInput!) { it: confirmResults(input: $input) { ... on UserError { code } "
    text += "... on ConfirmationsSuccess { answers { refusal { code } } } } }"
    given = {"matches": [match]}
    said = {who: small.ask(text, bearer, input=given)["it"] for who, bearer in bearers.items()}
    assert {who: answer.get("code") for who, answer in said.items()} == {
        "player": None, "scorekeeper": "FORBIDDEN", "admin": None, "auditor": "FORBIDDEN", "nobody": "UNAUTHENTICATED",
    }  # fmt: skip
    refusals = {who: said[who]["answers"][0]["refusal"]["code"] for who in ("player", "admin")}
    assert refusals == {"player": "DID_NOT_PLAY", "admin": "NOTHING_TO_CONFIRM"}


def test_players_keep_their_own_affairs(small: Served) -> None:
    """They rename themselves, open matches they sit in, and record hands or the whole result there."""
    ana, bea, cira = (token("player", sub=player) for player in ("ana", "bea", "cira"))
    assert refused(small, "renamePlayer", ana, player="ana") is None
    assert refused(small, "movePlayer", ana, player="ana") is None
    assert refused(small, "openMatch", ana, seats=["bea", "ana"]) is None
    asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"]}
    match = small.do("openMatch", ana, "... on MatchSuccess { matchId }", **asked)["matchId"]
    wrong = {"ended": {"by": "BLOCK", "seat": 1}, "leftover": [None, None]}
    assert refused(small, "recordHand", bea, match=match, facts=wrong) is None
    assert refused(small, "recordHand", cira, match=match, facts=wrong) == "FORBIDDEN"
    outsider = small.do("recordResult", cira, match=match, announced={"winner": 0})
    assert (outsider["code"], outsider["field"]) == ("FORBIDDEN", ["match"])
    assert refused(small, "recordResult", bea, match=match, announced={"winner": 9}) is None
    assert refused(small, "voidMatch", ana, match=match) == "FORBIDDEN"


def test_a_refused_player_learns_that_it_is_about_somebody_else(small: Served) -> None:
    """The field names what is not theirs, and the message the roles that may do it for everybody."""
    ana = token("player", sub="ana")
    renamed = small.do("renamePlayer", ana, player="bea", name="Bea")
    opened = small.do("openMatch", ana, ruleset="cuban-150", mode="ONE_ON_ONE", seats=["bea", "cira"])
    assert [renamed["field"], opened["field"]] == [["player"], ["seats"]]
    assert "somebody else" in renamed["message"]
    assert "admin or scorekeeper" in opened["message"]


def test_who_is_not_signed_in_is_told_to_sign_in(small: Served) -> None:
    """Without a token the message names the token, not only a role."""
    text = """mutation { renamePlayer(input: {player: "ana", name: "Ana"}) { ... on UserError { code message } } }"""
    refused = small.ask(text)["renamePlayer"]
    assert refused["code"] == "UNAUTHENTICATED"
    assert refused["message"].startswith("Sign in first")
