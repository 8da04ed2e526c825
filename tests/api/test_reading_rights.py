"""What who may not read something gets, by one convention: an error for a whole query, null for a part of an object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, token
from graphql import (
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLUnionType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from league.api.auth.reach import ROLES
from league.api.graphql.executing import limits
from league.api.graphql.executing.limits import price_of
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS
from league.api.schema import core

VOID = 'input: {commands: [{voidMatch: {match: "none", reason: "r"}}]}'
GUARDED: dict[str, tuple[str, set[str]]] = {
    "preview": (f"preview({VOID}) {{ __typename }}", {"scorekeeper", "admin"}),
    "previewMerge": ('previewMerge(keep: "none", drop: "none2") { __typename }', {"admin"}),
    "previewUndoMerge": ('previewUndoMerge(keep: "none", drop: "none2") { __typename }', {"admin"}),
    "whatIfNot": ('whatIfNot(match: "none", player: "none") { __typename }', {"scorekeeper", "admin", "auditor"}),
    "whatIfHand": ('whatIfHand(input: {match: "m", hand: 1, settings: ""}) { __typename }', {"admin"}),
    "whatIf": ('whatIf(settings: "nonsense") { __typename }', {"admin"}),
    "rulesReview": ("rulesReview { __typename }", {"admin", "auditor"}),
    "previewHouseRules": (
        'previewHouseRules(input: {ruleset: "none", title: "House", from: "2026-06-01T00:00:00Z"}) { __typename }',
        {"admin"},
    ),
    "previewTimeZone": ('previewTimeZone(timeZone: "nonsense") { __typename }', {"admin"}),
    "previewPromotion": ("previewPromotion(replay: 1) { __typename }", {"admin"}),
    "previewRound": ('previewRound(id: "none") { __typename }', {"scorekeeper", "admin"}),
    "trail": ("trail(first: 1) { __typename }", {"admin", "auditor"}),
    "event": ("event(position: 1) { hash }", {"admin", "auditor"}),
    "lastBackup": ("lastBackup { name }", {"admin"}),
    "merges": ("merges(first: 1) { __typename }", {"admin"}),
    "nameTwins": ("nameTwins(first: 1) { __typename }", {"admin"}),
    "checkNames": ("checkNames(names: []) { __typename }", {"scorekeeper", "admin"}),
    "disputes": ("disputes(first: 1) { __typename }", {"scorekeeper", "admin"}),
    "members": ("members(first: 1) { __typename }", {"admin"}),
    "member": ('member(id: "none") { __typename }', {"admin"}),
}
"""Queries that only some roles may ask: a document, and the roles."""
DEEPEST = 3
DEAREST = 60
"""Points of a field that the walk asks for; others compute the same for everybody."""
PRIVATE = {"proof"}
"""Dear fields that only some may read."""
OF_THE_VIEWER = {"viewer", "mayOpenTables", "me", "cursor"}
"""What is about the viewer, so that it differs."""


def fields_of(name: str) -> dict[str, Any]:
    """The fields of an object type."""
    kind = core.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    return kind.fields


def test_each_query_for_some_roles_says_what_others_get() -> None:
    """The description names the roles, and the convention."""
    said = {name for name, field in fields_of("Query").items() if "Role" in (field.description or "")}
    told = {name for name, field in fields_of("Query").items() if REFUSED_TO_OTHERS in (field.description or "")}
    assert said == told == GUARDED.keys()


def test_only_mutations_are_forbidden_as_data() -> None:
    """A query that is not allowed is an error, so no union of a query has it."""
    assert core.mutation_type is not None
    of_mutations = {get_named_type(field.type).name for field in core.mutation_type.fields.values()}
    forbidden = {
        kind.name
        for kind in core.type_map.values()
        if isinstance(kind, GraphQLUnionType) and any(one.name == "ForbiddenError" for one in kind.types)
    }
    assert forbidden <= of_mutations


@pytest.mark.parametrize("name", GUARDED)
def test_who_may_not_ask_gets_an_error(small: Served, name: str) -> None:
    """With the code FORBIDDEN, UNAUTHENTICATED without a token, and the roles that may."""
    document, allowed = GUARDED[name]
    for role in (None, *ROLES):
        answer = small.post(f"{{ {document} }}", role and token(role, sub="ana")).json()
        codes = [error["extensions"]["code"] for error in answer.get("errors", ())]
        if role in allowed:
            assert "FORBIDDEN" not in codes, (role, answer)
            continue
        assert codes == ["UNAUTHENTICATED" if role is None else "FORBIDDEN"], (role, answer)
        assert {one.lower() for one in answer["errors"][0]["extensions"]["needs"]} >= allowed


def selection(kind: Any, depth: int = 0) -> Iterator[str]:
    """All fields of an object type that need no arguments, with theirs."""
    if not isinstance(kind, GraphQLObjectType):
        return
    for name, field in kind.fields.items():
        if any(map(is_required_argument, field.args.values())) or name in OF_THE_VIEWER or "first" in field.args:
            continue
        if price_of(kind.name, name, field).each > DEAREST and name not in PRIVATE:
            continue
        inner = get_named_type(field.type)
        if is_leaf_type(inner):
            yield name
        elif depth + 1 < DEEPEST and (below := " ".join(selection(inner, depth + 1))):
            yield f"{name} {{ {below} }}"


def hidden(full: Any, seen: Any, path: str = "") -> Iterator[str]:
    """Where an answer has null, and the admin's has something. Raises AssertionError where it differs otherwise."""
    if seen is None and full is not None:
        yield path
    elif isinstance(full, dict) and isinstance(seen, dict):
        for name, value in full.items():
            yield from hidden(value, seen[name], f"{path}.{name}")
    elif isinstance(full, list) and isinstance(seen, list):
        assert len(full) == len(seen), f"{path} is a shorter list, and no null"
        for one, other in zip(full, seen, strict=True):
            yield from hidden(one, other, path)
    else:
        assert full == seen, path


ROOTS = {
    "Match": 'match(id: "c-0001")',
    "LogEvent": 'match(id: "c-0001") { log {',
    "Player": 'player(id: "p001")',
    "League": "league",
    "Hand": 'match(id: "c-0001") { hands {',
}


@pytest.mark.parametrize("kind", ROOTS)
def test_a_part_of_an_object_that_one_may_not_read_is_null(
    season: Served, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything else is as an admin sees it, without any error: no list is shorter, no text is another one."""
    monkeypatch.setattr(limits, "DEAREST", 1_000_000)
    below, root = " ".join(selection(core.type_map[kind])), ROOTS[kind]
    query = f"{{ {root} {below} }} }} }}" if root.endswith("{") else f"{{ {root} {{ {below} }} }}"
    full = season.ask(query, token("admin", sub="root"))
    for role in (None, *ROLES):
        answer = season.post(query, role and token(role, sub="flor")).json()
        assert "errors" not in answer, json.dumps(answer["errors"])[:500]
        for path in hidden(full, answer["data"]):
            assert role != "admin", path
        if kind == "LogEvent" and role in (None, "player", "scorekeeper"):
            assert set(hidden(full, answer["data"])) >= {".match.log.actor", ".match.log.source"}


def test_what_may_be_hidden_can_be_null() -> None:
    """Otherwise the error of one field would take the whole object."""
    private = {
        ("LogEvent", "actor"), ("LogEvent", "source"), ("Match", "proof"), ("Match", "photos"),
        ("Replay", "requestedBy"),
    }  # fmt: skip
    required = [(kind, name) for kind, name in private if isinstance(fields_of(kind)[name].type, GraphQLNonNull)]
    assert required == []
