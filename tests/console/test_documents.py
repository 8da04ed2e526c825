"""The documents that forms send, against the schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphql import parse, validate

from league.api.schema import core

LEAGUE = Path(__file__).parents[2] / "league"
SENT = sorted([*LEAGUE.rglob("*.mutation.graphql"), *LEAGUE.rglob("move_documents/*.graphql")])


@pytest.mark.parametrize("file", SENT, ids=lambda file: file.name)
def test_a_form_sends_a_valid_document(file: Path) -> None:
    """Nothing else asks all of them: a form with a wrong one fails when somebody sends it."""
    assert validate(core, parse(file.read_text(encoding="utf-8"))) == []
