"""What each command shows: a report, an explained change, a difference; as tables, or as JSON for scripts."""

from typing import Any

from rich.markup import escape
from sqlalchemy import Connection

from league import console, reasons
from league.domain.rating import shown
from league.domain.refusals import SeasonRefused
from league.projections.difference import Difference, Divergence, Move
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


def print_explanation(conn: Connection, reason: Reason, *, as_json: bool) -> None:
    """Why a match changed a rating, so that a player understands it."""
    if as_json:
        console.print_json({**_fields(reason), "shown_after": reason.shown_after})
        return
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


def print_difference(conn: Connection, run: int, found: Difference, *, as_json: bool) -> None:
    """Who would move, which results would change, and where each player's rating diverges first."""
    if as_json:
        console.print_json({"run": run, **{name: getattr(found, name) for name in found.__struct_fields__}})
        return
    ids = {move.id for move in found.moves} | {divergence.id for divergence in found.divergences}
    names = names_of(conn, ids)
    played = [move for move in found.moves if move.mode != "overall"]
    console.out.print(
        f"[bold]Run {run}[/]: {len({move.id for move in played})} players and teams would move, by {found.largest:.1f}"
        f" points at most ({found.median:.1f} in the median); the mean rating drifts by {found.drift:+.1f};"
        f" {len(found.results)} matches would have another result.\n"
    )
    console.table(
        "The largest moves",
        ("who", "mode", "before", "after", "change", "rank"),
        [(names[m.id], m.mode, _shown(m.before), _shown(m.after), f"{m.delta:+.1f}", _ranks(m)) for m in played[:ROWS]],
        numbers=("before", "after", "change", "rank"),
    )
    if found.results:
        console.table(
            "Other results",
            ("match", "winner", "score", "status", "winner then", "score then", "status then"),
            [(r.match, *_result(r.before), *_result(r.after)) for r in found.results[:ROWS]],
        )
    first = sorted(found.divergences, key=lambda d: (d.decided_at, d.match, d.id))[:ROWS]
    console.table(
        "Where ratings diverge first",
        ("who", "mode", "match", "position", "terms"),
        [(names[d.id], d.mode, d.match, d.position, _terms(d)) for d in first],
        numbers=("position",),
    )


def _refused(report: Report, file: str) -> int:
    return sum(bad.file == file for bad in report.refused)


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def _own_first(reason: Reason) -> list[int]:
    score = list(reason.score or ())
    won = score[reason.winner]
    others = [points for side, points in enumerate(score) if side != reason.winner]
    return [won, *others] if reason.outcome else [*others, won]


def _shown(rating: float | None) -> str:
    return "-" if rating is None else str(shown(rating))


def _ranks(move: Move) -> str:
    before, after = move.rank_before, move.rank_after
    return "" if before is None and after is None else f"{before or '-'} → {after or '-'}"


def _result(result: tuple[int | None, tuple[int, ...] | None, str]) -> tuple[str, str, str]:
    winner, score, status = result
    points = "" if score is None else "-".join(map(str, score))
    return "-" if winner is None else str(winner), points, status.replace("_", " ")


def _terms(divergence: Divergence) -> str:
    return "; ".join(f"{t.term} {_value(t.before)} → {_value(t.after)}" for t in divergence.terms)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
