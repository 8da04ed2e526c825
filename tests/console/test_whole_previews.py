"""The preview of a round shows all its tables, however many there are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from league.console.asking import Visitor
from league.tournaments.console.pages import _with_whole_preview

LENGTHS = {"entries": 560, "tables": 270, "byes": 120}
ID = {"entries": "competitorId", "tables": "number", "byes": "competitorId"}


def page(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """A page of a list, as the API gives it: at most 100 rows."""
    first = int(asked.get(f"{name}After") or 0)
    last = min(first + 100, LENGTHS[name])
    nodes = [{ID[name]: number} for number in range(first, last)]
    return {"pageInfo": {"hasNextPage": last < LENGTHS[name], "endCursor": str(last)}, "nodes": nodes}


@pytest.fixture
def computed() -> list[str]:
    return []


def test_a_preview_has_all_tables_and_all_who_sit_out(computed: list[str]) -> None:
    """Lists come in pages of 100; the pages of the entries do not compute the preview again."""

    async def ask(document: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {"tournament": {"entries": page("entries", asked)}}
        if "previewRound" in document:
            computed.append(document)
            answer["previewRound"] = {"tables": page("tables", asked), "byes": page("byes", asked)}
        return answer

    async def read() -> dict[str, Any]:
        data = await ask("previewRound", {})
        await _with_whole_preview(ask, {"id": "copa"}, data, Visitor())
        return data

    data = asyncio.run(read())
    found = {**data["previewRound"], "entries": data["tournament"]["entries"]}
    assert {name: [row[ID[name]] for row in found[name]] for name in LENGTHS} == {
        name: [*range(length)] for name, length in LENGTHS.items()
    }
    assert len(computed) == 1 + 2 + 1
