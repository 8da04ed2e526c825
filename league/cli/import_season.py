"""`league import`: imports a recorded season into the log."""

from pathlib import Path
from typing import Annotated

import typer

from league.application.bootstrap import clock, founding, open_league
from league.application.preview import foreseen
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.exit_codes import REFUSED
from league.cli.import_report import print_report
from league.cli.import_sheet import SheetsToImport, check_sheet, import_sheet, is_sheet
from league.cli.opening import existing_league, reading, settings
from league.cli.options import Actor, Json
from league.cli.preview_tables import print_preview
from league.domain.collected_refusals import SeasonRefused
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.transfer.recorded_season import Plan
from league.transfer.recorded_season import import_season as import_lines
from league.transfer.sheets.sheet_import import Options
from league.wording.language import _


def import_season(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A sheet (.csv, .xlsx), or a folder with players.jsonl and matches.jsonl.",
        ),
    ],
    hands: Annotated[
        Path | None, typer.Option("--hands", metavar="FILE", help="The hands of a sheet of matches as CSV.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="RULESET", help="Of a sheet: the ruleset of the rows that name none."),
    ] = None,
    register: Annotated[
        bool, typer.Option("--register", help="Of a sheet: register the players whom the league does not know.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing; list every bad line.")] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Store nothing; print what would change in the league.")
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Import a club's sheet, or a recorded season.

    A sheet or a folder is imported whole, or not at all when a row or a line is bad. What the league already has is
    skipped. docs/sheets.md describes sheets, examples/README.md the files of a recorded season. If there is no league
    yet, the import of a folder creates one.
    """
    if is_sheet(source):
        asked = SheetsToImport(source, hands, Options(rules, register))
        if preview or dry_run:
            check_sheet(asked, preview=preview, as_json=as_json)
        else:
            import_sheet(asked, actor, as_json=as_json)
        return
    for name, given in (("hands", hands), ("rules", rules), ("register", register or None)):
        if given is not None:
            raise InvalidInput(name, say("this is for sheets (.csv, .xlsx), and {source} is none", source=source))
    if preview:
        _preview(source, as_json=as_json)
        return
    with open_league(settings(), prepare=True) as league:
        existed = league.exists()
        with terminal.progress(_("checking lines")) as progress:
            report = import_lines(
                source,
                league.store,
                league.dispatcher.clock,
                actor,
                founding=founding(),
                dry_run=dry_run,
                progress=progress,
            )
        if not dry_run:
            with terminal.progress(_("projecting events")) as progress:
                league.project(progress)
        if not existed and not dry_run and not as_json:
            terminal.err.print(
                _("Created the league 'Domino league' in the time zone UTC; `league settings` changes both.")
            )
    print_report(report, dry_run=dry_run, as_json=as_json)
    if report.refused:
        raise typer.Exit(REFUSED)


def _preview(season_dir: Path, *, as_json: bool) -> None:
    with existing_league() as league:
        league.project()
        world = StreamStates(league.store, clock())
        with terminal.progress(_("checking lines")) as progress:
            plan = Plan(season_dir, world, progress=progress)
        if plan.report.refused:
            raise SeasonRefused(plan.report.refused)
        with terminal.working(_("folding what would change")):
            found = foreseen(league.database.url, league.store, world, plan.appends)
        with reading(league) as conn:
            print_preview(conn, found, as_json=as_json)
