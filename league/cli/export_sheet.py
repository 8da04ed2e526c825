"""`league export sheet`: ended matches as the sheets that `league import` reads."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, TextIO

from league.application import audit_trail
from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli.opening import reading_run
from league.cli.terminal import reader_may_leave
from league.domain.audit_trail import RowsExported
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog.records import Request
from league.transfer.sheets.people import People, named_players
from league.transfer.sheets.sheet_export import sheets_of, write_csv, write_xlsx
from league.wording.language import language


def export_sheet(format_: Literal["csv", "xlsx"], hands: Path | None, actor: str) -> None:
    """Write the matches to standard output; of CSV the hands into a file of their own."""
    if hands is not None and format_ == "xlsx":
        raise InvalidInput("hands", say("the hands are a sheet of the XLSX file"))
    with reading_run(None, None, actor) as (league, snapshot), ExitStack() as files:
        audit_trail.record(league.store, RowsExported("sheet", format_, snapshot.run), Request(actor, "manual"))
        people = People(named_players(league.store), StreamStates(league.store, clock()).merges().aliases())
        matches = sheets_of(league.store, clock, snapshot.conn, snapshot.run)
        with reader_may_leave():
            if format_ == "xlsx":
                write_xlsx(matches, people, language(), sys.stdout.buffer)
                return
            hands_out = None if hands is None else files.enter_context(_opened(hands))
            write_csv(matches, people, language(), sys.stdout, hands_out)


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        reason = say("{path} cannot be written: {reason}", path=path, reason=error.strerror)
        raise InvalidInput("hands", reason) from None
