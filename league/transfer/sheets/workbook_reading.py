"""Reads the sheets of a workbook (XLSX), in a process of its own.

Only that process imports openpyxl, which takes a quarter of a second. openpyxl reads XML with defusedxml, which refuses
entities.
"""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from openpyxl import load_workbook
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.transfer.sheets.cells import Cell, cell_of
from league.transfer.sheets.columns import HANDS_TITLE, heading_key
from league.transfer.sheets.reading import MOST_COLUMNS, SheetTable, SheetTableRow, Tables, check_count, unreadable

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


def read_whole(content: bytes, title: str, most_rows: int) -> Tables:
    """All rows of a workbook, for a process that reads it on behalf of another. Raises SheetRefused."""
    tables = read_xlsx(content, title, most_rows)
    for table in tables:
        if table is not None:
            table.rows = iter([*table.rows])
    return tables
