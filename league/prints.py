"""What commands show: a report, an explained change; as tables, or as JSON for scripts."""

from rich.markup import escape
from sqlalchemy import Connection

from league import console, reasons
from league.domain.refusals import SeasonRefused
from league.projections.explanation import Reason
from league.projections.official import names_of
from league.recorded import Report

ROWS = 10
"""Of a long list, what is shown to people."""


def print_report(report: Report, *, dry_run: bool, as_json: bool) -> None:
    """What an import added, skipped and refused."""
    if as_json:
        refused = list(console.faults(SeasonRefused(report.refused)))
        names = ("players_added", "players_skipped", "matches_added", "matches_skipped", "hands_added", "events")
        notes = [{"match": note.match, "text": note.text} for note in report.notes]
        figures = {name: getattr(report, name) for name in (*names, "position")}
        console.print_json({**figures, "dry_run": dry_run, "refused": refused, "notes": notes})
        return
    rows = [
        ("players", report.players_added, report.players_skipped, _refused(report, "players.jsonl")),
        ("matches", report.matches_added, report.matches_skipped, _refused(report, "matches.jsonl")),
    ]
    title = "Import, dry run: nothing is stored" if dry_run else "Import"
    console.table(title, ("", "added", "skipped", "refused"), rows, numbers=("added", "skipped", "refused"))
    console.out.print(f"{report.hands_added} hands in {report.events} events; the log stands at {report.position}.")
    for bad in report.refused:
        console.out.print(f"  {bad}", markup=False, soft_wrap=True)
    for note in report.notes[:ROWS]:
        console.out.print(f"  {note.match}: {note.text}", markup=False)
    if len(report.notes) > ROWS:
        console.out.print(f"  … and {len(report.notes) - ROWS} more notes")


def print_explanation(conn: Connection, reason: Reason) -> None:
    """Why a match changed a rating, so that a player understands it."""
    name = names_of(conn, {reason.id})[reason.id]
    result = "won" if reason.outcome else "lost"
    score = "" if reason.score is None else " " + "-".join(str(points) for points in _own_first(reason))
    edition = f"edition {reason.edition_number}" if reason.edition_number else "a candidate edition"
    console.out.print(
        f"[bold]{escape(name)}[/] {result}{score} in match {reason.match} ({reason.ruleset}, {reason.mode})"
    )
    console.out.print(f"decided {reason.decided_at:%Y-%m-%d %H:%M} UTC, by the event at position {reason.position}\n")
    cap = [("", "cap", "", "the sum was beyond the cap")] if reason.capped else []
    met = f"own side {reason.own:.1f} met {reason.opponents:.1f}"
    rows = [
        ("R", "rating before", f"{reason.before:.2f}", f"{reason.mode} matches rated before: {reason.matches_before}"),
        ("K", reason.k_rule, f"{reason.k:g}", reasons.k_reason(reason.k_rule)),
        ("S", "outcome", f"{reason.outcome:g}", result),
        ("E", "expected", f"{reason.expected:.4f}", met),
        *(("M", rule, f"{value:+g}", reasons.modifier_reason(rule)) for rule, value in reason.modifier_terms),
        *cap,
        ("M", "in all", f"{reason.modifier:+g}", ""),
        ("R'", "rating after", f"{reason.after:.2f}", f"shown as {reason.shown_after}"),
    ]
    console.table(f"Under {edition} ({reason.edition[:12]})", ("", "term", "value", "why"), rows, numbers=("value",))
    parts = (reason.before, reason.k, reason.outcome, reason.modifier, reason.expected, reason.after)
    console.out.print(f"R + K x ((S + M) - E):  {reasons.formula(*parts)}")
    if reason.not_judged:
        console.out.print(f"not judged, for want of a fact: {', '.join(reason.not_judged)}")


def _refused(report: Report, file: str) -> int:
    return sum(bad.file == file for bad in report.refused)


def _own_first(reason: Reason) -> list[int]:
    score = list(reason.score or ())
    won = score[reason.winner]
    others = [points for side, points in enumerate(score) if side != reason.winner]
    return [won, *others] if reason.outcome else [*others, won]
