"""A number in two runs over HTTP: its value under edition 1 and under another edition, and the terms that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from api_server import Served, served, token
from leagues import catch_up, domino, found, league_at, official, own_database, played, revised, send

from league.projections.replays.replay import ReplayPeriod, replay

RULES = """
rating.k.provisional = 30
series.game_points = 6
rulesets.cuban-150.counted_pips = "all_others"
badges.pollonas = [1, 3]
"""
BESIDE = """{ total firstDivergence { matchId mode competitorId ratingBefore ratingAfter terms { term } }
  before { value run edition { number } } after { value run edition { number } }
  terms { name differs share before { value because { explanation { run } } } after { value }
    settings { key before after } } }"""

QUERIES = {
    "hand": ('{ match(id: "t2") { hands { WHY } } }', "LEFTOVER", "rulesets.cuban-150.counted_pips"),
    "change": ('{ ratingChange(match: "t1", of: "ana") { WHY } }', "K", "rating.k.provisional"),
    "standing": (
        '{ seriesMonth(month: "2026-03") { standings(first: 1) { nodes { WHY } } } }',
        "GAME_POINTS",
        "series.game_points",
    ),
    "badge": (
        '{ badge(key: "pollonas-1") { holders(first: 5) { nodes { WHY } } } }',
        "THRESHOLD",
        "badges.pollonas",
    ),
    "place": ("{ board(kind: ONE_ON_ONE) { places(first: 1) { nodes { WHY } } } }", "ONE_ON_ONE", None),
}
"""For each kind of explanation: its query, a term, and a setting of that term in which the two editions differ."""


class TwoRuns(NamedTuple):
    """A served league, its official run, and one under other rules."""

    league: Served
    official: int
    revised: int

    def beside(self, query: str, first: int | None, second: int) -> list[Any]:
        """The answer to `WHY` in a query, with the first run beside the second."""
        argument = "" if first is None else f"(run: {first})"
        asked = query.replace("WHY", f"explanation {{ against{argument} {BESIDE} }}")
        return list(found_in(self.league.ask(f"query @readFrom(run: {second}) {asked}", token("auditor"))))


def found_in(answer: Any) -> Iterator[Any]:
    """Every `against` in an answer."""
    if isinstance(answer, dict) and "against" in answer:
        yield answer["against"]
    elif isinstance(answer, dict | list):
        for part in answer.values() if isinstance(answer, dict) else answer:
            yield from found_in(part)


@pytest.fixture(scope="module")
def two(embedded_server: str) -> Iterator[TwoRuns]:
    """A match of two players and one of two pairs."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            pairs = ("ana", "bea", "cira", "dora")
            send(league, played("t1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
            send(league, played("t2", pairs, 3, domino(0, (), 30, 5, 20), domino(0, (), 70, 5, 60)))
            catch_up(league)
            run = replay(url, revised(RULES), ReplayPeriod())
        with served(url) as server:
            yield TwoRuns(server, official(url), run)


@pytest.mark.parametrize("kind", QUERIES)
def test_every_number_is_set_beside_that_of_another_run(two: TwoRuns, kind: str) -> None:
    """The values of both, the terms that differ, and the settings that make them differ."""
    query, name, key = QUERIES[kind]
    said = two.beside(query, two.official, two.revised)
    assert said
    terms = [term for one in said for term in one["terms"] if term["name"] == name]
    for one in said:
        assert (one["before"]["run"], one["after"]["run"]) == (two.official, two.revised)
        assert (one["before"]["edition"]["number"], one["after"]["edition"]["number"]) == (1, None)
    assert terms
    assert any(term["differs"] for term in terms) is (kind != "badge")
    for one in said:
        values = (one["before"]["value"], one["after"]["value"])
        assert one["total"] == (None if kind == "hand" else values[1] - values[0])
        shares = [term["share"] for term in one["terms"] if term["share"] is not None]
        assert one["total"] in (None, math.fsum(shares))
    if key is not None:
        assert key in {setting["key"] for term in terms for setting in term["settings"]}


@pytest.mark.parametrize("kind", ["change", "place"])
def test_a_difference_leads_to_the_first_match_that_made_it(two: TwoRuns, kind: str) -> None:
    """It is a match of that player, with the terms that differ; a number that rests on no rating has none."""
    said = two.beside(QUERIES[kind][0], two.official, two.revised)[0]["firstDivergence"]
    assert (said["matchId"], said["mode"], said["competitorId"]) == ("t1", "ONE_ON_ONE", "ana")
    assert [term["term"] for term in said["terms"]] == ["K"]
    [standing, *_] = two.beside(QUERIES["standing"][0], two.official, two.revised)
    assert standing["firstDivergence"] is None


def test_what_a_term_rests_on_is_explained_in_its_own_run(two: TwoRuns) -> None:
    """Also on the side of the run that the query does not read."""
    [said] = two.beside(QUERIES["place"][0], two.official, two.revised)
    [term] = [term for term in said["terms"] if term["name"] == "ONE_ON_ONE"]
    assert term["before"]["because"][0]["explanation"]["run"] == two.official
    assert said["before"]["value"] == term["before"]["value"] != said["after"]["value"]


def test_the_official_run_is_the_one_beside_when_none_is_named(two: TwoRuns) -> None:
    """Turned round, the same terms differ."""
    query = QUERIES["change"][0]
    [one], [turned] = two.beside(query, None, two.revised), two.beside(query, two.revised, two.official)
    assert one["before"] == turned["after"]
    assert [term["differs"] for term in one["terms"]] == [term["differs"] for term in turned["terms"]]


def test_a_run_that_is_not_there_is_a_request_error(two: TwoRuns) -> None:
    """The argument is named."""
    query = QUERIES["change"][0].replace("WHY", f"explanation {{ against(run: 999) {BESIDE} }}")
    said = two.league.error(query)
    assert said["message"] == "There is no run 999."
    assert (said["extensions"]["code"], said["extensions"]["argument"]) == ("BAD_REQUEST", "run")
