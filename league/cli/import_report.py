"""Prints the report of an import, as tables, or as JSON for scripts."""

from typing import Any

from league.cli import terminal
from league.domain.collected_refusals import SeasonRefused
from league.transfer.match_import import Place, Report, Unjudged
from league.wording.language import _, counted, spoken
from league.wording.not_judged import not_judged_in_words

ROWS = 10
"""How many rows of a long list are printed."""


def print_report(report: Report, *, dry_run: bool, as_json: bool) -> None:
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
        (_("players"), report.players_added, report.players_skipped, _refused(report, "players.jsonl")),
        (_("matches"), report.matches_added, report.matches_skipped, _refused(report, "matches.jsonl")),
        *((spoken(one.name), one.added, one.skipped, _refused(report, one.file)) for one in report.others),
    ]
    title = _("Import, dry run: nothing is stored") if dry_run else _("Import")
    terminal.table(title, ("", "added", "skipped", "refused"), rows, numbers=("added", "skipped", "refused"))
    terminal.out.print(_total(report, dry_run=dry_run))
    for bad in report.refused:
        terminal.out.print(f"  {terminal.shown(bad.said(spoken))}", markup=False, soft_wrap=True)
    for note in report.notes[:ROWS]:
        terminal.out.print(f"  {spoken(note.line)}", markup=False)
    if len(report.notes) > ROWS:
        terminal.out.print(_("  … and {count} more notes", count=len(report.notes) - ROWS))
    print_not_judged(report)


def print_not_judged(report: Report) -> None:
    """Print what was not judged in the hands that were added."""
    often = sorted(report.not_judged.values(), key=lambda one: -one.hands)
    for one in often[:ROWS]:
        terminal.out.print(f"  {_not_judged(one)}", markup=False, soft_wrap=True)
    if len(often) > ROWS:
        terminal.out.print(_("  … and {count} more, which --json lists", count=len(often) - ROWS))


def _not_judged(one: Unjudged) -> str:
    """What was not judged, in how many hands, and where first."""
    where = str(one.place) if one.place else _("{match}, hand {hand}", match=one.match, hand=one.found.hand)
    if one.hands > 1:
        where = _("{hands} hands, the first is {where}", hands=one.hands, where=where)
    return f"{not_judged_in_words(one.found)} ({where})"


def place_document(place: Place | None) -> dict[str, Any]:
    """The row of a sheet, as a part of a document of JSON; nothing where no sheet was imported."""
    return {} if place is None else {"sheet": place.sheet, "row": place.row}


def not_judged_document(one: Unjudged) -> dict[str, Any]:
    """Something that was not judged, as a document of JSON."""
    found = one.found
    return {
        "rule": found.rule, "why": found.why, "fact": found.at, "hands": one.hands, "match": one.match,
        "hand": found.hand, **place_document(one.place), "text": not_judged_in_words(found),
    }  # fmt: skip


def _total(report: Report, *, dry_run: bool) -> str:
    """How many events the import adds. One that stores any also stores an entry of itself."""
    of = {
        "hands": counted("{count} hand", "{count} hands", report.hands_added),
        "events": counted("{count} event", "{count} events", report.events),
        "position": report.position,
    }
    if dry_run or not report.events:
        return _("{hands} in {events}; the log ends at position {position}.", **of)
    return _(
        "{hands} in {events} and an entry of the import, after what the log had before;"
        " it ends at position {position}.",
        **of,
    )


def _refused(report: Report, file: str) -> int:
    return sum(bad.file == file for bad in report.refused)
