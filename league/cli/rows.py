"""Rows in and out: recorded seasons, exports, the trail."""

import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from league.application import audit_trail
from league.application.bootstrap import clock, founding, open_league
from league.application.preview import foreseen
from league.application.world import World
from league.audit.log_file import write_log
from league.cli import preview_command, terminal, trail_command
from league.cli.app import (
    REFUSED,
    TIMES,
    Actor,
    Json,
    KnownAt,
    Run,
    app,
    existing_league,
    in_utc,
    moment,
    reader_may_leave,
    reading,
    reading_run,
    settings,
)
from league.cli.import_report import print_report
from league.cli.player_command import find
from league.domain.audit_trail import SOURCES, RowsExported
from league.domain.refusals import InvalidInput, SeasonRefused
from league.eventlog import encoded_rows
from league.eventlog.store import Request
from league.infra.database import connect
from league.projections.queries.trail import TrailFilter
from league.transfer import export as exports
from league.transfer.recorded_season import Plan, import_season

PANEL = "Rows in and out"


@app.command(rich_help_panel=PANEL, name="import")
def import_(
    season_dir: Annotated[Path, typer.Argument(help="A folder with players.jsonl and matches.jsonl.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing; list every bad line.")] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Store nothing; show what it would change in the league.")
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Import a recorded season: all of it, or nothing if a line is bad. Creates the league if there is none."""
    if preview:
        _preview(season_dir, as_json=as_json)
        return
    with open_league(settings()) as league:
        existed = league.exists()
        with terminal.progress("checking lines") as progress:
            report = import_season(
                season_dir, league.store, clock, actor, founding=founding(), dry_run=dry_run, progress=progress
            )
        if not dry_run:
            with terminal.progress("projecting events") as progress:
                league.project(progress)
        if not existed and not dry_run and not as_json:
            terminal.err.print("Created the league 'Domino league' in UTC; `league settings` changes that.")
    print_report(report, dry_run=dry_run, as_json=as_json)
    if report.refused:
        raise typer.Exit(REFUSED)


def _preview(season_dir: Path, *, as_json: bool) -> None:
    """Print what late matches would change."""
    with existing_league() as league:
        league.project()
        world = World(league.store, clock())
        with terminal.progress("checking lines") as progress:
            plan = Plan(season_dir, world, progress=progress)
        if plan.report.refused:
            raise SeasonRefused(plan.report.refused)
        with terminal.working("folding what would change"):
            found = foreseen(league.database.url, league.store, world, plan.appends)
        with reading(league) as conn:
            preview_command.show(conn, found, as_json=as_json)


class Format(StrEnum):
    """How rows are written."""

    JSONL = "jsonl"
    CSV = "csv"


What = StrEnum("What", {name.upper(): name for name in ("log", "trail", *exports.EXPORTS)})  # type: ignore[misc]  # the names are known when it runs


@app.command(rich_help_panel=PANEL)
def export(
    what: Annotated[What, typer.Argument(help="What to write.")],
    run: Run = None,
    known_at: KnownAt = None,
    format_: Annotated[Format, typer.Option("--format", help="JSON Lines or CSV.")] = Format.JSONL,
    actor: Actor = "cli",
) -> None:
    """Write rows to standard output, unrounded and in a stable order; `log` writes the events as stored."""
    request = Request(actor, "manual")
    if what.value in ("log", "trail") and (run is not None or known_at is not None):
        raise InvalidInput("run" if run is not None else "known-at", f"the {what.value} is the same for every run")
    if what.value == "log":
        if format_ is Format.CSV:
            raise InvalidInput("format", "the log is written as JSON Lines only; `league export trail` writes CSV")
        with existing_league() as league:
            audit_trail.record(league.store, RowsExported("log", format_.value, None), request)
            with connect(league.database.url) as log, reader_may_leave():
                write_log(encoded_rows.rows(log), sys.stdout.buffer)
        return
    if what.value == "trail":
        with existing_league() as league:
            audit_trail.record(league.store, RowsExported("trail", format_.value, None), request)
            with reading(league) as conn, reader_may_leave():
                _write(trail_command.rows(conn), trail_command.COLUMNS, format_)
        return
    with reading_run(run, known_at, actor) as (league, snapshot):
        audit_trail.record(league.store, RowsExported(what.value, format_.value, snapshot.run), request)
        export = exports.EXPORTS[what.value]
        with reader_may_leave():
            _write(export.rows(snapshot.conn, snapshot.run), export.columns, format_)


def _write(rows: Iterator[exports.Row], columns: Iterable[str], format_: Format) -> None:
    if format_ is Format.CSV:
        exports.write_csv(rows, sys.stdout, columns)
    else:
        exports.write_jsonl(rows, sys.stdout)


@app.command(rich_help_panel=PANEL)
def trail(
    player: Annotated[
        str | None, typer.Option(help="About this player, by id or name: matches, series, tokens too.")
    ] = None,
    match: Annotated[str | None, typer.Option(help="About this match.")] = None,
    actor: Annotated[str | None, typer.Option(help="Written by this actor.")] = None,
    source: Annotated[str | None, typer.Option(help=f"By this door: {', '.join(SOURCES)}.")] = None,
    kind: Annotated[str | None, typer.Option(help="Of this kind, such as match-voided.")] = None,
    from_: Annotated[
        datetime | None, typer.Option("--from", parser=moment, metavar="TIME", help=f"Recorded then or later. {TIMES}")
    ] = None,
    to: Annotated[datetime | None, typer.Option("--to", parser=moment, metavar="TIME", help="Recorded before.")] = None,
    first: Annotated[int, typer.Option(help="How many events, the latest first.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print who did what: events of play, changes of the rules, tokens, replays, imports, exports; the latest first."""
    with reading_run(None, None) as (league, snapshot):
        start, end = in_utc(from_, league), in_utc(to, league)
        about = None if player is None else find(snapshot, player, "player")
        wanted = TrailFilter(about, match, actor, source, kind, recorded_from=start, recorded_before=end)
        trail_command.show(snapshot, wanted, first, as_json=as_json)
