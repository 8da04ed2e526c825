"""`league export`: rows of the league, its log, or a sheet, on standard output."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TextIO

import typer

from league.application import storing
from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.audit.proofs import write_log
from league.cli import trail
from league.cli.opening import existing_league, reading, reading_run
from league.cli.options import Actor, KnownAt, Run
from league.cli.terminal import reader_may_leave
from league.domain.audit_trail import RowsExported
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog import encoded_rows
from league.eventlog.records import Request
from league.infra.database import connect
from league.transfer import export as exports
from league.transfer.sheets.people import People, named_players
from league.transfer.sheets.sheet_export import sheets_of
from league.transfer.sheets.sheet_export import write_csv as write_csv_sheet
from league.transfer.sheets.sheet_export import write_xlsx as write_xlsx_sheet
from league.transfer.workbook import write_xlsx
from league.wording.language import _, language


def export_sheet(format_: Literal["csv", "xlsx"], hands: Path | None, actor: str) -> None:
    """Write the matches to standard output; of CSV the hands into a file of their own."""
    if hands is not None and format_ == "xlsx":
        raise InvalidInput("hands", say("the hands are a sheet of the XLSX file"))
    with reading_run(None, None, actor) as (league, snapshot), ExitStack() as files:
        storing.record(league.store, RowsExported("sheet", format_, snapshot.run), Request(actor, "manual"))
        people = People(named_players(league.store), StreamStates(league.store, clock()).merges().aliases())
        matches = sheets_of(league.store, clock, snapshot.conn, snapshot.run)
        with reader_may_leave():
            if format_ == "xlsx":
                write_xlsx_sheet(matches, people, language(), sys.stdout.buffer)
                return
            hands_out = None if hands is None else files.enter_context(_opened(hands))
            write_csv_sheet(matches, people, language(), sys.stdout, hands_out)


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        reason = say("{path} cannot be written: {reason}", path=path, reason=error.strerror)
        raise InvalidInput("hands", reason) from None


Format = Literal["jsonl", "csv", "xlsx"]

NAMES = ("log", "trail", "sheet", *exports.exports_by_name(), *exports.log_exports_by_name())
What = StrEnum("What", {name.upper(): name for name in NAMES})  # type: ignore[misc]  # the names are known when it runs


def export(
    what: Annotated[What, typer.Argument(help="What to write.")],
    run: Run = None,
    known_at: KnownAt = None,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="JSON Lines (the default; not for `sheet`), CSV or XLSX."),
    ] = None,
    hands: Annotated[
        Path | None,
        typer.Option("--hands", metavar="FILE", help="Of `sheet` as CSV: write the hands into this file."),
    ] = None,
    consented: Annotated[
        bool, typer.Option("--consented", help="Of `transcripts`: only hands in which every player consents.")
    ] = False,
    actor: Actor = "cli",
) -> None:
    """Write rows of the league to standard output.

    Numbers are not rounded, and the order of the rows is stable. `log` writes the events as they are stored, for
    `league verify --log`; `trail` writes who did what; `sheet` writes ended matches with names, as `league import`
    reads them.
    """
    if hands is not None and what.value != "sheet":
        raise InvalidInput("hands", say("only `league export sheet` writes hands into a file of their own"))
    of_log = exports.log_exports_by_name().get(what.value)
    if consented != (of_log is not None and of_log.needs_consent):
        raise InvalidInput("consented", say("`league export transcripts` needs it, and no other export takes it"))
    if what.value == "sheet":
        _export_sheet(format_, hands, actor, of_run=run is not None or known_at is not None)
    elif of_log is not None:
        if run is not None or known_at is not None:
            raise InvalidInput("run", say("the {what} is the same for every run", what=what.value))
        _export_of_log(what.value, of_log, format_ or "jsonl", actor)
    else:
        _export_rows(what.value, run, known_at, format_ or "jsonl", actor)


def _export_sheet(format_: Format | None, hands: Path | None, actor: str, *, of_run: bool) -> None:
    if of_run:
        raise InvalidInput("run", say("a sheet has what was recorded, which is the same for every run"))
    if format_ == "jsonl":
        raise InvalidInput("format", say("a sheet is written as CSV or XLSX"))
    export_sheet(format_ or "csv", hands, actor)


def _export_of_log(what: str, export: exports.LogExport, format_: Format, actor: str) -> None:
    with reading_run(None, None, actor) as (league, snapshot):
        storing.record(league.store, RowsExported(what, format_, snapshot.run), Request(actor, "manual"))
        with reader_may_leave():
            _write(what, export.rows(league.store, snapshot), export.columns, format_)


def _export_rows(what: str, run: int | None, known_at: datetime | None, format_: Format, actor: str) -> None:
    request = Request(actor, "manual")
    if what in ("log", "trail") and (run is not None or known_at is not None):
        raise InvalidInput(
            "run" if run is not None else "known-at", _("the {what} is the same for every run", what=what)
        )
    if what == "log":
        if format_ != "jsonl":
            raise InvalidInput("format", _("the log is written as JSON Lines only; `league export trail` writes CSV"))
        with existing_league() as league:
            storing.record(league.store, RowsExported("log", format_, None), request)
            with connect(league.database.url) as log, reader_may_leave():
                write_log(encoded_rows.rows(log), sys.stdout.buffer)
        return
    if what == "trail":
        with existing_league() as league:
            storing.record(league.store, RowsExported("trail", format_, None), request)
            with reading(league) as conn, reader_may_leave():
                _write(what, trail.rows(conn), trail.COLUMNS, format_)
        return
    with reading_run(run, known_at, actor) as (league, snapshot):
        storing.record(league.store, RowsExported(what, format_, snapshot.run), request)
        export = exports.exports_by_name()[what]
        with reader_may_leave():
            _write(what, export.rows(snapshot.conn, snapshot.run), export.columns, format_)


def _write(what: str, rows: Iterator[exports.Row], columns: Iterable[str], format_: Format) -> None:
    if format_ == "csv":
        exports.write_csv(rows, sys.stdout, columns)
    elif format_ == "xlsx":
        write_xlsx(rows, sys.stdout.buffer, columns, what)
    else:
        exports.write_jsonl(rows, sys.stdout)
