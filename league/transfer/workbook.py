"""Exports as XLSX."""

from collections.abc import Iterable
from typing import BinaryIO

from league.transfer.export import cell, row_in_utc
from league.transfer.transfer_part import Row


def write_xlsx(rows: Iterable[Row], out: BinaryIO, columns: Iterable[str], title: str) -> None:
    """Write a workbook with one sheet. Its cells are those of the CSV, but numbers are numbers."""
    from openpyxl import Workbook  # noqa: PLC0415  # it takes a quarter of a second

    book = Workbook(write_only=True)
    sheet, headings = book.create_sheet(title), list(columns)
    sheet.append(headings)
    for row in rows:
        values = row_in_utc(row)
        sheet.append([cell(values[heading]) for heading in headings])
    book.save(out)
