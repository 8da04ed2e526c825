"""Sheets of clubs over HTTP: the report as data, faults by cell, and a key that is answered once."""

from __future__ import annotations

from typing import Any

import httpx
from api_server import Served, token

SHEET = "fecha;lado 1;lado 2;puntos 1;puntos 2\n14/11/2025;Nora / Olga;Pía y Rosa;150;95\n"


def send(small: Served, content: str, role: str = "scorekeeper", **fields: str) -> httpx.Response:
    files = {"file": ("noviembre.csv", content.encode(), "text/csv")}
    headers = {"Authorization": f"Bearer {token(role)}"}
    return small.http.post("/sheets", files=files, data={"rules": "cuban-150", **fields}, headers=headers)


def test_a_sheet_is_previewed_imported_and_not_imported_twice(small: Served) -> None:
    """A preview stores nothing; the same key gets the first position, and the same rows are skipped."""
    head = small.league.store.head()
    preview = send(small, SHEET, register="true", preview="true").json()
    assert (preview["matchesAdded"], preview["preview"]["playersMoved"], small.league.store.head()) == (1, 4, head)

    first: dict[str, Any] = send(small, SHEET, register="true", idempotencyKey="k1").json()
    assert (first["matchesAdded"], first["playersAdded"]) == (1, 4)
    assert [one["name"] for one in first["registered"]] == ["Nora", "Olga", "Pía", "Rosa"]
    again = send(small, SHEET, register="true", idempotencyKey="k1").json()
    assert (again["position"], again["matchesAdded"], again["matchesSkipped"]) == (first["position"], 0, 1)
    reused = send(small, SHEET.replace("95", "96"), register="true", idempotencyKey="k1")
    assert (reused.status_code, reused.json()["errors"][0]["extensions"]["code"]) == (409, "KEY_REUSED")


def test_the_faults_of_a_sheet_name_their_cells(small: Served) -> None:
    """All of them, as data; nothing is stored."""
    head = small.league.store.head()
    refused = send(small, SHEET.replace("14/11", "31/02").replace("Olga", "Zoe"))
    error = refused.json()["errors"][0]
    assert (refused.status_code, error["extensions"]["code"], small.league.store.head()) == (422, "SHEET_REFUSED", head)
    fault = error["extensions"]["faults"][0]
    assert (fault["sheet"], fault["row"], fault["column"], fault["heading"]) == ("noviembre.csv", 2, "A", "fecha")
    assert "31/02/2025" in fault["message"]
    assert "Zoe" in str(error["extensions"]["faults"][1:])


def test_a_long_sheet_is_refused_at_once(small: Served) -> None:
    """An upload holds a thread that writes, so it may have fewer rows than an import on the command line."""
    headings, row = SHEET.splitlines(keepends=True)
    refused = send(small, headings + row * 10_000)
    [fault] = refused.json()["errors"][0]["extensions"]["faults"]
    assert (refused.status_code, fault["row"], fault["message"]) == (422, 10_001, "the sheet has more than 10000 rows")


def test_a_sheet_needs_a_role_that_may(small: Served) -> None:
    """A player may not import sheets; an unknown field is refused by its name."""
    assert send(small, SHEET, role="player").status_code == 403
    assert send(small, SHEET, rule="cuban-150").json()["errors"][0]["extensions"]["field"] == ["rule"]
