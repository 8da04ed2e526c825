"""The schema against the one that was released: each break is told to the people whose clients it breaks."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

from graphql import build_schema
from graphql.utilities import find_breaking_changes

from league.api.schema import core

API = Path(__file__).parents[2] / "docs" / "api"


def test_each_break_has_a_line_and_there_is_none_from_version_1_on() -> None:
    """The page of changes names, for each break, a type or a field that it concerns."""
    released = build_schema((API / "released.graphql").read_text(encoding="utf-8"))
    breaks = [change.description for change in find_breaking_changes(released, core)]
    named = set(re.findall(r"`([\w.]+)`", (API / "changes.md").read_text(encoding="utf-8")))
    untold = [told for told in breaks if not set(re.findall(r"[A-Za-z_]\w*(?:\.\w+)?", told)) & named]
    assert untold == []
    assert not breaks or int(version("domino-league").split(".")[0]) < 1, "from 1.0 on nothing breaks"
