"""Why a table came about, over GraphQL: computed by a worker, and read as rows."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, heard, subscribe, token
from waiting import wait_until

from league.infra.database import connect
from league.tournaments.explained_rounds import ask_for_explanation, waiting_rounds
from league.tournaments.explaining import explain_round

KEEPER = token("scorekeeper")
PLAYERS = ("ana", "bea", "cira", "dora", "eva", "flor")
TABLES = "nodes { number byHand whyState why { stage instead sentence } }"
ROUND = f"tables(first: 9) {{ {TABLES} }} draft {{ tables(first: 9) {{ {TABLES} }} }}"
SEEN = f"query ($id: ID!) {{ tournament(id: $id) {{ round(number: 1) {{ {ROUND} }} }} }}"


def do(small: Served, mutation: str, **given: Any) -> None:
    answer = small.do(mutation, KEEPER, **given)
    assert answer["__typename"].endswith("Success"), answer
    small.follow(answer["position"])


def planned(small: Served, tournament: str, format_: str) -> None:
    rounds = {"rounds": 2} if format_ == "SWISS" else {}
    plan = {"name": "Copa", "format": format_, "mode": "ONE_ON_ONE", "ruleset": "cuban-150", **rounds}
    do(small, "planTournament", tournamentId=tournament, plan=plan)
    do(small, "enterTournament", tournament=tournament, competitors=[{"players": [player]} for player in PLAYERS])
    do(small, "drawRound", tournament=tournament)


def tables(small: Served, tournament: str, bearer: str | None = None) -> list[dict[str, Any]]:
    of = small.ask(SEEN, bearer, id=tournament)["tournament"]["round"]
    found: list[dict[str, Any]] = (of["draft"] or of)["tables"]["nodes"]
    return found


def waiting(small: Served) -> list[tuple[str, int]]:
    with connect(small.league.database.url) as conn:
        return waiting_rounds(conn, 9)


def test_a_table_says_that_its_choices_are_being_computed_until_a_worker_has_them(small: Served) -> None:
    """Asking for a draft lets it wait, and so does the publication. A subscription learns of the end."""
    planned(small, "suizo", "SWISS")
    url = small.league.database.url
    assert waiting(small) == []
    draft = tables(small, "suizo", KEEPER)
    assert [(table["whyState"], table["why"]) for table in draft] == [("COMPUTING", [])] * 3
    assert waiting(small) == [("suizo", 1)]
    explain_round(url, "suizo", 1)
    explained = wait_until(lambda: [one for one in tables(small, "suizo", KEEPER) if one["whyState"] == "EXPLAINED"])
    assert [one["stage"] for table in explained for one in table["why"]] == ["OPPONENTS"] * 3
    do(small, "publishRound", tournament="suizo", round=1)
    assert (tables(small, "suizo"), waiting(small)) == (explained, [])
    with connect(url) as conn:
        conn.execute("DELETE FROM tournament_explanations")
        ask_for_explanation(conn, "suizo", 1, 1)
    live = f'subscription {{ tournamentChanged(id: "suizo") {{ round(number: 1) {{ tables {{ {TABLES} }} }} }} }}'
    with small.socket() as socket:
        subscribe(socket, live)
        before = heard(socket)["tournamentChanged"]["round"]["tables"]["nodes"]
        assert {table["whyState"] for table in before} == {"COMPUTING"}
        explain_round(url, "suizo", 1)
        assert heard(socket)["tournamentChanged"]["round"]["tables"]["nodes"] == explained


@pytest.mark.heavy
def test_what_nobody_chose_waits_for_no_worker(small: Served) -> None:
    """A round robin says so at once. So do a table that was paired by hand, and a round that was withdrawn."""
    planned(small, "liga", "ROUND_ROBIN")
    do(small, "publishRound", tournament="liga", round=1)
    fixed = [(table["whyState"], table["why"][0]["stage"]) for table in tables(small, "liga")]
    assert fixed == [("EXPLAINED", "FIXED")] * 3
    planned(small, "a-mano", "SWISS")
    do(small, "publishRound", tournament="a-mano", round=1)
    sides = small.ask(
        '{ tournament(id: "a-mano") { round(number: 1) { tables { nodes { sides { competitorIds } } } } } }'
    )["tournament"]["round"]["tables"]["nodes"]
    (a, b), (x, y) = ([side["competitorIds"] for side in table["sides"]] for table in sides[:2])
    by_hand = [{"table": 1, "sides": [a, x]}, {"table": 2, "sides": [b, y]}]
    do(small, "changePairings", tournament="a-mano", round=1, tables=by_hand, reason="they asked")
    assert [table["whyState"] for table in tables(small, "a-mano")] == ["BY_HAND", "BY_HAND", "COMPUTING"]
    do(small, "withdrawRound", tournament="a-mano", round=1, reason="no light")
    assert {table["whyState"] for table in tables(small, "a-mano")} == {"WITHDRAWN"}
    assert waiting(small) == []
