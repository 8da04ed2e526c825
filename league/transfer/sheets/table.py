"""A sheet as a file has it: rows of cells, numbered as a spreadsheet numbers them."""

from collections.abc import Iterator
from typing import NamedTuple

from league.domain.collected_refusals import BadCell, SheetRefused
from league.domain.refusals import InvalidInput
from league.domain.sentences import Sentence, say
from league.transfer.sheets.cells import Cell

MOST_BYTES = 32 * 1024 * 1024
"""Of a file."""
MOST_ROWS = 200_000
"""Of a sheet; an upload may have fewer."""
MOST_COLUMNS = 256
"""Columns beyond it are not read."""
MOST_TITLES = 1_000
"""Rows in which the headings are looked for."""


class TableRow(NamedTuple):
    """A row that is not empty."""

    number: int
    """From 1, empty rows counted."""
    cells: list[Cell]

    def at(self, index: int) -> Cell:
        """The cell in a column, by its index from 0."""
        return self.cells[index] if index < len(self.cells) else None


class Table:
    """The rows of a sheet, which can be gone through once."""

    def __init__(self, title: str, rows: Iterator[TableRow]) -> None:
        self.title, self.rows = title, rows
        self.merged: list[str] = []
        """The ranges of merged cells, such as `A2:B2`; complete when all rows have been read."""
        self.notes: list[Sentence] = []
        """What a person may want to check of how the file was read."""


def column_letters(index: int) -> str:
    """The name of a column by its index from 0: `A`, `Z`, `AA`."""
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def unreadable(sheet: str, reason: Sentence, row: int | None = None, column: str | None = None) -> SheetRefused:
    """The refusal of a file that cannot be read on from here."""
    return SheetRefused((BadCell(sheet, row, column, None, InvalidInput("file", reason)),))


def check_count(row: int, sheet: str, most: int) -> None:
    """Raise SheetRefused for a row beyond the most that a sheet may have."""
    if row > most:
        raise unreadable(sheet, say("the sheet has more than {most} rows", most=most), row)
