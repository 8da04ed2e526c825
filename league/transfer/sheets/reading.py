"""Reads sheets from CSV and from XLSX, one row after the other.

CSV is UTF-8 or Windows-1252, separated by commas, semicolons or tabs. A workbook is read in a process of its own
(`workbook_reading`): a file of some kilobytes can take a gigabyte, or minutes.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, zip_longest
from typing import NamedTuple

from league.domain.collected_refusals import BadCell, SheetRefused
from league.domain.refusals import InvalidInput
from league.domain.sentences import Sentence, say
from league.infra.decoding import DecodingLimits, DecodingTask, PackedAnswer, Undecodable, decode
from league.transfer.sheets.cells import Cell, cell_of
from league.transfer.sheets.columns import SheetColumn, by_heading, named_in, required_of

MOST_BYTES = 32 * 1024 * 1024
"""The most bytes of a file."""
MOST_ROWS = 200_000
"""The most rows of a sheet. An upload may have fewer."""
MOST_COLUMNS = 256
"""Further columns are not read."""
MOST_TITLES = 1_000
"""The headings are looked for in the first rows, up to this number."""


class SheetTableRow(NamedTuple):
    """A row that is not empty."""

    number: int
    """From 1, empty rows counted."""
    cells: list[Cell]

    def at(self, index: int) -> Cell:
        """The cell in a column, by its index from 0."""
        return self.cells[index] if index < len(self.cells) else None


class SheetTable:
    """The rows of a sheet, which can be read once."""

    def __init__(self, title: str, rows: Iterator[SheetTableRow]) -> None:
        self.title, self.rows = title, rows
        self.merged: list[str] = []
        """The ranges of merged cells, such as `A2:B2`; complete when all rows have been read."""
        self.notes: list[Sentence] = []
        """Notes on how the file was read, for a person to check."""


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


# ---------------------------------------------------------------- CSV


SEPARATORS = ",;\t"

# A cell that is too long is refused by its place, so the parser itself must not give up before.
csv.field_size_limit(MOST_BYTES)


def read_csv(content: bytes, title: str, columns: tuple[SheetColumn, ...], most_rows: int) -> SheetTable:
    """The sheet in a CSV file. Raises SheetRefused for another encoding and for an empty file.

    Reading its rows raises SheetRefused, too, if there are more than `most_rows`.
    """
    text, notes = _decoded(content, title)
    if not text.strip(" \t\r\n,;\x00\ufeff"):
        raise unreadable(title, say("the file is empty"), 1, "A")
    table = SheetTable(title, _csv_rows(text, title, _separator(text, columns), most_rows))
    table.notes += notes
    return table


def _decoded(content: bytes, title: str) -> tuple[str, list[Sentence]]:
    """The text, and a note where its encoding was guessed."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise unreadable(title, say("the file is not UTF-8 but UTF-16: save it as CSV UTF-8"), 1, "A")
    plain = content.removeprefix(codecs.BOM_UTF8)
    try:
        return plain.decode(), []
    except UnicodeDecodeError as error:
        if plain is content:  # without a mark that it is UTF-8
            with suppress(UnicodeDecodeError):
                note = say("{file} is not UTF-8 and was read as Windows-1252: check the names with accents", file=title)
                return content.decode("cp1252"), [note]
        before = plain[: error.start].decode()
        separator = max(SEPARATORS, key=before.count)
        row, last = 1, [""]
        for row, last in enumerate(csv.reader(io.StringIO(before, newline=""), delimiter=separator), 1):  # noqa: B007  # where it ends
            pass
        if before.endswith("\n"):
            row, last = row + 1, [""]
        reason = say("the file is neither UTF-8 nor Windows-1252: save it as CSV UTF-8")
        raise unreadable(title, reason, row, column_letters(len(last or [""]) - 1)) from None


def _separator(text: str, columns: tuple[SheetColumn, ...]) -> str:
    """The separator with which a row first names all required columns; else the one that finds the most in a row."""
    known, required = by_heading(columns), {*required_of(columns)}
    readers = [csv.reader(io.StringIO(text, newline=""), delimiter=separator) for separator in SEPARATORS]
    found = dict.fromkeys(SEPARATORS, (0, 0))
    for rows in islice(zip_longest(*readers, fillvalue=()), MOST_TITLES):
        for separator, row in zip(SEPARATORS, rows, strict=True):
            names = named_in(row[:MOST_COLUMNS], known)
            if required <= names:
                return separator
            found[separator] = max(found[separator], (len(names), len(row)))
    return max(SEPARATORS, key=found.__getitem__)


def _csv_rows(text: str, title: str, separator: str, most_rows: int) -> Iterator[SheetTableRow]:
    for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1):
        cells: list[Cell] = [cell_of(cell) for cell in row[:MOST_COLUMNS]]
        if any(cell is not None for cell in cells):
            check_count(number, title, most_rows)
            yield SheetTableRow(number, cells)


# ---------------------------------------------------------------- workbooks in a process of their own


WORKBOOK = b"PK"
"""How the content of a workbook begins: it is a ZIP archive."""
OWN_LIMITS = DecodingLimits(seconds=600, wall_seconds=3600.0)
"""Limits on the command line, where a sheet may have 200,000 rows, more than an upload may have: they take minutes."""

Tables = tuple[SheetTable, SheetTable | None]
"""The sheets of matches and of hands."""


def reading_of(content: bytes, title: str, most_rows: int) -> DecodingTask:
    """The work of a process that reads a workbook. `title` names the file."""
    return DecodingTask("league.transfer.sheets.workbook_reading:read_whole", content, (title, most_rows))


def read_workbook(content: bytes, title: str, most_rows: int, read: PackedAnswer | None) -> Tables:
    """The sheets of a workbook. `read`: its sheets, if a process has read it before. Blocks. Raises SheetRefused."""
    try:
        tables: Tables = decode(reading_of(content, title, most_rows), OWN_LIMITS) if read is None else read.value()
    except Undecodable as error:
        raise unreadable(title, error.reason) from error
    return tables
