"""Reads a sheet from CSV: UTF-8, separated by commas, semicolons or tabs."""

import codecs
import csv
import io
from collections.abc import Iterator

from league.domain.sentences import say
from league.transfer.sheets.cells import Cell, cell_of
from league.transfer.sheets.columns import Column, by_heading, heading_key
from league.transfer.sheets.table import (
    MOST_BYTES,
    MOST_COLUMNS,
    Table,
    TableRow,
    check_count,
    column_letters,
    unreadable,
)

SEPARATORS = ",;\t"

# A cell that is too long is refused by its place, so the parser itself must not give up before.
csv.field_size_limit(MOST_BYTES)


def read_csv(content: bytes, title: str, columns: tuple[Column, ...], most_rows: int) -> Table:
    """The sheet in a file of CSV. Raises SheetRefused where it is not UTF-8 or has nothing in it.

    So does the table while it is read, for more than `most_rows`.
    """
    text = _decoded(content, title)
    if not text.strip(" \t\r\n,;\x00\ufeff"):
        raise unreadable(title, say("the file is empty"), 1, "A")
    return Table(title, _rows(text, title, _separator(text, columns), most_rows))


def _decoded(content: bytes, title: str) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise unreadable(title, say("the file is not UTF-8 but UTF-16: save it as CSV UTF-8"), 1, "A")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", "replace")
        separator = max(SEPARATORS, key=before.count)
        row, last = 1, [""]
        for row, last in enumerate(csv.reader(io.StringIO(before, newline=""), delimiter=separator), 1):  # noqa: B007  # where it ends
            pass
        if before.endswith("\n"):
            row, last = row + 1, [""]
        reason = say("the file is not UTF-8: save it as CSV UTF-8")
        raise unreadable(title, reason, row, column_letters(len(last or [""]) - 1)) from None


def _separator(text: str, columns: tuple[Column, ...]) -> str:
    """The one that finds the most headings."""
    known = by_heading(columns)

    def found(separator: str) -> tuple[int, int]:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        headings = next((row for row in rows if any(map(str.strip, row))), [])
        return sum(heading_key(heading) in known for heading in headings[:MOST_COLUMNS]), len(headings)

    return max(SEPARATORS, key=found)


def _rows(text: str, title: str, separator: str, most_rows: int) -> Iterator[TableRow]:
    for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1):
        cells: list[Cell] = [cell_of(cell) for cell in row[:MOST_COLUMNS]]
        if any(cell is not None for cell in cells):
            check_count(number, title, most_rows)
            yield TableRow(number, cells)
