"""The codes of errors are complete: in the schema, in the code and in the documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import GraphQLEnumType

import league.api
from league.api.graphql.request_errors import ErrorCode
from league.api.schema import core

API = Path(league.api.__file__).parent
GUIDE = API.parents[1] / "docs" / "api.md"
CODES = {code.value for code in ErrorCode}


def nodes() -> Iterator[ast.AST]:
    """The code of the API, without the enum itself."""
    for module in (*API.rglob("*.py"), *API.parent.glob("*/api/*.py")):
        if module.name != "error_codes.py":
            yield from ast.walk(ast.parse(module.read_text()))


def is_key_of_code(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "code"


@pytest.mark.heavy
def test_every_code_is_sent_and_no_other() -> None:
    """Each value of the enum occurs in the code, and where a code is sent no text takes the place of a value."""
    sent = {
        node.attr
        for node in nodes()
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ErrorCode"
    }
    assert sent == set(ErrorCode.__members__) == CODES
    texts = [
        ast.unparse(value)
        for node in nodes()
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if is_key_of_code(key) and isinstance(value, ast.Constant)
    ]
    assert texts == []


def test_every_code_is_in_the_schema() -> None:
    """No field has the enum, which is there for generated types."""
    kind = core.get_type("ErrorCode")
    assert isinstance(kind, GraphQLEnumType)
    assert set(kind.values) == CODES


def test_every_code_is_in_the_table_of_the_guide() -> None:
    """And the table has no other."""
    section = GUIDE.read_text().split("\n## Errors\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([A-Z_]+)` \|.*\|.*\|$", section, re.MULTILINE)
    assert sorted(rows) == sorted(CODES)


@pytest.mark.parametrize("code", list(ErrorCode))
def test_the_description_says_what_happened_and_what_to_do(code: ErrorCode) -> None:
    """At least two sentences."""
    kind = core.get_type("ErrorCode")
    assert isinstance(kind, GraphQLEnumType)
    description = kind.values[code.value].description
    assert description is not None
    assert len(re.findall(r"[.:](?: |$)", description)) >= 2
