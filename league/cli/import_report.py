"""Prints the report of an import, as tables, or as JSON for scripts."""

from league.cli import terminal
from league.cli.counting import counted
from league.domain.refusals import SeasonRefused
from league.transfer.match_import import Report

ROWS = 10
"""How many rows of a long list are printed."""


def print_report(report: Report, *, dry_run: bool, as_json: bool) -> None:
    """Print what an import added, skipped and refused."""
    if as_json:
        refused = list(terminal.faults(SeasonRefused(report.refused)))
        names = ("players_added", "players_skipped", "matches_added", "matches_skipped", "hands_added", "events")
        notes = [{"match": note.match, "text": note.text} for note in report.notes]
        figures = {name: getattr(report, name) for name in (*names, "position")}
        terminal.print_json({**figures, "dry_run": dry_run, "refused": refused, "notes": notes})
        return
    rows = [
        ("players", report.players_added, report.players_skipped, _refused(report, "players.jsonl")),
        ("matches", report.matches_added, report.matches_skipped, _refused(report, "matches.jsonl")),
    ]
    title = "Import, dry run: nothing is stored" if dry_run else "Import"
    terminal.table(title, ("", "added", "skipped", "refused"), rows, numbers=("added", "skipped", "refused"))
    terminal.out.print(_total(report, dry_run=dry_run))
    for bad in report.refused:
        terminal.out.print(f"  {bad}", markup=False, soft_wrap=True)
    for note in report.notes[:ROWS]:
        terminal.out.print(f"  {note.match}: {note.text}", markup=False)
    if len(report.notes) > ROWS:
        terminal.out.print(f"  … and {len(report.notes) - ROWS} more notes")


def _total(report: Report, *, dry_run: bool) -> str:
    """How many events the import adds. One that stores any also stores an entry of itself."""
    entry = "" if dry_run or not report.events else " and an entry of the import"
    added = f"{counted(report.hands_added, 'hand')} in {counted(report.events, 'event')}{entry}"
    return f"{added}; the log ends at position {report.position}."


def _refused(report: Report, file: str) -> int:
    return sum(bad.file == file for bad in report.refused)
