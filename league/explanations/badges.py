"""Why a player holds a badge: what was counted up to the match, or the month, that earned it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from league.clauses import BADGES, Clause
from league.domain.refusals import NotFound
from league.domain.rules import Rulebook
from league.explanations.explanation import Basis, Explanation, Term, facts, settings_of
from league.projections.reads import catalogue
from league.projections.reads.badges import badges_by_player
from league.projections.reads.editions import read_rulebook
from league.projections.reads.log import entries_by_position
from league.projections.reads.matches import changes_by_match
from league.projections.reads.measured import Until, counted, honours_until
from league.projections.reads.snapshot import Snapshot
from league.rule_words import badge_in_words

SETTINGS = {
    "rating": ("badges.rating", "rating.provisional_below"),
    "upset": ("badges.upset.gap", "badges.upset.thresholds"),
    "unbeaten_month": ("badges.unbeaten_month.games", "badges.unbeaten_month.thresholds"),
}
"""Of the measures whose setting is not just their name."""


def explain_badge(snapshot: Snapshot, player: str, badge: str) -> Explanation:
    """Why a player holds a badge, such as `streak-5`. Raises NotFound."""
    held = badges_by_player(snapshot, [player])[player]
    row = next((row for row in held if row.badge == badge), None)
    if row is None:
        raise NotFound("badge", "badge", f"{badge} of {player}")
    edition = row.edition or _edition_at(snapshot, row.earned_at)
    rules = read_rulebook(snapshot, edition)
    terms = _terms(snapshot, row, rules)
    value = sum(term.value for term in terms)
    clause = Clause(BADGES.section, SETTINGS.get(row.measure, (f"badges.{row.measure.partition('_')[0]}",)))
    if row.measure == "month_won":
        clause = Clause(BADGES.section, ("badges.month_won",))
    settings = settings_of(rules, clause)
    by = f"match {row.match_id}" if row.match_id else "a month that was closed"
    threshold = Term("threshold", row.threshold, "threshold", "what earns the badge", clause.section, settings)
    positions = {basis.position for term in terms for basis in term.because} | {row.position}
    return Explanation(
        kind="badge",
        subject=player,
        statement=f"{player} holds {badge} ({badge_in_words(row.measure, row.threshold, rules.badges)}) by {by}.",
        value=value,
        unit=row.measure,
        formula="the sum of the other terms has reached the threshold",
        edition=edition,
        terms=(*terms, threshold),
        facts=facts(earned_at=row.earned_at.isoformat(), match=row.match_id or "none", threshold=row.threshold),
        events=tuple(entry for _, entry in sorted(entries_by_position(snapshot, sorted(positions)).items())),
    )


def _terms(snapshot: Snapshot, row: Row[Any], rules: Rulebook) -> tuple[Term, ...]:
    if row.match_id is None:
        honours = honours_until(snapshot, row.player_id, row.measure, row.position)
        return tuple(
            Term(honour.month, 1, row.measure, f"{honour.month}{_in(honour.mode)}", BADGES.section, (), (),
                 (Basis(None, None, honour.position),))
            for honour in honours
        )  # fmt: skip
    if row.measure == "rating":
        changes = changes_by_match(snapshot, [row.match_id])[row.match_id]
        change = next(change for change in changes if change.id == row.player_id)
        known = facts(rated_matches=change.matches_before + 1, mode=change.mode, rating_before=change.before)
        because = (Basis(row.match_id, None, change.position, row.player_id),)
        return (
            Term("rating", change.after, "rating", "the rating after the match", BADGES.section, (), known, because),
        )
    until = Until(row.earned_at, row.match_id)
    found = counted(snapshot, row.player_id, row.measure, until, gap=rules.badges.upset.gap)
    here = [match for match in found.latest if match.match_id == row.match_id]
    added = sum(match.added for match in here)
    before = [match for match in found.latest if match.match_id != row.match_id]
    return (
        _counted("before", found.value - added, row.measure, "up to the match before", before),
        _counted("added", added, row.measure, "in the match that earned it", here),
    )


def _counted(name: str, value: int, unit: str, text: str, matches: Sequence[Row[Any]]) -> Term:
    because = tuple(Basis(match.match_id, None, match.position) for match in matches)
    return Term(name, value, unit, text, BADGES.section, (), (), because)


def _in(mode: str | None) -> str:
    return "" if mode is None else f" in {mode}"


def _edition_at(snapshot: Snapshot, ends_at: datetime) -> str:
    """The edition under which a match at the very end of the month would have been played."""
    spans, last = catalogue.timeline(snapshot), ends_at - timedelta(microseconds=1)
    return next(span.hash for span in reversed(spans) if span.start is None or span.start <= last)
