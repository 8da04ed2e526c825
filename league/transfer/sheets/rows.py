"""The rows of a sheet as values by column, and the faults of cells."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

from msgspec import Struct

from league.domain.collected_refusals import BadCell, SheetRefused
from league.domain.player_names import name_key
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.transfer.sheets.cells import Cell, plain
from league.transfer.sheets.columns import (
    IGNORED,
    SheetColumn,
    by_heading,
    heading_key,
    language_of,
    named_in,
    required_of,
)
from league.transfer.sheets.reading import MOST_TITLES, SheetTable, SheetTableRow, column_letters

MOST_FAULTS = 200
"""The most faults that are listed; the others are counted."""
TOTAL = "total"
"""How a row of totals begins."""


class CellFaults:
    """The faults that were found in the sheets of a file: the first of them, and how many there are."""

    def __init__(self) -> None:
        self.cells: list[BadCell] = []
        self.count = 0
        self.sheets: list[Sheet] = []
        """The sheets whose faults are collected here."""

    def add(self, fault: BadCell) -> None:
        """Add a fault."""
        self.count += 1
        if len(self.cells) < MOST_FAULTS:
            self.cells.append(fault)

    def refused(self) -> SheetRefused:
        """All of them as one refusal."""
        for sheet in self.sheets:
            sheet.settle()
        return SheetRefused(tuple(self.cells), self.count)


class SheetRow(Struct, gc=False):
    """A row that is not empty."""

    number: int
    """As the spreadsheet numbers it."""
    values: dict[str, Any]
    """Values by the English headings of their columns; empty cells are left out."""
    bad: tuple[str, ...] = ()
    """The columns whose cells could not be read."""

    def lacks(self, column: str) -> bool:
        """Whether the cell is empty. A cell that could not be read is not empty: it already has a fault."""
        return column not in self.values and column not in self.bad


class MergedRange(NamedTuple):
    """Merged cells: columns by their indexes from 0, rows by their numbers."""

    ref: str
    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def of(cls, ref: str) -> "MergedRange":
        """A range such as `A2:A5`."""
        from openpyxl.utils import range_boundaries  # noqa: PLC0415  # it takes a quarter of a second

        left, top, right, bottom = range_boundaries(ref)
        return cls(ref, left - 1, top, right - 1, bottom)


class Sheet:
    """A sheet that has been read."""

    def __init__(self, table: SheetTable, columns: tuple[SheetColumn, ...], faults: CellFaults) -> None:
        """Adds what is wrong to `faults`."""
        self.title, self._faults, self._columns = table.title, faults, {column.name: column for column in columns}
        self._at = {path: column.name for column in columns for path in column.at}
        self._lacking: dict[tuple[str, str], list[tuple[int, Refusal]]] = {}
        """Faults in columns that the sheet does not have: the rows that need them, by column and reason."""
        self._headings_row = 1
        faults.sheets.append(self)
        self.headings: dict[str, tuple[int, str]] = {}
        """The index of each column and its heading as written, by the English heading."""
        self.rows: list[SheetRow] = []
        self.is_readable = False
        """Whether its headings are known."""
        headings, rows = _below_titles(table.rows, columns)
        if headings is None:
            self.fault(1, None, InvalidInput("file", say("the sheet is empty")))
            return
        before, self._headings_row = faults.count, headings.number
        self._read_headings(headings.number, headings.cells, columns)
        self.is_readable = faults.count == before
        self._reading = [(index, column) for column in columns if (index := self._index(column.name)) is not None]
        last = None
        for row in rows:
            if last is not None:
                self._read_row(last)
            last = row
        merged = [one for one in map(MergedRange.of, table.merged) if one.bottom >= headings.number]
        if last is not None and self._is_of_totals(last, merged):
            merged = [one for one in merged if one.top < last.number]
        elif last is not None:
            self._read_row(last)
        self._take_merged(merged, headings.number)

    def has(self, column: str) -> bool:
        """Whether the sheet has this column."""
        return column in self.headings

    def fault(self, row: int, column: str | None, refusal: Refusal) -> None:
        """Add a fault of a row; one in a column that the sheet does not have waits for `settle`."""
        if column is None:
            self._faults.add(BadCell(self.title, row, None, None, refusal))
        elif column in self.headings:
            index, heading = self.headings[column]
            self._faults.add(BadCell(self.title, row, column_letters(index), heading, refusal))
        else:
            self._lacking.setdefault((column, refusal.message), []).append((row, refusal))
            self._faults.count += 1

    def settle(self) -> None:
        """Add the faults in columns that the sheet lacks. A fault of all rows is added once, at the headings."""
        for (column, _), found in self._lacking.items():
            self._faults.count -= len(found)
            is_shared = len(found) == len(self.rows) > 1
            for row, refusal in [(self._headings_row, found[0][1])] if is_shared else found:
                self._faults.add(BadCell(self.title, row, None, self._heading_of(column), refusal))
        self._lacking.clear()

    def column_of(self, path: str) -> str | None:
        """The column of a fault by its path in a recorded match or hand."""
        while path:
            if path in self._at:
                return self._at[path]
            within = next((column for at, column in self._at.items() if at.startswith(f"{path}.")), None)
            if within is not None:
                return within
            path = path.rpartition(".")[0]
        return None

    def _heading_of(self, column: str) -> str:
        """The heading that a missing column would have: in the language of the others, in both if unclear."""
        told = [language_of(self._columns[name], heading) for name, (_, heading) in self.headings.items()]
        english, spanish = told.count("en"), told.count("es")
        wanted = self._columns[column]
        return wanted.headings if english == spanish else wanted.heading("es" if spanish > english else "en")

    def _index(self, column: str) -> int | None:
        return self.headings[column][0] if column in self.headings else None

    def _read_headings(self, row: int, cells: list[Cell], columns: tuple[SheetColumn, ...]) -> None:
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
        for name in required_of(columns):
            if name not in self.headings:
                heading = self._heading_of(name)
                reason = say("the column {name!r} is missing", name=heading)
                self._faults.add(BadCell(self.title, row, None, heading, InvalidInput("heading", reason)))

    def _read_row(self, row: SheetTableRow) -> None:
        values: dict[str, Any] = {}
        bad = []
        for index, column in self._reading:
            if (cell := row.at(index)) is None:
                continue
            try:
                values[column.name] = column.read(cell)
            except InvalidInput as refused:
                self.fault(row.number, column.name, refused)
                bad.append(column.name)
        for index, cell in enumerate(row.cells):
            if cell is not None and (index >= self._headings_count or index in self._nameless):
                reason = say("this column has no heading")
                fault = BadCell(self.title, row.number, column_letters(index), None, InvalidInput("cell", reason))
                self._faults.add(fault)
                break
        if values or bad:
            self.rows.append(SheetRow(row.number, values, tuple(bad)))

    def _is_of_totals(self, last: SheetTableRow, merged: list[MergedRange]) -> bool:
        """Whether the last row has totals: its first text begins with `total`, and it lacks what a row must have."""
        first = next((index for index, cell in enumerate(last.cells) if isinstance(cell, str)), None)
        if first is None or not name_key(plain(last.cells[first])).startswith(TOTAL):
            return False
        missing = [index for index, column in self._reading if not column.is_in_totals]
        held = any(one.left in missing and one.top < last.number <= one.bottom for one in merged)
        return bool(missing) and not held and all(index == first or last.at(index) is None for index in missing)

    def _take_merged(self, merged: list[MergedRange], headings: int) -> None:
        """Let merged cells hold for all their rows where their column says so; elsewhere they are faults."""
        holding: dict[str, list[MergedRange]] = {}
        for one in merged:
            touched = [column for index, column in self._reading if one.left <= index <= one.right]
            if one.left == one.right and one.top > headings and touched and touched[0].holds_merged:
                holding.setdefault(touched[0].name, []).append(one)
            elif touched:
                reason = say("the cells {cells} are merged: separate them and fill in each", cells=one.ref)
                refused = InvalidInput("cell", reason)
                self._faults.add(BadCell(self.title, one.top, column_letters(one.left), None, refused))
        by_number = {row.number: row for row in self.rows}
        for name, ranges in holding.items():
            ranges.sort(key=lambda one: one.top)
            tops = [one.top for one in ranges]
            for row in self.rows:
                at = bisect_right(tops, row.number) - 1
                top = by_number.get(tops[at]) if at >= 0 and row.number <= ranges[at].bottom else None
                if top is not None and name in top.values:
                    row.values[name] = top.values[name]
                elif top is not None and name in top.bad:
                    row.bad += (name,)


def _below_titles(
    rows: Iterator[SheetTableRow], columns: tuple[SheetColumn, ...]
) -> tuple[SheetTableRow | None, Iterator[SheetTableRow]]:
    """The row of the headings, and the rows below: rows above the first that names all required columns are titles.

    Where none does, the headings are taken to be in the row that names the most.
    """
    known, required = by_heading(columns), {*required_of(columns)}
    seen: list[SheetTableRow] = []
    for row in islice(rows, MOST_TITLES):
        if required <= named_in(row.cells, known):
            return row, rows
        seen.append(row)
    if not seen:
        return None, rows
    at = max(range(len(seen)), key=lambda index: len(named_in(seen[index].cells, known)))
    return seen[at], chain(seen[at + 1 :], rows)
