"""Whether a round is out of date, over GraphQL."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token

from league.tournaments.api import rounds

KEEPER = token("scorekeeper")
PLAYERS = ("ana", "bea", "cira", "dora")


def do(small: Served, mutation: str, **given: Any) -> None:
    """A mutation that must succeed."""
    answer = small.do(mutation, KEEPER, "... on TournamentSuccess { tournament { status } position }", **given)
    assert answer["__typename"].endswith("Success"), answer
    small.follow(answer["position"])


def test_whether_a_round_is_out_of_date_is_computed_once_for_one_state(
    small: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two different requests share one comparison; a late entry changes the answer."""
    compared: list[int] = []
    compare = rounds.is_outdated

    def counted(seen: Any, of: Any, drawing: Any) -> bool:
        compared.append(of.number)
        return compare(seen, of, drawing)

    monkeypatch.setattr(rounds, "is_outdated", counted)

    def outdated(name: str) -> bool:
        asked = f'query {name} {{ tournament(id: "copa") {{ lastRound {{ draft {{ isOutdated }} }} }} }}'
        found: bool = small.ask(asked, KEEPER)["tournament"]["lastRound"]["draft"]["isOutdated"]
        return found

    plan = {"name": "Copa", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 3}
    do(small, "planTournament", tournamentId="copa", plan=plan)
    do(small, "enterTournament", tournament="copa", competitors=[{"players": [one]} for one in PLAYERS[:3]])
    do(small, "drawRound", tournament="copa")
    assert [outdated("One"), outdated("Another")] == [False, False]
    assert compared == [1]
    do(small, "enterTournament", tournament="copa", competitors=[{"players": [PLAYERS[3]]}])
    assert outdated("Later")
    assert compared == [1, 1]
