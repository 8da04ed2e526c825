"""The plan of a tournament over GraphQL: what was read can be sent back, and two changes at once are told apart."""

from __future__ import annotations

from typing import Any

from api_server import Served, token

KEEPER = token("scorekeeper")
PLAN = """{ league { position } tournament(id: "%s") { plan {
  hash name format ruleset mode competition rounds legs firstRound partners fullCycle regionRounds lockedPlayCasually
  opponentWindow { rounds } partnerWindow { rounds } tieBreaks scoreCap differenceCap minutes atBell checkIn lateEntries
  setupMinutes withdrawals bye { won pointsFor pointsAgainst } walkover { won pointsFor pointsAgainst }
  requestedBye { won pointsFor pointsAgainst }
} } }"""
FULL = {
    "name": "Llena", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 4, "scoreCap": 100,
    "opponentWindow": {"rounds": None}, "partnerWindow": {"rounds": 2}, "tieBreaks": ["DIRECT"], "minutes": 25,
    "setupMinutes": 5, "walkover": {"won": True, "pointsFor": None, "pointsAgainst": 5},
    "requestedBye": {"won": True, "pointsFor": 9},
}  # fmt: skip


def planned(small: Served, id_: str, plan: dict[str, Any]) -> dict[str, Any]:
    answer = small.do("planTournament", KEEPER, tournamentId=id_, plan=plan)
    small.follow(answer["position"])
    return read(small, id_)


def read(small: Served, id_: str) -> dict[str, Any]:
    """The plan as the API answers it, without its hash, and the hash."""
    plan: dict[str, Any] = small.ask(PLAN % id_)["tournament"]["plan"]
    return plan


def test_a_plan_that_was_read_can_be_sent_back(small: Served) -> None:
    """Nothing of it changes, and another tournament that is planned with it has the same plan."""
    plan = planned(small, "llena", FULL)
    given = {name: value for name, value in plan.items() if name != "hash"}
    answer = small.do("changeTournamentPlan", KEEPER, tournament="llena", plan=given)
    small.follow(answer["position"])
    assert read(small, "llena") == plan
    assert planned(small, "como-la-ultima", given) == plan


def test_a_change_keeps_what_it_does_not_name(small: Served) -> None:
    """It names what returns to its default."""
    planned(small, "corta", {**FULL, "name": "Corta"})
    answer = small.do(
        "changeTournamentPlan", KEEPER, tournament="corta", plan={"minutes": 30}, remove=["SCORE_CAP", "TIE_BREAKS"]
    )
    small.follow(answer["position"])
    plan = read(small, "corta")
    assert (plan["minutes"], plan["scoreCap"], plan["partnerWindow"]) == (30, None, {"rounds": 2})
    assert plan["tieBreaks"] == ["BUCHHOLZ", "DIFFERENCE", "POINTS_FOR"]
    both = small.do("changeTournamentPlan", KEEPER, tournament="corta", plan={"minutes": 9}, remove=["MINUTES"])
    assert (both["code"], both["field"]) == ("INVALID", ["remove", "0"])


def test_the_second_of_two_organisers_is_told(small: Served) -> None:
    """The error has the position of the change that they do not know."""
    planned(small, "doble", {**FULL, "name": "Doble"})
    known = small.ask("{ league { position } }")["league"]["position"]
    first = small.do("changeTournamentPlan", KEEPER, tournament="doble", plan={"minutes": 30}, expectedPosition=known)
    second = small.do(
        "changeTournamentPlan", KEEPER, "... on ChangedSinceError { position }", tournament="doble",
        plan={"rounds": 6}, expectedPosition=known,
    )  # fmt: skip
    assert (second["__typename"], second["position"]) == ("ChangedSinceError", first["position"])
