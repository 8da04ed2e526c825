"""`league import FILE.csv` and `FILE.xlsx`: imports the sheets of a club."""

from dataclasses import dataclass
from pathlib import Path

from league.application.bootstrap import League, clock
from league.application.preview import foreseen
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.import_report import print_not_judged
from league.cli.opening import existing_league, reading
from league.cli.preview_tables import plain_preview, print_preview
from league.cli.sheet_report import plain_report, print_report
from league.eventlog.records import Request
from league.projections.replays.preview import Preview
from league.transfer.input_file import read_file
from league.transfer.sheets.people import named_players
from league.transfer.sheets.sheet_import import Options, SheetFile, SheetPlan
from league.transfer.sheets.sheet_import import import_sheet as import_rows
from league.wording.language import _

SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx")


@dataclass(frozen=True)
class SheetsToImport:
    """The files and the options of the command."""

    matches: Path
    hands: Path | None
    options: Options


def is_sheet(path: Path) -> bool:
    """Whether the command is given a sheet rather than the folder of a recorded season."""
    return path.suffix.lower() in SUFFIXES and not path.is_dir()


def import_sheet(asked: SheetsToImport, actor: str, *, as_json: bool) -> None:
    """Import the sheets, and print what was added. Raises SheetRefused."""
    file = _read(asked)
    with existing_league() as league:
        with terminal.progress(_("checking rows")) as progress:
            report = import_rows(
                file, asked.options, league.store, league.dispatcher.clock, Request(actor, "import"), progress=progress
            )
        with terminal.progress(_("projecting events")) as progress:
            league.project(progress)
    if as_json:
        terminal.print_json(plain_report(report))
    else:
        print_report(report, stored=True)
        print_not_judged(report)


def check_sheet(asked: SheetsToImport, *, preview: bool, as_json: bool) -> None:
    """Print what the import would add and, with `preview`, what it would change. Raises SheetRefused."""
    file = _read(asked)
    with existing_league() as league:
        league.project()
        states = StreamStates(league.store, clock())
        with terminal.progress(_("checking rows")) as progress:
            plan = SheetPlan(file, asked.options, states, named_players(league.store), progress)
        if plan.faults.count:
            raise plan.faults.refused()
        plan.report.position = league.store.head()
        found = _foreseen(league, states, plan) if preview else None
        _print(league, plan, found, as_json=as_json)


def _foreseen(league: League, states: StreamStates, plan: SheetPlan) -> Preview:
    with terminal.working(_("folding what would change")):
        return foreseen(league.database.url, league.store, states, plan.appends)


def _print(league: League, plan: SheetPlan, found: Preview | None, *, as_json: bool) -> None:
    report = plan.report
    if as_json:
        preview = {} if found is None else {"preview": plain_preview(found)}
        terminal.print_json({**plain_report(report), **preview})
        return
    print_report(report, stored=False)
    if found is None:
        print_not_judged(report)
    else:
        new = {added.player: added.name for added in report.registered}
        rows = {match: _("row {row}", row=number) for match, number in plan.rows.items()}
        with reading(league) as conn:
            print_preview(conn, found, as_json=False, new_names=new, new_matches=rows)


def _read(asked: SheetsToImport) -> SheetFile:
    hands = None if asked.hands is None else read_file(asked.hands, "hands")
    hands_name = "hands" if asked.hands is None else asked.hands.name
    return SheetFile(asked.matches.name, read_file(asked.matches), hands, hands_name)
