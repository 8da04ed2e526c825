"""Prints the report of the import of a sheet."""

from typing import Any

from league.cli import terminal
from league.cli.import_report import not_judged_document, place_document
from league.transfer.sheets.sheet_import import SheetReport
from league.wording.language import _, counted, spoken

ROWS = 10
"""How many rows of a long list are printed."""


def plain_report(report: SheetReport) -> dict[str, Any]:
    """The report as a document of JSON."""
    figures = ("players_added", "matches_added", "matches_skipped", "hands_added", "events", "position")
    return {
        **{name: getattr(report, name) for name in figures},
        "registered": [{"player": one.player, "name": one.name, "close": list(one.close)} for one in report.registered],
        "notes": [
            {"match": note.match, **place_document(note.place), "text": spoken(note.text)} for note in report.notes
        ],
        "not_judged": [not_judged_document(one) for one in report.not_judged.values()],
    }


def print_report(report: SheetReport, *, stored: bool) -> None:
    """Print what the import added and skipped, or what it would add."""
    added = counted("{count} match", "{count} matches", report.matches_added)
    skipped = counted("{count} match", "{count} matches", report.matches_skipped)
    hands = counted("{count} hand", "{count} hands", report.hands_added)
    if stored:
        line = _("Imported {matches} with {hands}; the league had {skipped} already.",
                 matches=added, hands=hands, skipped=skipped)  # fmt: skip
    else:
        line = _("The sheet would add {matches} with {hands}; the league has {skipped} already. Nothing is stored.",
                 matches=added, hands=hands, skipped=skipped)  # fmt: skip
    _print(line)
    for one in report.registered:
        name = terminal.shown(one.name)
        if one.close:
            close = terminal.shown(", ".join(one.close))
            _print(_("New player: {name} ({id}); close to {close}", name=name, id=one.player, close=close))
        else:
            _print(_("New player: {name} ({id})", name=name, id=one.player))
    _print_list([spoken(note.line) for note in report.notes])


def _print_list(lines: list[str]) -> None:
    for line in lines[:ROWS]:
        _print(terminal.shown(line))
    if len(lines) > ROWS:
        _print(counted("… and {count} more", "… and {count} more", len(lines) - ROWS))


def _print(line: str) -> None:
    terminal.out.print(line, markup=False, soft_wrap=True)
