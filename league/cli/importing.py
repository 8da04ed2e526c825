"""`league import`: imports a recorded season, or the sheet of a club."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from league.application.bootstrap import League, clock, founding, open_league
from league.application.preview import foreseen
from league.application.registering import named_players
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.entry import REFUSED
from league.cli.opening import existing_league, reading, settings
from league.cli.preview_tables import plain_preview, print_preview
from league.cli.terminal import Actor, Json
from league.domain.collected_refusals import SeasonRefused
from league.domain.refusals import InvalidInput
from league.domain.sentences import say, say_count
from league.eventlog.records import Append, AppendRequest
from league.projections.replays.preview import PreviewedChanges
from league.transfer.match_import import ImportReport, SheetPlace, UnjudgedRule
from league.transfer.recorded_lines import read_file
from league.transfer.recorded_season import SeasonPlan
from league.transfer.recorded_season import import_season as import_lines
from league.transfer.sheets.sheet_import import SheetFile, SheetOptions, SheetPlan, SheetReport
from league.transfer.sheets.sheet_import import import_sheet as import_rows
from league.wording.facts import not_judged_in_words
from league.wording.language import spoken

ROWS = 10
"""How many rows of a long list are printed."""


def print_report(report: ImportReport, *, dry_run: bool, as_json: bool) -> None:
    """Print what an import added, skipped and refused."""
    if as_json:
        refused = list(terminal.faults(SeasonRefused(report.refused)))
        names = ("players_added", "players_skipped", "matches_added", "matches_skipped", "hands_added", "events")
        notes = [{"match": note.match, "text": spoken(note.text)} for note in report.notes]
        figures = {name: getattr(report, name) for name in (*names, "position")}
        for lines in report.others:
            figures |= {f"{lines.name}_added": lines.added, f"{lines.name}_skipped": lines.skipped}
        not_judged = [not_judged_document(one) for one in report.not_judged.values()]
        terminal.print_json(
            {**figures, "dry_run": dry_run, "refused": refused, "notes": notes, "not_judged": not_judged}
        )
        return
    rows = [
        (say("players"), report.players_added, report.players_skipped, _refused(report, "players.jsonl")),
        (say("matches"), report.matches_added, report.matches_skipped, _refused(report, "matches.jsonl")),
        *((spoken(one.name), one.added, one.skipped, _refused(report, one.file)) for one in report.others),
    ]
    title = say("Import, dry run: nothing is stored") if dry_run else say("Import")
    terminal.table(title, ("", "added", "skipped", "refused"), rows, numbers=("added", "skipped", "refused"))
    terminal.out.print(_total(report))
    for bad in report.refused:
        terminal.out.print(f"  {terminal.shown(bad.said(spoken))}", markup=False, soft_wrap=True)
    for note in report.notes[:ROWS]:
        terminal.out.print(f"  {spoken(note.line)}", markup=False)
    if len(report.notes) > ROWS:
        terminal.out.print(say("  … and {count} more notes", count=len(report.notes) - ROWS))
    print_not_judged(report)


def print_not_judged(report: ImportReport) -> None:
    """Print what was not judged in the added hands, the most frequent first."""
    often = sorted(report.not_judged.values(), key=lambda one: -one.hands)
    for one in often[:ROWS]:
        terminal.out.print(f"  {_not_judged(one)}", markup=False, soft_wrap=True)
    if len(often) > ROWS:
        terminal.out.print(say("  … and {count} more, which --json lists", count=len(often) - ROWS))


def _not_judged(one: UnjudgedRule) -> str:
    """What was not judged, in how many hands, and where first."""
    where = str(one.place) if one.place else say("{match}, hand {hand}", match=one.match, hand=one.found.hand)
    if one.hands > 1:
        where = say("{hands} hands, the first is {where}", hands=one.hands, where=where)
    return f"{spoken(not_judged_in_words(one.found))} ({spoken(where)})"


def place_document(place: SheetPlace | None) -> dict[str, Any]:
    """The sheet and the row, for a JSON document; empty if no sheet was imported."""
    return {} if place is None else {"sheet": place.sheet, "row": place.row}


def not_judged_document(one: UnjudgedRule) -> dict[str, Any]:
    """Something that was not judged, for a JSON document."""
    found = one.found
    return {
        "rule": found.rule, "why": found.why, "fact": found.at, "hands": one.hands, "match": one.match,
        "hand": found.hand, **place_document(one.place), "text": not_judged_in_words(found),
    }  # fmt: skip


def _total(report: ImportReport) -> str:
    """A sentence with what the import adds, and the last position of the log after it."""
    return say(
        "{hands} in {events}; the log ends at position {position}.",
        hands=say_count("{count} hand", "{count} hands", report.hands_added),
        events=say_count("{count} event", "{count} events", report.events),
        position=report.position,
    )


def _refused(report: ImportReport, file: str) -> int:
    return sum(bad.file == file for bad in report.refused)


def plain_report(report: SheetReport) -> dict[str, Any]:
    """The report on a sheet as a JSON document."""
    figures = ("players_added", "matches_added", "matches_skipped", "hands_added", "events", "position")
    return {
        **{name: getattr(report, name) for name in figures},
        "registered": [{"player": one.player, "name": one.name, "close": list(one.close)} for one in report.registered],
        "notes": [
            {"match": note.match, **place_document(note.place), "text": spoken(note.text)} for note in report.notes
        ],
        "not_judged": [not_judged_document(one) for one in report.not_judged.values()],
    }


def print_sheet_report(report: SheetReport, *, stored: bool) -> None:
    """Print what the import of a sheet added and skipped, or what it would add."""
    added = say_count("{count} match", "{count} matches", report.matches_added)
    skipped = say_count("{count} match", "{count} matches", report.matches_skipped)
    hands = say_count("{count} hand", "{count} hands", report.hands_added)
    if stored:
        line = say("Imported {matches} with {hands}; the league had {skipped} already.",
                 matches=added, hands=hands, skipped=skipped)  # fmt: skip
    else:
        line = say("The sheet would add {matches} with {hands}; the league has {skipped} already. Nothing is stored.",
                 matches=added, hands=hands, skipped=skipped)  # fmt: skip
    _print(line)
    for one in report.registered:
        name = terminal.shown(one.name)
        if one.close:
            close = terminal.shown(", ".join(one.close))
            _print(say("New player: {name} ({id}); close to {close}", name=name, id=one.player, close=close))
        else:
            _print(say("New player: {name} ({id})", name=name, id=one.player))
    _print_list([spoken(note.line) for note in report.notes])


def _print_list(lines: list[str]) -> None:
    for line in lines[:ROWS]:
        _print(terminal.shown(line))
    if len(lines) > ROWS:
        _print(say_count("… and {count} more", "… and {count} more", len(lines) - ROWS))


def _print(line: str) -> None:
    terminal.out.print(line, markup=False, soft_wrap=True)


SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx")


def is_sheet(path: Path) -> bool:
    """Whether the command is given a sheet rather than the folder of a recorded season."""
    return path.suffix.lower() in SUFFIXES and not path.is_dir()


def import_sheet(file: SheetFile, options: SheetOptions, actor: str, *, as_json: bool) -> None:
    """Import a sheet, and print what was added. Raises SheetRefused."""
    with existing_league() as league:
        with terminal.progress(say("checking rows")) as progress:
            report = import_rows(
                file, options, league.store, league.dispatcher.clock, AppendRequest(actor, "import"), progress=progress
            )
        with terminal.progress(say("projecting events")) as progress:
            league.project(progress)
    if as_json:
        terminal.print_json(plain_report(report))
    else:
        print_sheet_report(report, stored=True)
        print_not_judged(report)


def check_sheet(file: SheetFile, options: SheetOptions, *, preview: bool, as_json: bool) -> None:
    """Print what the import would add and, with `preview`, what it would change. Raises SheetRefused."""
    with existing_league() as league:
        league.project()
        states = StreamStates(league.store, clock())
        with terminal.progress(say("checking rows")) as progress:
            plan = SheetPlan(file, options, states, named_players(league.store), progress)
        if plan.faults.count:
            raise plan.faults.refused()
        plan.report.position = league.store.head()
        found = _foreseen(league, states, plan.appends) if preview else None
        _print_plan(league, plan, found, as_json=as_json)


def _foreseen(league: League, states: StreamStates, appends: Sequence[Append]) -> PreviewedChanges:
    with terminal.working(say("folding what would change")):
        return foreseen(league.database.url, league.store, states, appends)


def _print_plan(league: League, plan: SheetPlan, found: PreviewedChanges | None, *, as_json: bool) -> None:
    report = plan.report
    if as_json:
        preview = {} if found is None else {"preview": plain_preview(found)}
        terminal.print_json({**plain_report(report), **preview})
        return
    print_sheet_report(report, stored=False)
    if found is None:
        print_not_judged(report)
    else:
        new = {added.player: added.name for added in report.registered}
        rows = {match: spoken(say("row {row}", row=number)) for match, number in plan.rows.items()}
        with reading(league) as conn:
            print_preview(conn, found, as_json=False, new_names=new, new_matches=rows)


def _read(matches: Path, hands: Path | None) -> SheetFile:
    if hands is None:
        return SheetFile(matches.name, read_file(matches))
    return SheetFile(matches.name, read_file(matches), read_file(hands, "hands"), hands.name)


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
        typer.Option("--rules", metavar="RULESET", help="For a sheet: the ruleset of rows that name none."),
    ] = None,
    register: Annotated[
        bool, typer.Option("--register", help="For a sheet: register players whom the league does not know.")
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
        file, options = _read(source, hands), SheetOptions(rules, register)
        if preview or dry_run:
            check_sheet(file, options, preview=preview, as_json=as_json)
        else:
            import_sheet(file, options, actor, as_json=as_json)
        return
    for name, given in (("hands", hands), ("rules", rules), ("register", register or None)):
        if given is not None:
            raise InvalidInput(name, say("this is for sheets (.csv, .xlsx), and {source} is none", source=source))
    if preview:
        _preview(source, as_json=as_json)
        return
    with open_league(settings(), prepare=True) as league:
        existed = league.exists()
        with terminal.progress(say("checking lines")) as progress:
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
            with terminal.progress(say("projecting events")) as progress:
                league.project(progress)
        if not existed and not dry_run and not as_json:
            terminal.err.print(
                say("Created the league 'Domino league' in the time zone UTC; `league settings` changes both.")
            )
    print_report(report, dry_run=dry_run, as_json=as_json)
    if report.refused:
        raise typer.Exit(REFUSED)


def _preview(season_dir: Path, *, as_json: bool) -> None:
    with existing_league() as league:
        league.project()
        world = StreamStates(league.store, clock())
        with terminal.progress(say("checking lines")) as progress:
            plan = SeasonPlan(season_dir, world, progress=progress)
        if plan.report.refused:
            raise SeasonRefused(plan.report.refused)
        found = _foreseen(league, world, plan.appends)
        with reading(league) as conn:
            print_preview(conn, found, as_json=as_json)
