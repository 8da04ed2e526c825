"""`league export`: rows of the league, or its log, on standard output."""

import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Literal

import typer

from league.application import audit_trail
from league.audit.log_file import write_log
from league.cli import trail_rows
from league.cli.opening import existing_league, reading, reading_run
from league.cli.options import Actor, KnownAt, Run
from league.cli.terminal import reader_may_leave
from league.domain.audit_trail import RowsExported
from league.domain.refusals import InvalidInput
from league.eventlog import encoded_rows
from league.eventlog.store import Request
from league.infra.database import connect
from league.transfer import export as exports

Format = Literal["jsonl", "csv"]

What = StrEnum("What", {name.upper(): name for name in ("log", "trail", *exports.EXPORTS)})  # type: ignore[misc]  # the names are known when it runs


def export(
    what: Annotated[What, typer.Argument(help="What to write.")],
    run: Run = None,
    known_at: KnownAt = None,
    format_: Annotated[Format, typer.Option("--format", help="JSON Lines or CSV.")] = "jsonl",
    actor: Actor = "cli",
) -> None:
    """Write rows of the league to standard output.

    Numbers are not rounded, and the order of the rows is stable. `log` writes the events as they are stored, for
    `league verify --log`; `trail` writes who did what.
    """
    request = Request(actor, "manual")
    if what.value in ("log", "trail") and (run is not None or known_at is not None):
        raise InvalidInput("run" if run is not None else "known-at", f"the {what.value} is the same for every run")
    if what.value == "log":
        if format_ == "csv":
            raise InvalidInput("format", "the log is written as JSON Lines only; `league export trail` writes CSV")
        with existing_league() as league:
            audit_trail.record(league.store, RowsExported("log", format_, None), request)
            with connect(league.database.url) as log, reader_may_leave():
                write_log(encoded_rows.rows(log), sys.stdout.buffer)
        return
    if what.value == "trail":
        with existing_league() as league:
            audit_trail.record(league.store, RowsExported("trail", format_, None), request)
            with reading(league) as conn, reader_may_leave():
                _write(trail_rows.rows(conn), trail_rows.COLUMNS, format_)
        return
    with reading_run(run, known_at, actor) as (league, snapshot):
        audit_trail.record(league.store, RowsExported(what.value, format_, snapshot.run), request)
        export = exports.EXPORTS[what.value]
        with reader_may_leave():
            _write(export.rows(snapshot.conn, snapshot.run), export.columns, format_)


def _write(rows: Iterator[exports.Row], columns: Iterable[str], format_: Format) -> None:
    if format_ == "csv":
        exports.write_csv(rows, sys.stdout, columns)
    else:
        exports.write_jsonl(rows, sys.stdout)
