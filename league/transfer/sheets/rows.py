"""The rows of a sheet as values by column, and the faults of cells."""

from typing import Any

from msgspec import Struct

from league.domain.collected_refusals import BadCell, SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.transfer.sheets.cells import Cell, plain
from league.transfer.sheets.columns import IGNORED, Column, by_heading, heading_key
from league.transfer.sheets.table import Table, column_letters

MOST_FAULTS = 200
"""Faults that are kept; the others are counted."""


class CellFaults:
    """The faults that were found in the sheets of a file: the first of them, and how many there are."""

    def __init__(self) -> None:
        self.cells: list[BadCell] = []
        self.count = 0

    def add(self, fault: BadCell) -> None:
        """Add a fault."""
        self.count += 1
        if len(self.cells) < MOST_FAULTS:
            self.cells.append(fault)

    def refused(self) -> SheetRefused:
        """All of them as one refusal."""
        return SheetRefused(tuple(self.cells), self.count)


class Row(Struct, gc=False):
    """A row that is not empty."""

    number: int
    """As the spreadsheet numbers it."""
    values: dict[str, Any]
    """By the English headings of columns; empty cells are left out."""
    bad: tuple[str, ...] = ()
    """The columns whose cells could not be read."""

    def lacks(self, column: str) -> bool:
        """Whether the cell is empty: one that could not be read is a fault already."""
        return column not in self.values and column not in self.bad


class Sheet:
    """A sheet that has been read."""

    def __init__(
        self, table: Table, columns: tuple[Column, ...], required: tuple[str, ...], faults: CellFaults
    ) -> None:
        """`required`: the columns that must be there. Adds what is wrong to `faults`."""
        self.title, self._faults = table.title, faults
        self._at = {path: column.name for column in columns for path in column.at}
        self.headings: dict[str, tuple[int, str]] = {}
        """By English heading, the index of the column and the heading as it is written there."""
        self.rows: list[Row] = []
        self.is_readable = False
        """Whether its headings are known."""
        first = next(table.rows, None)
        if first is None:
            self.fault(1, None, InvalidInput("file", say("the sheet is empty")))
            return
        before = faults.count
        self._read_headings(first.number, first.cells, columns, required)
        self.is_readable = faults.count == before
        reading = [(index, column) for column in columns if (index := self._index(column.name)) is not None]
        for number, cells in table.rows:
            self._read_row(number, cells, reading)
        for merged in table.merged:
            place = merged.partition(":")[0]
            column, row = place.rstrip("0123456789"), place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            reason = say("the cells {cells} are merged: separate them and fill in each", cells=merged)
            faults.add(BadCell(self.title, int(row or 1), column, None, InvalidInput("cell", reason)))

    def has(self, column: str) -> bool:
        """Whether the sheet has this column."""
        return column in self.headings

    def fault(self, row: int, column: str | None, refusal: Refusal) -> None:
        """Add a fault of a row; in a column that the sheet does not have it is one of the row."""
        index, heading = self.headings.get(column or "", (None, None))
        letters = None if index is None else column_letters(index)
        self._faults.add(BadCell(self.title, row, letters, heading, refusal))

    def column_of(self, path: str) -> str | None:
        """The column of a fault by its path in a recorded match or hand."""
        while path:
            if path in self._at:
                return self._at[path]
            if f"{path}.0" in self._at:
                return self._at[f"{path}.0"]
            path = path.rpartition(".")[0]
        return None

    def _index(self, column: str) -> int | None:
        return self.headings[column][0] if column in self.headings else None

    def _read_headings(
        self, row: int, cells: list[Cell], columns: tuple[Column, ...], required: tuple[str, ...]
    ) -> None:
        known = by_heading(columns)
        self._nameless = {index for index, cell in enumerate(cells) if cell is None}
        self._headings_count = len(cells)
        for index, cell in enumerate(cells):
            if cell is None:
                continue
            letters = column_letters(index)
            if isinstance(cell, InvalidInput):
                self._faults.add(BadCell(self.title, row, letters, None, cell))
                continue
            heading = plain(cell)
            key = heading_key(heading)
            column = known.get(key)
            if key.startswith(IGNORED):
                continue
            if column is None:
                choice = ", ".join(column.headings for column in columns)
                reason = say("there is no column {heading!r}; the columns are {choice}", heading=heading, choice=choice)
                self._faults.add(BadCell(self.title, row, letters, heading, InvalidInput("heading", reason)))
            elif column.name in self.headings:
                before, other = self.headings[column.name]
                reason = say(
                    "this is the same column as {other!r} in {letters}", other=other, letters=column_letters(before)
                )
                self._faults.add(BadCell(self.title, row, letters, heading, InvalidInput("heading", reason)))
            else:
                self.headings[column.name] = (index, heading)
        for name in required:
            if name not in self.headings:
                reason = say("the column {name!r} is missing", name=name)
                self._faults.add(BadCell(self.title, row, None, None, InvalidInput("heading", reason)))

    def _read_row(self, number: int, cells: list[Cell], reading: list[tuple[int, Column]]) -> None:
        values: dict[str, Any] = {}
        bad = []
        for index, column in reading:
            cell = cells[index] if index < len(cells) else None
            if cell is None:
                continue
            try:
                values[column.name] = column.read(cell)
            except InvalidInput as refused:
                self.fault(number, column.name, refused)
                bad.append(column.name)
        for index, cell in enumerate(cells):
            if cell is not None and (index >= self._headings_count or index in self._nameless):
                reason = say("this column has no heading")
                fault = BadCell(self.title, number, column_letters(index), None, InvalidInput("cell", reason))
                self._faults.add(fault)
                break
        if values or bad:
            self.rows.append(Row(number, values, tuple(bad)))
