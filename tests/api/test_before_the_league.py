"""A migrated database without a league: every command is refused with an error as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, served, token
from leagues import own_database

from league.api.schema import schema

FACTS = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 30}]}
RULES = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE"}
NOON = "2026-03-01T12:00:00Z"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("registerPlayer", {"name": "Ana"}),
    ("registerPlayers", {"players": [{"name": "Ana"}]}),
    ("renamePlayer", {"player": "ana", "name": "Ana"}),
    ("movePlayer", {"player": "ana", "region": "Granma"}),
    ("erasePlayer", {"player": "ana"}),
    ("mergePlayers", {"keep": "ana", "drop": "bea"}),
    ("undoMerge", {"keep": "ana", "drop": "bea"}),
    ("openMatch", {**RULES, "seats": ["ana", "bea"]}),
    ("endMatch", {"match": "m"}),
    ("recordResult", {"match": "m", "announced": {"winner": 0}}),
    ("forfeitMatch", {"match": "m", "side": 0}),
    ("correctResult", {"match": "m", "announced": {"winner": 0}, "reason": "r"}),
    ("reopenMatch", {"match": "m", "reason": "r"}),
    ("voidMatch", {"match": "m", "reason": "r"}),
    ("confirmResult", {"match": "m"}),
    ("confirmResults", {"matches": ["m"]}),
    ("disputeResult", {"match": "m", "reason": "r"}),
    ("withdrawDispute", {"match": "m", "dispute": 1}),
    ("rejectDispute", {"match": "m", "dispute": 1, "reason": "r"}),
    ("recordHand", {"match": "m", "facts": FACTS}),
    ("confirmPhoto", {"photo": "p"}),
    ("correctPhotoCount", {"photo": "p", "pips": 3}),
    ("requestReview", {"match": "m", "hand": 1}),
    ("erasePhoto", {"photo": "p", "reason": "r"}),
    ("correctHand", {"match": "m", "hand": 1, "facts": FACTS, "reason": "r"}),
    ("openSeason", {"name": "Spring", "start": NOON}),
    ("closeSeason", {"season": "s", "end": NOON}),
    ("changeSettings", {"name": "Spring"}),
    ("closeMonth", {"month": "2026-03"}),
    ("closeEndedMonths", {}),
    ("reopenMonth", {"month": "2026-03"}),
    ("publishEdition", {"document": "", "baseEdition": 1}),
    ("publishEdition", {"document": ""}),
    ("adoptEdition", {"edition": 1}),
    ("adoptHouseRules", {"ruleset": "cuban-150", "title": "El patio", "from": NOON}),
    ("startReplay", {"document": ""}),
    ("startReplay", {"edition": 1}),
    ("startReplay", {"knownAt": NOON}),
    ("cancelReplay", {"replay": 1}),
    ("dropReplay", {"replay": 1}),
    ("nameReplay", {"replay": 1}),
    ("showReplay", {"replay": 1, "reason": "r"}),
    ("withdrawReplay", {"replay": 1, "reason": "r"}),
    ("computeReplayAgain", {"replay": 1}),
    ("promoteReplay", {"replay": 1, "reason": "r"}),
    ("rollBack", {"reason": "r"}),
    ("revokeToken", {"tokenId": "t"}),
    ("makeSignInLink", {"memberId": "k"}),
    ("addMember", {"subject": "kim", "roles": ["ADMIN"]}),
    ("changeMember", {"memberId": "k", "roles": ["ADMIN"]}),
    ("removeMember", {"memberId": "k"}),
    ("grantAccess", {"memberId": "k", "roles": ["ADMIN"]}),
    ("declineAccess", {"memberId": "k"}),
    ("endSessions", {}),
    ("openTable", RULES),
    ("planTournament", {"plan": {"name": "", "format": "SWISS", "ruleset": "none"}}),
    ("changeTournamentPlan", {"tournament": "none", "plan": {"name": "", "format": "SWISS", "ruleset": "none"}}),
    ("enterTournament", {"tournament": "none", "competitors": [{"players": ["bea"]}]}),
    ("checkInToTournament", {"tournament": "none", "competitors": ["bea"]}),
    ("withdrawFromTournament", {"tournament": "none", "competitor": "bea"}),
    ("claimAbsence", {"tournament": "none", "competitor": "bea", "round": 1}),
    ("confirmAbsence", {"tournament": "none", "competitor": "bea", "round": 1}),
    ("requestBye", {"tournament": "none", "competitor": "bea", "round": 1}),
    ("takeBackBye", {"tournament": "none", "competitor": "bea", "round": 1}),
    ("returnToTournament", {"tournament": "none", "competitor": "bea"}),
    ("commitToDrawing", {"tournament": "none", "competitor": "bea", "commitment": "00" * 32}),
    ("drawRound", {"tournament": "none"}),
    (
        "contributeToDrawing",
        {"tournament": "none", "competitor": "bea", "round": 1, "drawing": 1, "contribution": "00" * 32},
    ),
    ("publishRound", {"tournament": "none", "round": 1}),
    ("withdrawRound", {"tournament": "none", "round": 1, "reason": "r"}),
    ("openFixture", {"tournament": "none", "round": 1, "table": 1}),
    ("changePairings", {"tournament": "none", "round": 1, "tables": [], "reason": "r"}),
    ("recordAbsence", {"tournament": "none", "round": 1, "table": 1, "sides": [0]}),
    ("replaceTournamentMatch", {"tournament": "none", "round": 1, "table": 1, "reason": "r"}),
    ("closeRound", {"tournament": "none", "round": 1}),
    ("confirmRound", {"tournament": "none", "round": 1}),
    ("endTournament", {"tournament": "none"}),
    ("openTableOfMatch", {"match": "m"}),
    ("setReviewConsent", {"player": "bea", "consents": True}),
    ("playersCame", {"players": ["bea"]}),
    ("playerLeft", {"player": "bea"}),
    ("openMatchTonight", {**RULES, "seats": ["ana", "bea"]}),
    ("openRematch", {"match": "m"}),
    ("closeTable", {"table": "t"}),
    ("takeSeat", {"table": "t", "seat": 0}),
    ("seatAi", {"table": "t", "seat": 0}),
    ("leaveSeat", {"table": "t"}),
    ("sayReady", {"table": "t"}),
    ("contributeSeed", {"table": "t", "hand": 1, "contribution": "00" * 32}),
    ("acceptReshuffle", {"table": "t", "hand": 1}),
    ("declineReshuffle", {"table": "t", "hand": 1}),
    ("playTile", {"table": "t", "hand": 1, "turn": 1, "tile": [6, 6]}),
    ("sayPhrase", {"table": "t", "phrase": "HELLO"}),
    ("mutePlayer", {"table": "t", "player": "ana"}),
    ("unmutePlayer", {"table": "t", "player": "ana"}),
]
QUERIES: list[tuple[str, dict[str, Any]]] = [
    ("scoreHand", {**RULES, "facts": FACTS}),
    ("scoreHand", {**RULES, "facts": FACTS, "edition": 1}),
    ("deriveFacts", {**RULES, "transcript": {"dealt": [], "plays": []}}),
]


@pytest.fixture(scope="module")
def nothing(embedded_server: str) -> Iterator[Served]:
    with own_database(embedded_server) as url, served(url, projecting=False) as server:
        yield server


def test_every_mutation_is_called_here() -> None:
    """A new one has to be added."""
    core = schema._schema.mutation_type
    assert core is not None
    assert {name for name, _ in CALLS} == set(core.fields)


@pytest.mark.parametrize(("operation", "given"), CALLS + QUERIES)
@pytest.mark.parametrize("role", ["admin", "player"])
def test_before_the_league_exists_all_is_answered_with_data(
    nothing: Served, operation: str, given: dict[str, Any], role: str
) -> None:
    """Each operation returns a refusal of its kind or needs no league; none fails unexpectedly."""
    kind = operation[0].upper() + operation[1:]
    what = "query" if (operation, given) in QUERIES else "mutation"
    text = f"{what} ($input: {kind}Input!) {{ it: {operation}(input: $input) {{ __typename }} }}"
    said = nothing.ask(text, token(role), input=given)["it"]["__typename"]
    assert said.endswith("Error") or operation in ("confirmResults", "endSessions")
