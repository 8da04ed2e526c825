"""An empty sheet to fill in: the headings, and one example of a match and of a hand."""

import csv
from typing import BinaryIO, TextIO

from openpyxl import Workbook

from league.transfer.sheets.columns import HANDS, HANDS_TITLE, MATCHES, MATCHES_TITLE, Column, Language


def write_csv(columns: tuple[Column, ...], language: Language, out: TextIO) -> None:
    """Write the template of one sheet."""
    csv.writer(out, lineterminator="\n").writerows(_rows(columns, language))


def write_xlsx(language: Language, out: BinaryIO) -> None:
    """Write a workbook with the templates of both sheets."""
    book = Workbook(write_only=True)
    for title, columns in ((MATCHES_TITLE, MATCHES), (HANDS_TITLE, HANDS)):
        sheet = book.create_sheet(title[language])
        for row in _rows(columns, language):
            sheet.append(row)
    book.save(out)


def _rows(columns: tuple[Column, ...], language: Language) -> list[list[str | int]]:
    return [[column.heading(language) for column in columns], [column.example for column in columns]]
