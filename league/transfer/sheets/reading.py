"""Reads sheets from CSV and from XLSX, one row after the other.

CSV is UTF-8 or Windows-1252, separated by commas, semicolons or tabs. openpyxl reads XML with defusedxml, which
refuses entities. A workbook is read in a process of its own: a file of some kilobytes can take a gigabyte, or minutes.
"""

import codecs
import csv
import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from openpyxl import load_workbook
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from league.domain.collected_refusals import BadCell, SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say
from league.infra.decoding import DecodingLimits, DecodingTask, PackedAnswer, Undecodable, decode
from league.transfer.sheets.cells import Cell, cell_of
from league.transfer.sheets.columns import HANDS_TITLE, SheetColumn, by_heading, heading_key, named_in, required_of

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


# ---------------------------------------------------------------- XLSX


MOST_UNPACKED = 256 * 1024 * 1024
"""The most bytes of all parts of a file, unpacked."""
MOST_OF_A_PART = 32 * 1024 * 1024
"""The most bytes of a part that is not a sheet, such as the texts: it is read as a whole."""
MOST_PARTS = 1_000
MOST_TAGS = 4_000_000
"""The most tags of a sheet: 10,000 rows of 100 cells have fewer. A file of 20 KB can have more; each takes memory."""
MOST_TAGS_OF_A_ROW = 100_000
"""The most tags of a row. A spreadsheet has at most 16,384 columns."""
MOST_TAGS_OF_A_PART = 1_000_000
"""The most tags of any other part: 250,000 texts have fewer."""
MOST_WITHOUT_A_TAG = 256 * 1024
"""The most bytes from one tag to the next. A cell has at most 32,767 characters, which are fewer bytes. openpyxl holds
each text in memory, and each tag with all its attributes."""
CHUNK = 64 * 1024
"""Bytes that are checked at once."""


def read_xlsx(content: bytes, title: str, most_rows: int) -> tuple[SheetTable, SheetTable | None]:
    """The sheets of matches and of hands. `title` names the file. Raises SheetRefused, also while rows are read."""
    try:
        _check_size(content, title)
        workbook = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheets = [sheet for sheet in workbook.worksheets if isinstance(sheet, ReadOnlyWorksheet)]
    except Refusal:
        raise
    except Exception as error:  # a damaged file fails in openpyxl in many ways
        raise unreadable(title, say("the file cannot be read as XLSX: {error}", error=_named(error))) from error
    if not sheets:
        raise unreadable(title, say("the file has no sheet"))
    first, *others = sheets
    if heading_key(first.title) in HANDS_TITLE.values():
        raise unreadable(first.title, say("the first sheet must be that of the matches"))
    hands = next((sheet for sheet in others if heading_key(sheet.title) in HANDS_TITLE.values()), None)
    return _xlsx_table(first, most_rows), None if hands is None else _xlsx_table(hands, most_rows)


def _check_size(content: bytes, title: str) -> None:
    """Refuse a file that would unpack to more than a sheet needs; no part unpacks to more than it declares."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    large = [part for part in parts if part.file_size > MOST_OF_A_PART and "worksheets/" not in part.filename]
    if unpacked > MOST_UNPACKED or large or len(parts) > MOST_PARTS:
        size = max(part.file_size for part in large) if large else unpacked
        raise unreadable(title, say("the file unpacks to {size} bytes, which is too much", size=size))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for part in parts:
            _check_tags(archive, part, title)


def _check_tags(archive: zipfile.ZipFile, part: zipfile.ZipInfo, title: str) -> None:
    """Refuse a part with more, or longer, tags and texts than a sheet needs, before openpyxl has them in memory."""
    is_sheet, is_xml = "worksheets/" in part.filename, part.filename.endswith(".xml")
    most, tags, of_row, of_tag = MOST_TAGS if is_sheet else MOST_TAGS_OF_A_PART, 0, 0, 0
    with archive.open(part) as source:
        while chunk := source.read(CHUNK):
            last = chunk.rfind(b"</row")
            tags += chunk.count(b"<")
            of_row = chunk.count(b"<", last) if last >= 0 else of_row + chunk.count(b"<")
            if tags > most or (is_sheet and of_row > MOST_TAGS_OF_A_ROW):
                raise unreadable(title, say("the file unpacks to far more cells than the sheet of a club has"))
            last = chunk.rfind(b"<")
            of_tag = of_tag + len(chunk) if last < 0 else len(chunk) - last
            if is_xml and of_tag > MOST_WITHOUT_A_TAG:
                raise unreadable(title, say("a cell of the file has far more text than the sheet of a club has"))


class _Parser(WorkSheetParser):  # type: ignore[misc]  # openpyxl has no types
    """openpyxl's parser, but with a fault for a formula without a value, which openpyxl takes for an empty cell."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        if cell["value"] is None and element.find(FORMULA_TAG) is not None:
            reason = say("the cell has a formula without a value: open the file in a spreadsheet and save it again")
            cell["value"] = InvalidInput("cell", reason)
        elif cell["data_type"] == "e":
            cell["value"] = InvalidInput("cell", say("the cell has the error {error}", error=str(cell["value"])))
        return cell


def _xlsx_table(sheet: Any, most_rows: int) -> SheetTable:
    table = SheetTable(sheet.title, iter(()))
    table.rows = _xlsx_rows(sheet, table, most_rows)
    return table


def _xlsx_rows(sheet: Any, table: SheetTable, most_rows: int) -> Iterator[SheetTableRow]:
    number, book = 0, sheet.parent
    try:
        with sheet._get_source() as source:  # noqa: SLF001  # openpyxl's own rows hide merged cells and formulas
            parser = _Parser(
                source, sheet._shared_strings, data_only=True, epoch=book.epoch, date_formats=book._date_formats,  # noqa: SLF001
                timedelta_formats=book._timedelta_formats,  # noqa: SLF001
            )  # fmt: skip
            for number, found in parser.parse():
                cells = _cells(found)
                if cells:
                    check_count(number, table.title, most_rows)
                    yield SheetTableRow(number, cells)
        if parser.merged_cells is not None:
            table.merged += [str(merged.ref) for merged in parser.merged_cells.mergeCell]
    except Refusal:
        raise
    except Exception as error:  # a damaged file fails in openpyxl in many ways
        reason = say("the sheet cannot be read on from here: {error}", error=_named(error))
        raise unreadable(table.title, reason, number + 1) from error


def _cells(found: list[dict[str, Any]]) -> list[Cell]:
    """The cells of a row by their columns; none if all are empty."""
    by_column = {cell["column"]: cell_of(cell["value"]) for cell in found if 1 <= cell["column"] <= MOST_COLUMNS}
    filled = [column for column, cell in by_column.items() if cell is not None]
    return [by_column.get(column) for column in range(1, max(filled, default=0) + 1)]


def _named(error: BaseException) -> str:
    """The first error in words: openpyxl hides it behind its own errors."""
    while error.__context__ is not None:
        error = error.__context__
    return f"{type(error).__name__}: {error}"


# ---------------------------------------------------------------- workbooks in a process of their own


WORKBOOK = b"PK"
"""How the content of a workbook begins: it is a ZIP archive."""
OWN_LIMITS = DecodingLimits(seconds=600, wall_seconds=3600.0)
"""Limits on the command line, where a sheet may have 200,000 rows, more than an upload may have: they take minutes."""

Tables = tuple[SheetTable, SheetTable | None]
"""The sheets of matches and of hands."""


def reading_of(content: bytes, title: str, most_rows: int) -> DecodingTask:
    """The work of a process that reads a workbook. `title` names the file."""
    return DecodingTask(f"{__name__}:{read_whole.__name__}", content, (title, most_rows))


def read_whole(content: bytes, title: str, most_rows: int) -> Tables:
    """All rows of a workbook, for a process that reads it on behalf of another. Raises SheetRefused."""
    tables = read_xlsx(content, title, most_rows)
    for table in tables:
        if table is not None:
            table.rows = iter([*table.rows])
    return tables


def read_workbook(content: bytes, title: str, most_rows: int, read: PackedAnswer | None) -> Tables:
    """The sheets of a workbook. `read`: its sheets, if a process has read it before. Blocks. Raises SheetRefused."""
    try:
        tables: Tables = decode(reading_of(content, title, most_rows), OWN_LIMITS) if read is None else read.value()
    except Undecodable as error:
        raise unreadable(title, error.reason) from error
    return tables
