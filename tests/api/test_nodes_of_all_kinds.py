"""`node` and `nodes` find each kind of object for each role, whatever is asked of it and whatever stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, served, token
from databases import copy_of
from graphql import GraphQLInterfaceType, get_named_type, is_abstract_type, is_leaf_type, is_required_argument
from leagues import SIXTY_MATCHES
from test_nodes import PATHS, objects

from league.api.finding import FIND
from league.api.graphql.executing.answer_cache import may_be_cached
from league.api.graphql.shaping.relay import global_id
from league.api.schema import core
from league.photos.domain.photo import UploadPhoto

ADMIN = token("admin")
ROLES: dict[str, str | None] = {
    "nobody": None,
    "player": token("player", sub="p001"),
    "scorekeeper": token("scorekeeper"),
    "admin": ADMIN,
    "auditor": token("auditor"),
    "each": token("player", "scorekeeper", "admin", "auditor"),
}
FOR_SOME = {
    "Member": {"admin", "each"},
    "Photo": {"scorekeeper", "admin", "auditor", "each"},
    "Replay": {"admin", "auditor", "each"},
}
"""Kinds of which not everybody may see the object of this league, with the roles that may."""
LOCALS = ("none", "", ":", "x:1", "1", "0", "-1", "9" * 30, "1v1:2026-13", "p001+none", "none:none:none", "é", "\x00")
"""Ids in the league that no object has."""


@pytest.fixture(scope="module")
def known(embedded_server: str) -> Iterator[tuple[Served, dict[str, str]]]:
    """A league with an object of each kind, and their global ids."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as league:
        yield league, {**{kind: _first(league, kind) for kind in PATHS}, **dict(_made(league))}


def _first(league: Served, kind: str) -> str:
    return str(objects(league.ask(PATHS[kind].replace("OBJECT", "id")))[0]["id"])


def _made(league: Served) -> Iterator[tuple[str, str]]:
    """The objects that the recorded matches do not come with."""
    season = league.do("openSeason", ADMIN, seasonId="s", name="Spring", start="2025-01-01T00:00:00Z")
    assert season["__typename"] == "SeasonSuccess", season
    yield "Season", global_id("Season", "s")
    read = "... on ReplaySuccess { replay { id } }"
    start = f"mutation ($input: StartReplayInput!) {{ it: startReplay(input: $input) {{ {read} }} }}"
    yield "Replay", league.ask(start, ADMIN, input={"document": "rating.k.casual = 9"})["it"]["replay"]["id"]
    match = {"matchId": "m", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["p003", "p004"]}
    league.do("openMatch", ADMIN, **match, competition="CASUAL")
    league.do("recordResult", ADMIN, match="m", announced={"winner": 0})
    league.do("disputeResult", token("player", sub="p004"), match="m", reason="no")
    yield "Dispute", global_id("Dispute", "m:1")
    league.do("addMember", ADMIN, subject="lee@club", memberId="lee", roles=["SCOREKEEPER"])
    yield "Member", global_id("Member", "lee")
    opened = league.do("openTable", ADMIN, tableId="t", ruleset="cuban-150", mode="ONE_ON_ONE", competition="CASUAL")
    assert opened["__typename"] == "TableSuccess", opened
    yield "Table", global_id("Table", "t")
    league.do("openMatch", ADMIN, **{**match, "matchId": "open"}, competition="CASUAL")
    league.league.dispatcher.send(UploadPhoto("f", "open", 1, 0, None, "0" * 64, 1, "image/png", 1, 1), "kim")
    yield "Photo", global_id("Photo", "f")
    plan = {"name": "Copa", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    league.do("planTournament", ADMIN, tournamentId="copa", plan=plan)
    for player in ("p001", "p002"):
        league.do("enterTournament", ADMIN, tournament="copa", competitors=[{"players": [player]}])
    league.do("drawRound", ADMIN, tournament="copa")
    published = league.do("publishRound", ADMIN, tournament="copa", round=1)
    assert "Success" in published["__typename"], published
    league.follow(published["position"])
    yield "Tournament", global_id("Tournament", "copa")


def test_each_kind_is_asked_for() -> None:
    """Each type that implements `Node` has an object here."""
    node = core.get_type("Node")
    assert isinstance(node, GraphQLInterfaceType)
    assert {kind.name for kind in core.get_possible_types(node)} == set(FIND)


def _everything(kind: Any, depth: int, *, only_cacheable: bool) -> str:
    """All fields of a type that can be asked without arguments, and of the objects below them."""
    parts = ["__typename"]
    for name, field in kind.fields.items():
        of = get_named_type(field.type)
        is_kept = may_be_cached(field.extensions["strawberry-definition"])
        if any(map(is_required_argument, field.args.values())) or (only_cacheable and not is_kept):
            continue
        if is_leaf_type(of):
            parts.append(name)
        elif depth > 0:
            below = "__typename" if is_abstract_type(of) else _everything(of, depth - 1, only_cacheable=only_cacheable)
            parts.append(f"{name}{'(first: 1)' if 'first' in field.args else ''} {{ {below} }}")
    return " ".join(parts)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", FIND)
def test_an_object_is_found_alone(known: tuple[Served, dict[str, str]], kind: str, role: str) -> None:
    """This holds for cacheable fields and for fresh ones; an object that the reader may not see is null."""
    league, ids = known
    asked = [
        "__typename",
        f"__typename ... on {kind} {{ {_everything(core.get_type(kind), 1, only_cacheable=True)} }}",
        f"__typename ... on {kind} {{ {_everything(core.get_type(kind), 1, only_cacheable=False)} }}",
    ]
    for fields in asked:
        answer = league.ask(f"query ($id: ID!) {{ node(id: $id) {{ {fields} }} }}", ROLES[role], id=ids[kind])
        assert (answer["node"] and answer["node"]["__typename"]) == (kind if _sees(kind, role) else None)


@pytest.mark.parametrize("role", ROLES)
def test_objects_of_all_kinds_are_found_beside_each_other(known: tuple[Served, dict[str, str]], role: str) -> None:
    """With ids that nothing has between them, in one list and as fields of one document, whose other fields answer."""
    league, ids = known
    wanted = [id_ for kind, one in ids.items() for id_ in (one, global_id(kind, "none"))]
    seen = [one for kind in ids for one in (kind if _sees(kind, role) else None, None)]
    answer = league.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } regions }", ROLES[role], ids=wanted)
    assert [one and one["__typename"] for one in answer["nodes"]] == seen
    assert answer["regions"]
    of_known = " ".join(f'{kind}: node(id: "{id_}") {{ __typename id }}' for kind, id_ in ids.items())
    answer = league.ask(f"{{ regions {of_known} }}", ROLES[role])
    assert answer.pop("regions")
    expected = {kind: {"__typename": kind, "id": id_} if _sees(kind, role) else None for kind, id_ in ids.items()}
    assert answer == expected


@pytest.mark.parametrize("role", ROLES)
def test_an_id_that_nothing_has_finds_nothing(known: tuple[Served, dict[str, str]], role: str) -> None:
    """This holds for each kind, in a cacheable document and in one that is not."""
    league, _ = known
    ids = [global_id(kind, local) for kind in (*FIND, "Query", "Nonsense", "") for local in LOCALS] + list(LOCALS)
    for more in ("", " viewer { sub }"):
        for begin in range(0, len(ids), 50):
            some = ids[begin : begin + 50]
            query = f"query ($ids: [ID!]!) {{ nodes(ids: $ids) {{ id }}{more} }}"
            assert league.ask(query, ROLES[role], ids=some)["nodes"] == [None] * len(some), some
    for id_ in (global_id(kind, "none") for kind in FIND):
        assert league.ask("query ($id: ID!) { node(id: $id) { id } }", ROLES[role], id=id_) == {"node": None}


def _sees(kind: str, role: str) -> bool:
    return role in FOR_SOME.get(kind, ROLES)
