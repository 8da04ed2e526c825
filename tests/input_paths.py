"""Whether refusals name what their input calls it: the path in `field` leads to a value of the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    OperationDefinitionNode,
    OperationType,
    parse,
)

from league.api.schema import core


def check_paths(query: str, answer: Mapping[str, Any]) -> None:
    """Raise AssertionError for a refusal in an answer whose path leads nowhere."""
    for asked, kinds, path in _paths(query, answer):
        assert _leads(path, kinds), f"the input of {asked} has no {'.'.join(path)}"


def _paths(query: str, answer: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], list[str]]]:
    """The paths of the refusals of an answer: the field that refused, what it takes, and the path."""
    data = answer.get("data") or {}
    refused = {key: value for key, value in data.items() if isinstance(value, dict) and "code" in value}
    if not refused:
        return
    try:
        operations = [part for part in parse(query).definitions if isinstance(part, OperationDefinitionNode)]
    except GraphQLError:
        return
    for operation in operations:
        root = core.mutation_type if operation.operation is OperationType.MUTATION else core.query_type
        assert root is not None
        for part in operation.selection_set.selections:
            if not isinstance(part, FieldNode):
                continue
            key = part.name.value if part.alias is None else part.alias.value
            if key in refused and part.name.value in root.fields:
                kinds = {name: item.type for name, item in root.fields[part.name.value].args.items()}
                for said in (refused[key], *(refused[key].get("faults") or ())):
                    if said.get("field"):
                        yield part.name.value, kinds, said["field"]


def _leads(path: list[str], kinds: Mapping[str, Any]) -> bool:
    """Whether a path leads to an argument, or to a part of the one that is named `input`."""
    given: Any = kinds.get("input")
    for number, part in enumerate(path):
        if given is None:
            given = kinds.get(part) if number == 0 else None
            if given is None:
                return False
            continue
        while isinstance(given, GraphQLNonNull):
            given = given.of_type
        if isinstance(given, GraphQLList):
            if not part.isdigit():
                return False
            given = given.of_type
        elif isinstance(given, GraphQLInputObjectType):
            if part not in given.fields:
                return False
            given = given.fields[part].type
        elif given.name == "Tile":
            return part.isdigit()
        else:
            return False
    return True
