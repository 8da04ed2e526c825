"""Why a player holds a badge: what was counted up to the match, or the month, that earned it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from msgspec import Struct

from league.domain.bonuses import BADGES, Clause
from league.domain.refusals import NotFound
from league.domain.seating import is_pair
from league.domain.sentences import say
from league.explanations.explanation import (
    Basis,
    Explanation,
    Fact,
    Message,
    Term,
    Value,
    added_by,
    facts,
    message,
    opponents,
    settings_of,
)
from league.projections.boards.board import DisplayRules
from league.projections.folds.badges import BadgeMeasure, MonthBadge, RatingBadge, StreakBadge, measure_of, measures_of
from league.projections.folds.league_fold import RATED_MODES
from league.projections.queries import catalogue
from league.projections.queries.badges import (
    AddedRow,
    BadgeRow,
    UpToMatch,
    badges_by_player,
    counted,
    highest_rating,
    honours_until,
    measured_by_player,
)
from league.projections.queries.log import entries_by_position
from league.projections.queries.matches import ChangeRow, changes_by_match, matches_by_id
from league.projections.queries.snapshot import Snapshot, read_rulebook

BY_MATCH = say("{subject} earned {badge} ({what}) in the match against {opponents}.")
BY_MONTH = say("{subject} earned {badge} ({what}) when the month {month} was closed.")
NOT_HELD = say("{subject} does not hold {badge} ({what}): {reached} reached.")


class NoSuchBadge(NotFound):
    """A badge that is not in the rules, and that the player has not earned under other rules."""


def explain_badge(snapshot: Snapshot, player: str, badge: str) -> Explanation:
    """Why a player holds a badge, such as `streak-5`, or how far they have come. Raises NotFound."""
    held = badges_by_player(snapshot, [player])[player]
    row = next((row for row in held if row.badge == badge), None)
    if row is None:
        return _not_held(snapshot, player, badge)
    edition = row.edition or _edition_at(snapshot, row.earned_at)
    rules = read_rulebook(snapshot, edition)
    asked = _Asked(measure_of(rules.badges, row.measure), row.threshold)
    terms = _terms(snapshot, row, asked.measure)
    known = facts(earned_at=row.earned_at.isoformat(), match=row.match_id or "none")
    what = _what(player, badge, asked)
    if row.match_id is None:
        statement = message(BY_MONTH, month=terms[-1].because[-1].month, **what)
    else:
        match = matches_by_id(snapshot, [row.match_id])[row.match_id]
        met = opponents(match.mode, match.seats, player)
        statement = message(BY_MATCH, match=row.match_id, opponents=met, **what)
    return _explanation(snapshot, player, asked, edition, statement, terms, known, (row.position,))


class _Asked(Struct, frozen=True):
    """The badge that is explained."""

    measure: BadgeMeasure
    threshold: int


def _not_held(snapshot: Snapshot, player: str, badge: str) -> Explanation:
    """The player's progress under the displayed edition. Raises NoSuchBadge."""
    shown = snapshot.shown
    badges = () if shown is None else measures_of(shown.rulebook.badges)
    known = {f"{one.key}-{threshold}": _Asked(one, threshold) for one in badges for threshold in one.thresholds}
    asked = known.get(badge)
    if shown is None or asked is None:
        raise NoSuchBadge("badge", "badge", badge, tuple(known))
    terms = _so_far(snapshot, player, asked.measure, shown)
    reached = sum(term.value for term in terms)
    statement = message(NOT_HELD, reached=reached, **_what(player, badge, asked))
    return _explanation(snapshot, player, asked, shown.edition, statement, terms, (), ())


def _what(player: str, badge: str, asked: _Asked) -> dict[str, Value]:
    """The values of a statement about a badge; `what`: what the badge is awarded for."""
    return {"subject": player, "badge": badge, "what": asked.measure.in_words(asked.threshold)}


def _explanation(
    snapshot: Snapshot,
    player: str,
    badge: _Asked,
    edition: str,
    statement: Message,
    terms: tuple[Term, ...],
    known: tuple[Fact, ...],
    positions: tuple[int, ...],
) -> Explanation:
    clause = Clause(BADGES.section, badge.measure.definition.setting_keys)
    found = settings_of(read_rulebook(snapshot, edition), clause)
    threshold = Term(
        "threshold", badge.threshold, "threshold", message(say("what earns the badge")), clause.section, found
    )
    wanted = {basis.position for term in terms for basis in term.because} | set(positions)
    return Explanation(
        kind="badge",
        subject=player,
        statement=statement,
        value=sum(term.value for term in terms),
        unit=badge.measure.key,
        formula=message(say("the sum of the terms, compared with the threshold")),
        edition=edition,
        terms=terms,
        conditions=(threshold,),
        facts=(*known, *facts(threshold=badge.threshold)),
        events=tuple(entry for _, entry in sorted(entries_by_position(snapshot, sorted(wanted)).items())),
        rated_in=_rated_in(badge.measure, terms),
    )


def _rated_in(measure: BadgeMeasure, terms: tuple[Term, ...]) -> tuple[str, ...]:
    """The mode of a rating, as named in the term; both while there is none."""
    if not isinstance(measure.definition, RatingBadge):
        return ()
    return tuple(fact.value for term in terms for fact in term.facts if fact.name == "mode") or RATED_MODES


def _terms(snapshot: Snapshot, row: BadgeRow, measure: BadgeMeasure) -> tuple[Term, ...]:
    """What was counted up to the match, or the month, that earned a badge."""
    if row.match_id is None:
        return _months(snapshot, row.player_id, row.measure, row.position)
    if isinstance(measure.definition, RatingBadge):
        changes = changes_by_match(snapshot, [row.match_id])[row.match_id]
        change = next(change for change in changes if change.id == row.player_id)
        return (_rating(change, say("the rating after the match")),)
    until = UpToMatch(row.earned_at, row.match_id)
    found = counted(snapshot, row.player_id, measure, until)
    here = [match for match in found.latest if match.match_id == row.match_id]
    added = sum(match.added for match in here)
    before = [match for match in found.latest if match.match_id != row.match_id]
    return (
        _counted("before", found.value - added, row.measure, say("before the match that earned it"), before),
        _counted("added", added, row.measure, say("in the match that earned it"), here),
    )


def _so_far(snapshot: Snapshot, player: str, measure: BadgeMeasure, shown: DisplayRules) -> tuple[Term, ...]:
    """What was counted up to now."""
    key = measure.key
    match measure.definition:
        case MonthBadge():
            return _months(snapshot, player, key, snapshot.position)
        case RatingBadge():
            change = highest_rating(snapshot, player, shown.rulebook.rating.provisional_below)
            return () if change is None else (_rating(change, say("the highest rating so far, once established")),)
        case StreakBadge():
            measured = measured_by_player(snapshot, [player]).get(player)
            longest = 0 if measured is None else measured.best.get(key, 0)
            return (Term("before", longest, key, message(say("the longest so far")), BADGES.section),)
    found = counted(snapshot, player, measure, UpToMatch(shown.at))
    return (_counted("before", found.value, key, say("up to now"), found.latest),)


def _months(snapshot: Snapshot, player: str, measure: str, position: int) -> tuple[Term, ...]:
    """The months won, or without a loss, each with the underlying standings."""
    terms: list[Term] = []
    honours = honours_until(snapshot, player, measure, position)
    for (month, mode), rows in groupby(honours, key=lambda row: (row.month, row.mode)):
        standings = list(rows)
        games = sum(row.games for row in standings)
        won = message(say("first in {month} in {mode}"), month=month, mode=mode)
        unbeaten = message(say("no loss in {month}, in {games} games that count"), month=month, games=games)
        text = won if mode else unbeaten
        pairs = [row.standing_id for row in standings if is_pair(row.standing_id)]
        with_whom = tuple(Fact("pair", pair, pair) for pair in pairs)
        because = tuple(
            Basis(None, None, row.position, row.standing_id, month=month, mode=row.standing_mode) for row in standings
        )
        terms.append(Term("month", 1, measure, text, BADGES.section, (), with_whom, because))
    return tuple(terms)


def _rating(change: ChangeRow, text: str) -> Term:
    known = facts(rated_matches=change.matches_before + 1, mode=change.mode, rating_before=change.before)
    because = (Basis(change.match_id, None, change.position, change.id),)
    return Term("rating", change.after, "rating", message(text), BADGES.section, (), known, because)


def _counted(name: str, value: int, unit: str, text: str, matches: Sequence[AddedRow]) -> Term:
    because, left_out = added_by(matches, value)
    return Term(name, value, unit, message(text), BADGES.section, (), (), because, left_out)


def _edition_at(snapshot: Snapshot, ends_at: datetime) -> str:
    """The edition that applies to a match at the very end of the month."""
    spans, last = catalogue.timeline(snapshot), ends_at - timedelta(microseconds=1)
    return next(span.hash for span in reversed(spans) if span.start is None or span.start <= last)
