"""The schema against the one that was released: each break is told to the people whose clients it breaks."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema
from graphql.utilities import find_breaking_changes

from league.api.schema import core

API = Path(__file__).parents[2] / "docs" / "api"


def released() -> GraphQLSchema:
    return build_schema((API / "released.graphql").read_text(encoding="utf-8"))


def place_of(told: str) -> str:
    """The field that breaks, or else the type: what the description of a change names first."""
    found = re.search(r"[A-Z]\w*\.\w+", told) or re.match(r"\w+", told)
    assert found is not None, told
    return found[0]


def untold(schema: GraphQLSchema) -> list[str]:
    """The breaks in this schema without a line on the page of changes."""
    named = set(re.findall(r"`([\w.]+)`", (API / "changes.md").read_text(encoding="utf-8")))
    breaks = [change.description for change in find_breaking_changes(released(), schema)]
    return [told for told in breaks if place_of(told) not in named]


@pytest.mark.heavy
def test_each_break_has_a_line_and_there_is_none_from_version_1_on() -> None:
    """The line names the type or the field that breaks."""
    assert untold(core) == []
    breaks = find_breaking_changes(released(), core)
    assert not breaks or int(version("domino-league").split(".")[0]) < 1, "from 1.0 on nothing breaks"


@pytest.mark.heavy
def test_a_break_without_a_line_is_found() -> None:
    """Also one whose types have lines of their own."""
    text = (API / "released.graphql").read_text(encoding="utf-8")
    other = build_schema(text.replace("  region: String\n", "  region: Int\n", 1))
    assert [one for one in untold(other) if "region" in one]
