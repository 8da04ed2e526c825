"""Reads a sheet from CSV: UTF-8 or Windows-1252, separated by commas, semicolons or tabs."""

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, zip_longest

from league.domain.sentences import Sentence, say
from league.transfer.sheets.cells import Cell, cell_of
from league.transfer.sheets.columns import Column, by_heading, named_in, required_of
from league.transfer.sheets.table import (
    MOST_BYTES,
    MOST_COLUMNS,
    MOST_TITLES,
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
    """The sheet in a file of CSV. Raises SheetRefused for another encoding, and where there is nothing in it.

    So does the table while it is read, for more than `most_rows`.
    """
    text, notes = _decoded(content, title)
    if not text.strip(" \t\r\n,;\x00\ufeff"):
        raise unreadable(title, say("the file is empty"), 1, "A")
    table = Table(title, _rows(text, title, _separator(text, columns), most_rows))
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


def _separator(text: str, columns: tuple[Column, ...]) -> str:
    """The one with which a row first names all required columns; else the one that finds the most in a row."""
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


def _rows(text: str, title: str, separator: str, most_rows: int) -> Iterator[TableRow]:
    for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1):
        cells: list[Cell] = [cell_of(cell) for cell in row[:MOST_COLUMNS]]
        if any(cell is not None for cell in cells):
            check_count(number, title, most_rows)
            yield TableRow(number, cells)
