"""The cells of exports: a spreadsheet has no lists, so they are JSON."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from msgspec import Struct
from openpyxl import load_workbook

from league.transfer.export import write_csv
from league.transfer.workbook import write_xlsx


class Turn(Struct):
    """Values as exports from the log have them."""

    seat: int
    tile: tuple[int, int] | None


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ([1, 2], "[1,2]"),
        ((0, 25), "[0,25]"),
        ((Turn(0, (6, 5)), Turn(1, None)), '[{"seat":0,"tile":[6,5]},{"seat":1,"tile":null}]'),
        (Turn(0, None), '{"seat":0,"tile":null}'),
        ({"a": (1,)}, '{"a":[1]}'),
        (True, "true"),
    ],
)
def test_lists_and_structs_are_json(value: Any, written: str) -> None:
    """Lists and structs are JSON, in a CSV and in a workbook."""
    table, book = io.StringIO(), io.BytesIO()
    write_csv(iter([{"value": value}]), table, ["value"])
    write_xlsx([{"value": value}], book, ["value"], "rows")
    assert [*csv.reader(io.StringIO(table.getvalue()))] == [["value"], [written]]
    assert [*load_workbook(io.BytesIO(book.getvalue())).active.values] == [("value",), (written,)]
