"""Numbers and other values that are too long or too large: an error that names the argument, and never INTERNAL."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from api_server import Served, token
from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    OperationDefinitionNode,
    get_named_type,
    get_operation_ast,
    is_composite_type,
    is_required_argument,
    is_required_input_field,
)
from hypothesis import given
from hypothesis import strategies as st
from waiting import LIMIT

from league.api.graphql.executing.bounds import MOST_DIGITS, check_variables, read_int
from league.api.graphql.executing.documents import coerced, faults_of, parsed
from league.api.graphql.executing.operations import code_of
from league.api.graphql.request_errors import ErrorCode
from league.api.schema import core

LONG = "9" * 5_000
"""More digits than Python makes a number of."""
TOO_LONG = [LONG, f"-{LONG}", f"{LONG}.5", "1e400", "-1.5e309", "1" * (MOST_DIGITS + 1), "0." + "1" * 4_400]


@pytest.mark.parametrize("number", TOO_LONG, ids=range(len(TOO_LONG)))
@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("{ board { places(first: NUMBER) { totalCount } } }", "first"),
        ("{ board { places(first: [[NUMBER]]) { totalCount } } }", "first"),
        ("{ matches(filter: {status: NUMBER}) { totalCount } }", "filter.status"),
        ("{ node(id: NUMBER) { id } }", "id"),
        ("{ board(asOf: NUMBER) { kind } }", "asOf"),
        ("{ event(position: NUMBER) { __typename } }", "position"),
        ("{ regions @skip(if: NUMBER) }", "if"),
        ("query @readFrom(afterPosition: NUMBER) { regions }", "afterPosition"),
        ("query ($n: Int = NUMBER) { board { places(first: $n) { totalCount } } }", "$n"),
        (
            "mutation { recordHand(input: {match: 1, facts: {leftover: NUMBER}}) { __typename } }",
            "input.facts.leftover",
        ),
    ],
)
def test_a_number_that_is_too_long_is_named_by_its_argument(
    season: Served, text: str, argument: str, number: str
) -> None:
    """Also one that is too large, or lies in a list or an object."""
    error = season.error(text.replace("NUMBER", number))
    assert error["extensions"] == {"code": "BAD_REQUEST", "argument": argument, "most": MOST_DIGITS}
    assert f"`{argument}`" in error["message"]
    assert error["locations"]


@pytest.mark.parametrize("number", TOO_LONG, ids=range(len(TOO_LONG)))
def test_a_number_that_is_too_long_is_named_by_its_variable(season: Served, number: str) -> None:
    """A POST, a link and a WebSocket get the same error."""
    query = "query ($f: MatchFilterInput) { matches(filter: $f) { totalCount } }"
    variables = f'{{"f": {{"status": [1, {number}]}}}}'
    body = f'{{"query": "{query}", "variables": {variables}}}'
    expected = {"code": "BAD_REQUEST", "argument": "$f.status.1", "most": MOST_DIGITS}
    if "." in number and not math.isinf(float(number)):
        expected = {"code": "GRAPHQL_VALIDATION_FAILED"}  # JSON rounds a fraction, however long it is
    post = season.http.post("/graphql", content=body, headers={"Content-Type": "application/json"})
    link = season.http.get("/graphql", params={"query": query, "variables": variables})
    with season.socket() as socket:
        socket.send(f'{{"id": "1", "type": "subscribe", "payload": {body}}}')
        over_socket = json.loads(socket.recv(LIMIT))["payload"]
    for errors in (post.json()["errors"], link.json()["errors"], over_socket):
        assert errors[0]["extensions"] == expected


@pytest.mark.parametrize("digits", [1, 19, MOST_DIGITS])
def test_a_number_of_the_most_digits_is_judged_by_its_type(season: Served, digits: int) -> None:
    """It is a number like others."""
    number = "9" * digits
    error = season.post(
        f'query ($n: Int) {{ a: node(id: {number}) {{ id }} b: node(id: "x") {{ id }} }}', n=int(number)
    )
    assert "too long" not in error.text
    assert "INTERNAL" not in error.text


def arguments() -> list[tuple[str, str, str, GraphQLInputType]]:
    """Every argument of every field: type, field, name, type of its values."""
    return [
        (name, field, argument, of.type)
        for name, kind in core.type_map.items()
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
        for field, defined in kind.fields.items()
        for argument, of in defined.args.items()
    ]


HOSTILE_NUMBERS = st.sampled_from(
    [*TOO_LONG, "9" * MOST_DIGITS, "2147483648", "-2147483649", "9223372036854775808", "1e308", "-0", "0.1", "1e-400"]
)
LITERALS = st.recursive(
    HOSTILE_NUMBERS
    | st.sampled_from([f'"{LONG}"', '"1e400"', '""', '"\\ud800"', '"\\u0000"', "null", "true", "NOTHING", '"""x"""'])
    | st.sampled_from(['"0001-01-01T00:00:00+14:00"', '"9999-12-31T23:59:59-14:00"', '"2026-13-01T00:00:00Z"']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: f"[{' '.join(values)}]")
        | st.dictionaries(st.sampled_from(["a", "status", "match", "facts"]), inner, max_size=3).map(
            lambda values: "{" + " ".join(f"{key}: {value}" for key, value in values.items()) + "}"
        )
    ),
    max_leaves=5,
)
JSON_VALUES = st.recursive(
    st.sampled_from(
        [*TOO_LONG, "9" * MOST_DIGITS, "1e308", "-0.0", "2147483648", f'"{LONG}"', '"\\ud800"', "null", "true"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: f"[{','.join(values)}]")
        | st.dictionaries(st.sampled_from(["a", "status", "match", "facts"]), inner, max_size=3).map(
            lambda values: "{" + ",".join(f'"{key}": {value}' for key, value in values.items()) + "}"
        )
    ),
    max_leaves=5,
)


@given(st.sampled_from(arguments()), LITERALS)
def test_no_literal_is_beyond_any_argument(where: tuple[str, str, str, GraphQLInputType], literal: str) -> None:
    """It is right for it, or the error is one of the client."""
    kind, field, argument, _ = where
    try:
        faults = faults_of(core, f"{{ regions }} fragment F on {kind} {{ {field}({argument}: {literal}) }}")
    except GraphQLError as error:
        faults = (error,)
    assert ErrorCode.INTERNAL.name not in map(code_of, faults)


@given(st.sampled_from(arguments()), JSON_VALUES)
def test_no_variable_is_beyond_any_argument(where: tuple[str, str, str, GraphQLInputType], value: str) -> None:
    """Variables hold whatever JSON holds: it is right, or the error is one of the client."""
    variables = json.loads(f'{{"it": {value}}}', parse_int=read_int)
    operation = get_operation_ast(parsed(f"query ($it: {where[3]}) {{ regions }}"))
    assert isinstance(operation, OperationDefinitionNode)
    codes: list[str] = []
    try:
        check_variables(variables)
        coerced(core, operation, variables)
    except GraphQLError as error:
        codes.append(code_of(error))
    assert ErrorCode.INTERNAL.name not in codes


EXTREMES: dict[str, list[Any]] = {
    "Int": [0, -1, 2**31 - 1, -(2**31)],
    "BigInt": [0, -1, str(2**63 - 1), str(-(2**63) + 1)],
    "Float": [0.0, -0.0, 1e308, 5e-324],
    "Boolean": [True, False],
    "String": ["", "x" * 2_000, "\ud800", "\x00", LONG],
    "ID": ["", "x", "\x00", "9" * 99, "\ud800"],
    "Tile": [[0, 0], [9, 9], [10**99, -(10**99)]],
    "DateTime": ["0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
    "Date": ["0001-01-01", "9999-12-31"],
    "JSON": [{}],
}
"""Values that each scalar takes."""


@st.composite
def value_of(draw: st.DrawFn, kind: GraphQLInputType, depth: int = 0) -> Any:
    """A value that the type takes, often an extreme one."""
    if isinstance(kind, GraphQLNonNull):
        return draw(value_of(kind.of_type, depth))
    if isinstance(kind, GraphQLList):
        return draw(st.lists(value_of(kind.of_type, depth + 1), max_size=2))
    if isinstance(kind, GraphQLEnumType):
        return draw(st.sampled_from(list(kind.values)))
    if isinstance(kind, GraphQLInputObjectType):
        fields = list(kind.fields.items())
        if kind.is_one_of:
            fields = [draw(st.sampled_from(fields))]
        elif depth > 2:
            fields = [(name, field) for name, field in fields if is_required_input_field(field)]
        return {
            name: draw(value_of(field.type, depth + 1))
            for name, field in fields
            if kind.is_one_of or is_required_input_field(field) or draw(st.booleans())
        }
    return draw(st.sampled_from(EXTREMES[kind.name]))


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A query or a mutation of one root field with extreme arguments, and their values as variables."""
    root = draw(st.sampled_from([core.query_type, core.mutation_type]))
    assert root is not None
    name, field = draw(st.sampled_from(list(root.fields.items())))
    given_ = {argument: of for argument, of in field.args.items() if is_required_argument(of) or draw(st.booleans())}
    variables = {f"of_{argument}": draw(value_of(of.type)) for argument, of in given_.items()}
    declared = " ".join(f"$of_{argument}: {of.type}" for argument, of in given_.items())
    used = " ".join(f"{argument}: $of_{argument}" for argument in given_)
    kind = "query" if root is core.query_type else "mutation"
    selection = "{ __typename }" if is_composite_type(get_named_type(field.type)) else ""
    arguments_ = f"({used})" if used else ""
    return f"{kind} {f'({declared})' if declared else ''} {{ {name}{arguments_} {selection} }}", variables


def test_every_scalar_of_an_input_has_extreme_values() -> None:
    """Where one lacks them, the test below fails only in the run that draws it."""
    inputs = [kind for kind in core.type_map.values() if isinstance(kind, GraphQLInputObjectType)]
    taken = [of for _, _, _, of in arguments()] + [field.type for kind in inputs for field in kind.fields.values()]
    assert {kind.name for kind in map(get_named_type, taken) if isinstance(kind, GraphQLScalarType)} <= set(EXTREMES)


@pytest.mark.heavy
@given(operations())
def test_no_extreme_value_is_an_error_of_the_server(small: Served, operation: tuple[str, dict[str, Any]]) -> None:
    """Each scalar in each argument and each field of an input gives an answer, an error as data, or one with a code."""
    text, variables = operation
    answer = small.post(text, token("scorekeeper", sub="nobody"), **variables)
    assert answer.status_code in (200, 400), answer.text
    assert '"INTERNAL"' not in answer.text, (text, variables, answer.text)
