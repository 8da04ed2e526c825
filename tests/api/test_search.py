"""Search by what people type."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, served, token
from leagues import announced, at, catch_up, league_at, own_database, send

from league.api.graphql.executing.documents import cost_of
from league.api.schema import core
from league.domain.league import OpenSeason
from league.domain.player import RegisterPlayer

ADMIN = token("admin")
NAMES = {
    "p1": "Ana Peña", "p2": "Anabel Ruiz", "p3": "Susana Pérez", "p4": "Íñigo O'Neill", "p5": "Luis Ana-María",
    "p6": "José 100%",
}  # fmt: skip
SEARCH = """query ($q: String!, $kinds: [SearchKind!], $first: Int = 50, $after: String) {
  search(query: $q, kinds: $kinds, first: $first, after: $after) { totalCount pageInfo { endCursor hasNextPage }
    nodes { __typename ... on Node { id } ... on Player { playerId } ... on Team { teamId displayName }
      ... on Season { seasonId } ... on Match { matchId } } } }"""


@pytest.fixture(scope="module")
def named(embedded_server: str) -> Iterator[Served]:
    """A served league with some names, two pairs and a season."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            league.create("Liga", "UTC", "test")
            send(league, *(RegisterPlayer(id_, name, "Granma") for id_, name in NAMES.items()))
            send(league, OpenSeason("s1", "Verano de Ana", at(0), at(90)))
            send(league, *announced("f-1", ("p1", "p3", "p2", "p4"), 0), *announced("f-2", ("p1", "p3"), 1))
            send(league, *announced("f-3", ("p1", "p3"), 2))
            catch_up(league)
        with served(url) as server:
            yield server


def found(named: Served, query: str, *kinds: str) -> list[str]:
    """The ids of what a query finds, in order."""
    nodes = named.ask(SEARCH, q=query, kinds=list(kinds) or None)["search"]["nodes"]
    key = {"Player": "playerId", "Team": "teamId", "Season": "seasonId", "Match": "matchId"}
    return [node[key[node["__typename"]]] for node in nodes]


def test_the_best_match_comes_first(named: Served) -> None:
    """A name that begins so, a word that begins so, then a word that has it inside."""
    assert found(named, "ana", "PLAYERS") == ["p1", "p2", "p5", "p3"]
    assert found(named, "anabel ruiz", "PLAYERS") == ["p2"]
    assert found(named, "ana", "SEASONS") == ["s1"]
    assert found(named, "ana") == ["p1", "p2", "p5", "p1+p2", "s1", "p3"]


def test_accents_case_and_signs_do_not_matter(named: Served) -> None:
    """On either side; the wildcards of the database are signs like others."""
    for query in ("pena", "PEÑA", "peña", " pena ", "pen\u0303a"):
        assert found(named, query, "PLAYERS") == ["p1"]
    assert found(named, "neill", "PLAYERS") == ["p4"]
    assert found(named, "maria", "PLAYERS") == ["p5"]
    assert found(named, "perez susana", "PLAYERS") == ["p3"]
    assert found(named, "%", "PLAYERS") == found(named, "", "PLAYERS") == []
    assert found(named, "f_1") == []


def test_pairs_and_matches_are_found_by_the_names_of_their_players(named: Served) -> None:
    """A pair by one name or both; a match by several, the latest first, and by the beginning of its id."""
    assert found(named, "ruiz", "TEAMS") == found(named, "anabel pena", "TEAMS") == ["p1+p2"]
    assert found(named, "susana pena", "TEAMS") == []
    assert found(named, "pena susana", "MATCHES") == ["f-3", "f-2", "f-1"]
    assert found(named, "pena", "MATCHES") == []
    assert found(named, "ana pena susana", "MATCHES") == ["f-3", "f-2", "f-1"]
    assert found(named, "f-2") == ["f-2"]
    assert found(named, "f-", "MATCHES") == ["f-3", "f-2", "f-1"]
    assert found(named, "p3+p4") == found(named, "p4+p3") == ["p3+p4"]


def test_one_name_does_not_find_the_matches_of_its_player(named: Served) -> None:
    """Two words that one player has find only matches in which another player has one of them, too."""
    assert found(named, "ana pena", "MATCHES") == ["f-1"]
    assert found(named, "susana perez", "MATCHES") == []


def test_pages_are_the_whole_list(named: Served) -> None:
    """Forward one by one; the count is of all."""
    whole = found(named, "an")
    pages, after = [], None
    while True:
        page = named.ask(SEARCH, q="an", first=1, after=after)["search"]
        pages += page["nodes"]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert len(pages) == len(whole) == page["totalCount"] > 4


@pytest.mark.parametrize("key", [[{}, 0, 0, "p1"], ["x", 0, 0, "p1"], [0, None, 0, "p1"], [0, 0, 0, 1], [0, 0]])
def test_forged_cursors_are_refused(named: Served, key: list[Any]) -> None:
    """Each part of the key has a type."""
    cursor = urlsafe_b64encode(json.dumps(["fit,kind,later,id", *key]).encode()).decode()
    assert named.error(SEARCH, q="an", after=cursor)["extensions"]["code"] == "INVALID_CURSOR"


def test_a_search_costs_what_its_kinds_take() -> None:
    """Each kind once; a variable, like no kinds, may be all of them."""

    def cost(kinds: str) -> int:
        return cost_of(core, f'query ($k: [SearchKind!]) {{ search(query: "an"{kinds}) {{ totalCount }} }}', None)

    players, seasons = cost(", kinds: PLAYERS"), cost(", kinds: [SEASONS]")
    both = cost(", kinds: [PLAYERS, SEASONS, PLAYERS]")
    assert seasons < players < both < cost("") == cost(", kinds: $k") == cost(", kinds: null")


def test_impossible_queries_are_refused(named: Served) -> None:
    """Too long, or with a sign that no text has."""
    error = named.error(SEARCH, q="a" * 101)["extensions"]
    assert (error["code"], error["argument"]) == ("BAD_REQUEST", "query")
    assert named.error(SEARCH, q="a\0b")["extensions"]["code"] == "BAD_REQUEST"


def test_who_was_erased_is_not_found_by_name(named: Served) -> None:
    """Neither the player nor the pair nor the matches; by id they are."""
    said = named.do("erasePlayer", ADMIN, player="p6")
    named.ask(f"query @readFrom(afterPosition: {said['position']}) {{ regions }}")
    assert found(named, "jose") == []
    assert found(named, "p6") == ["p6"]
