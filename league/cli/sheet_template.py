"""`league sheet-template`: writes a sheet to fill in."""

import sys
from typing import Annotated, Literal

import typer

from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.transfer.sheets.columns import HANDS, MATCHES, write_csv_template, write_xlsx_template
from league.wording.language import language


def sheet_template(
    format_: Annotated[Literal["csv", "xlsx"], typer.Option("--format", help="CSV or XLSX.")] = "csv",
    hands: Annotated[bool, typer.Option("--hands", help="As CSV: the sheet of hands, not of matches.")] = False,
) -> None:
    """Write an empty sheet of matches to standard output, for `league import`.

    It has headings in the language of `league --language`, and an example row to replace. XLSX has a second sheet, for
    hands.
    """
    if format_ == "csv":
        write_csv_template(HANDS if hands else MATCHES, language(), sys.stdout)
    elif hands:
        raise InvalidInput("hands", say("the hands are a sheet of the XLSX file"))
    else:
        write_xlsx_template(language(), sys.stdout.buffer)
