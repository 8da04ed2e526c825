"""Tables as clubs keep them: titles above, a row of totals below, merged dates, another encoding, decimal zeros."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import InvalidInput
from league.tournaments.entries_sheet import COLUMNS as ENTRIES
from league.transfer.sheets.cells import WrittenTime, read_number
from league.transfer.sheets.columns import HANDS, MATCHES, SheetColumn
from league.transfer.sheets.reading import SheetTable, read_csv
from league.transfer.sheets.rows import CellFaults, Sheet
from league.transfer.sheets.workbook_reading import read_xlsx

HEAD = ["Fecha", "Lado 1", "Lado 2", "Puntos 1", "Puntos 2"]
ROW = ["2026-11-14", "Ana", "Eva", "200", "135"]
TITLES = [["Club Dominó de Gazcue"], [], ["Torneo", "", "fecha: noviembre"]]
TOTALS = ["TOTALES", "", "", "200", "135"]


def text_of(rows: list[list[str]], separator: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue()


def of_csv(content: str | bytes, columns: tuple[SheetColumn, ...] = MATCHES) -> tuple[SheetTable, Sheet, list[str]]:
    """The sheet in a CSV file, and its faults."""
    return read(read_csv(content.encode() if isinstance(content, str) else content, "sheet", columns, 10_000), columns)


def of_xlsx(
    rows: list[list[Any]], change: Callable[[Any], Any] = lambda _: None
) -> tuple[SheetTable, Sheet, list[str]]:
    """The first sheet of a workbook with these rows, and its faults."""
    book = Workbook()
    sheet: Any = book.active
    for row in rows:
        sheet.append(row)
    change(sheet)
    out = io.BytesIO()
    book.save(out)
    return read(read_xlsx(out.getvalue(), "book", 10_000)[0], MATCHES)


def read(table: SheetTable, columns: tuple[SheetColumn, ...]) -> tuple[SheetTable, Sheet, list[str]]:
    faults = CellFaults()
    return table, Sheet(table, columns, faults), [str(cell) for cell in faults.cells]


# ---------------------------------------------------------------- titles and totals


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_rows_above_the_headings_are_titles(separator: str) -> None:
    """Rows above the headings are titles, with any separator; rows have the numbers of the spreadsheet."""
    _, sheet, faults = of_csv(text_of([*TITLES, HEAD, ROW], separator))
    assert not faults
    assert [(row.number, row.values["side 1"], row.values["score 2"]) for row in sheet.rows] == [(5, "Ana", 135)]


def test_a_title_with_more_separators_of_another_kind_does_not_choose_the_separator() -> None:
    _, sheet, faults = of_csv("Ana, Eva, Luis, Juan, Bea, Zoe, Noel\n" + text_of([HEAD, ROW], ";"))
    assert not faults
    assert len(sheet.rows) == 1


def test_without_headings_the_row_that_is_closest_to_them_is_at_fault() -> None:
    """Without headings, faults name the row that is closest to headings, and not a title."""
    _, _, faults = of_csv(text_of([*TITLES, ["Fecha", "Lado 1", "Lado dos"], ROW[:3]]))
    assert [fault.partition(";")[0] for fault in faults] == [
        "sheet C4 (Lado dos): there is no column 'Lado dos'", "sheet 4 (lado 2): the column 'lado 2' is missing",
    ]  # fmt: skip


def test_hands_and_entries_may_have_titles_too() -> None:
    """Hands may have titles above their headings, too: both sheets have the same reader."""
    _, hands, faults = of_csv(text_of([*TITLES, ["partida", "mano", "final"], ["m1", "1", "tranque"]]), HANDS)
    assert not faults
    assert [row.number for row in hands.rows] == [5]
    _, entries, faults = of_csv(text_of([*TITLES, ["jugador", "mesa"], ["Total Gómez", "1"]]), ENTRIES)
    assert not faults
    assert [row.values["player"] for row in entries.rows] == ["Total Gómez"]


@pytest.mark.parametrize(
    "totals",
    [TOTALS, ["", "Total", "", "200", "135"], ["", "", "total general", "335"], ["Total:"]],
)
def test_a_last_row_of_totals_is_passed_over(totals: list[str]) -> None:
    """A last row of totals is skipped, wherever its first text stands, even below the dates."""
    _, sheet, faults = of_csv(text_of([HEAD, ROW, totals]))
    assert not faults
    assert [row.number for row in sheet.rows] == [2]


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        ([TOTALS, ROW], [2, 3]),
        ([ROW, ["2026-11-15", "Total Gómez", "Eva", "200", "135"]], [2, 3]),
        ([ROW, ["", "Ana", "Total Gómez", "200", "135"]], [2, 3]),
    ],
)
def test_another_row_that_begins_with_total_is_a_match(rows: list[list[str]], numbers: list[int]) -> None:
    """A row with `total` is a match if it is not the last, has a date, or begins with another text."""
    _, sheet, _ = of_csv(text_of([HEAD, *rows]))
    assert [row.number for row in sheet.rows] == numbers


# ---------------------------------------------------------------- merged cells

DAY = date(2026, 11, 14)
UNDATED: list[Any] = [None, "Ana", "Eva", 200, 135]


def test_merged_dates_hold_for_their_rows() -> None:
    """A merged date holds for its own rows; titles and totals may be merged in any way."""
    rows = [["Noviembre"], HEAD, [DAY, *UNDATED[1:]], UNDATED, UNDATED, ["15/11/2026 21:30", *UNDATED[1:]], UNDATED,
            ["Total", None, None, 1000, 675]]  # fmt: skip

    def merge(sheet: Any) -> None:
        for cells in ("A1:E1", "A3:A5", "A6:A7", "A8:C8"):
            sheet.merge_cells(cells)

    _, sheet, faults = of_xlsx(rows, merge)
    assert not faults
    assert [row.values["date"] for row in sheet.rows[:3]] == [WrittenTime(DAY)] * 3
    assert sheet.rows[3].values["date"] == sheet.rows[4].values["date"] != WrittenTime(DAY)
    assert [row.number for row in sheet.rows] == [3, 4, 5, 6, 7]


def test_a_row_outside_the_merged_cells_has_no_date() -> None:
    _, sheet, faults = of_xlsx([HEAD, [DAY, *UNDATED[1:]], UNDATED, UNDATED], lambda sheet: sheet.merge_cells("A2:A3"))
    assert not faults
    assert ["date" in row.values for row in sheet.rows] == [True, True, False]


def test_a_merged_date_that_cannot_be_read_is_one_fault() -> None:
    """A merged date that cannot be read is one fault, at its first cell."""
    _, sheet, faults = of_xlsx([HEAD, ["soon", *UNDATED[1:]], UNDATED], lambda sheet: sheet.merge_cells("A2:A3"))
    assert [fault.partition(":")[0] for fault in faults] == ["Sheet A2 (Fecha)"]
    assert not any(row.lacks("date") for row in sheet.rows)


def test_the_last_row_of_a_merged_date_is_a_match_whatever_it_begins_with() -> None:
    rows = [HEAD, [DAY, *UNDATED[1:]], [None, "Total Gómez", *UNDATED[2:]]]
    _, sheet, faults = of_xlsx(rows, lambda sheet: sheet.merge_cells("A2:A3"))
    assert not faults
    assert [row.values["date"] for row in sheet.rows] == [WrittenTime(DAY)] * 2


@pytest.mark.parametrize(("cells", "is_fault"), [("B2:B3", True), ("A2:B3", True), ("A1:A2", True), ("F2:F3", False)])
def test_other_merged_cells_are_faults_where_they_hide_what_is_read(cells: str, is_fault: bool) -> None:
    """Merged cells are faults where they hide what is read; in a column of notes they are not."""
    rows = [[*HEAD, "Nota"], [DAY, *UNDATED[1:], "rain"], [DAY, *UNDATED[1:]]]
    _, _, faults = of_xlsx(rows, lambda sheet: sheet.merge_cells(cells))
    assert faults == ([f"Sheet {cells[:2]}: the cells {cells} are merged: separate them and fill in each"] * is_fault)


# ---------------------------------------------------------------- encodings and numbers


def test_what_is_not_utf_8_is_read_as_windows_1252() -> None:
    """A file that is not UTF-8 is read as Windows-1252, quotes and euro sign included; a note says so."""
    table, sheet, faults = of_csv(text_of([HEAD, ["2026-11-14", "José “Pepe” Núñez €", *ROW[2:]]]).encode("cp1252"))
    assert not faults
    assert sheet.rows[0].values["side 1"] == "José “Pepe” Núñez €"
    assert table.notes == ["sheet is not UTF-8 and was read as Windows-1252: check the names with accents"]
    assert not of_csv(text_of([HEAD, ["2026-11-14", "José", *ROW[2:]]]))[0].notes


@pytest.mark.parametrize("content", [b"fecha,a\xf1o\n1,\x81", b"\xef\xbb\xbffecha,a\xf1o\n"])
def test_bytes_that_mean_nothing_in_windows_1252_are_refused(content: bytes) -> None:
    """Bytes without a meaning in Windows-1252 are refused, as is a file marked as UTF-8 that is not UTF-8."""
    with pytest.raises(SheetRefused, match=r"sheet B1: the file is neither UTF-8 nor Windows-1252"):
        of_csv(content)


@given(st.integers(0, 999_999_999), st.sampled_from(["", ",0", ".0", ",00", ".00"]))
def test_a_whole_number_may_have_decimal_zeros(number: int, zeros: str) -> None:
    assert read_number(f"{number}{zeros}") == number


@pytest.mark.parametrize(
    "text", ["200,5", "1.000", "1,000", "200,", ",0", "2 00", "-1,0", "٢٠٠", "1.0.0", "1000000000,0"]
)
def test_other_numbers_are_not_whole(text: str) -> None:
    """Other numbers are not whole, nor are three digits after a separator, which may be thousands."""
    with pytest.raises(InvalidInput):
        read_number(text)
