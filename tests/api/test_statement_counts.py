"""How many statements a page costs: as many as it has kinds of things, however many rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from api_server import Served, token
from sqlalchemy import event

from league.api.graphql.executing import limits


@pytest.fixture(autouse=True)
def dear_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size in a variable counts as the largest one: what is counted here is statements, not points."""
    monkeypatch.setattr(limits, "DEAREST", 100_000)


BOARD = """query ($n: Int) { board(kind: ONE_ON_ONE, includeInactive: true) { places(first: $n) { totalCount nodes {
  rank value player { name region ratings { mode value } } } } } }"""
MATCHES = """query ($n: Int) { matches(first: $n) { nodes { matchId score edition { number } season { name }
  sides { players { name } team { rating { value } } } seats { player { region } }
  hands { points terms { rule points } leftover { tiles } } event { recordedAt } log { name }
  ratingChanges { after player { name } edition { number } event { name } } } } }"""
PLAYERS = """query ($n: Int) { players(first: $n) { nodes { name
  ratingHistory(first: 3) { totalCount nodes { after match { matchId } } }
  matches(first: 3) { totalCount nodes { matchId hands { points } } }
  teams(first: 3) { totalCount nodes { players { name } rating { value } } } } } }"""

BADGES = """query ($n: Int) { badges { key description holderCount }
  badge(key: "matches-10") { holders(first: $n) { totalCount nodes { player { name } match { matchId } } } }
  players(first: $n) { nodes { badgeProgress { best next { key } }
    badges { badge { description holderCount } match { matchId } event { name } edition { number } } } } }"""

STATISTICS = """query ($n: Int) { players(first: $n) { nodes { name
  statistics(filter: {month: "2026-01"}) { matches winRate currentStreak { length } longestWinningStreak { length }
    form { won match { matchId } } peakRating { value match { matchId } } bestWin { match { matchId } } }
  partners(first: 3) { totalCount nodes { matches competitor { id ... on Player { name } } } }
  opponents(first: 3) { nodes { matches competitor { id } } }
  ratingSeries(points: 10) { points { rating } } } } }"""


PAIRS = """query ($n: Int) { teams(first: $n, filter: {nameContains: "a"}) { nodes { displayName rating { value rank }
  badges { badge { key } player { displayName } } matches(first: 3) { nodes { matchId ruleset { title } } } } } }"""

FOUND = """query ($n: Int) { search(query: "a", kinds: [PLAYERS], first: $n) { totalCount nodes {
  ... on Player { displayName rating(mode: OVERALL) { rank } } } } }"""


@contextmanager
def counted(season: Served) -> Iterator[list[str]]:
    """The statements that are executed meanwhile."""
    statements: list[str] = []

    def count(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "hold_run" not in statement:  # an operation may take over the snapshot of the one before
            statements.append(statement)

    event.listen(season.app.state.engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(season.app.state.engine, "before_cursor_execute", count)


def test_the_rules_and_open_matches_of_a_month_are_read_once(season: Served) -> None:
    """However many ask for their opponents; each list has a page and a count of its own."""
    query = """query ($n: Int) { players(first: $n) { nodes { series(month: "2026-01") {
      opponents(first: 3) { totalCount nodes { opponentId } } } } } }"""
    costs = []
    for size in (2, 12):
        with counted(season) as statements:
            season.ask(query, n=size)
        costs.append(len(statements))
    assert costs[1] - costs[0] == 2 * 10


def test_a_page_of_encounters_is_one_statement(season: Served) -> None:
    """Beside the month, its rules, its open matches, the names and the count."""
    query = """query ($n: Int) { seriesMonth(month: "2026-01") { encounters(first: $n) { totalCount nodes {
      competitor { displayName } opponent { displayName } winsLeft locked mayMeet } } } }"""
    costs = []
    for size in (2, 100):
        with counted(season) as statements:
            season.ask(query, n=size)
        costs.append(len(statements))
    assert costs[0] == costs[1] <= 8, "\n\n".join(statements)


@pytest.mark.parametrize(
    ("query", "most"),
    [(BOARD, 3), (MATCHES, 12), (PLAYERS, 14), (BADGES, 15), (STATISTICS, 15), (PAIRS, 9), (FOUND, 10)],
)
def test_a_page_costs_the_same_however_long_it_is(season: Served, query: str, most: int) -> None:
    """Players with regions on a board, matches with players and hands, players with pages of their own."""
    costs = []
    for size in (2, 20):
        with counted(season) as statements:
            season.ask(query, n=size)
        costs.append(len(statements))
    assert costs[0] == costs[1] <= most, "\n\n".join(statements)


def test_names_in_several_lists_of_an_object_are_read_together(season: Served) -> None:
    """Names of players at tables, of those who sit out and of places are one statement; a state is read once."""
    plan = {"name": "Copa", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    season.do("planTournament", token("admin"), tournamentId="nombres", plan=plan)
    players = [
        one["playerId"] for one in season.ask("{ players(first: 5) { nodes { playerId } } }")["players"]["nodes"]
    ]
    entered = [{"players": [player]} for player in players]
    season.do("enterTournament", token("admin"), tournament="nombres", competitors=entered)
    season.do("drawRound", token("admin"), tournament="nombres")
    season.follow(season.do("publishRound", token("admin"), tournament="nombres", round=1)["position"])
    page = """{ tournament(id: "nombres") { standing(first: %s) { nodes { displayName } } publishedRound {
      tables(first: 4) { nodes { sides { players { displayName } } } } byes { nodes { displayName } } } } }"""
    season.ask(page % 5)
    with counted(season) as statements:
        found = season.ask(page % 4)["tournament"]
    assert found["publishedRound"]["byes"]["nodes"][0]["displayName"]
    assert sum("players.name" in statement for statement in statements) == 1
    assert not any("tournaments.state" in statement for statement in statements)
