"""Ratings at an earlier moment of play: the present ratings minus the changes that were decided later."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    FromClause,
    Integer,
    Numeric,
    Select,
    Table,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY, array

from league.domain.rules import Overall
from league.projections import tables as t
from league.projections.display_rules import Shown
from league.projections.folds.ratings import RATED_MODES


def ratings_then(run: int, subject: str, mode: str, shown: Shown) -> FromClause:
    """Ratings of a subject in a mode (`overall`: both) at a moment: id, value, matches, provisional, active."""
    query = _overall(run, shown) if mode == "overall" else _of_mode(run, subject, mode, shown)
    return query.subquery("then")


class _Mode:
    """The rating in one mode at a moment: the rating before the first later change, or the present rating."""

    def __init__(self, run: int, subject: str, mode: str, later: FromClause) -> None:
        r = t.ratings.alias(f"rated_{mode}")
        self.current, first = r, later.c[mode]
        self.own = and_(r.c.run == run, r.c.subject == subject, r.c.mode == mode)
        self.value = func.coalesce(first[2], r.c.rating)
        self.matches = func.coalesce(cast(first[1], Integer), r.c.matches, literal_column("0"))
        self.rated = self.matches > literal_column("0")


def _first_after(run: int, subject: str, modes: Sequence[str], at: datetime) -> FromClause:
    """By id and mode, the first change after a moment: the number of matches and the rating before it."""
    c = t.changes.c
    # The first change is the one with the fewest matches before it; arrays compare by their first element first.
    first = func.min(array([cast(c.matches_before, Float(53)), c.before]), type_=ARRAY(Float(53)))
    query = select(c.id, *(first.filter(c.mode == mode).label(mode) for mode in modes))
    ledger = (c.run == run, c.subject == subject, c.mode.in_(modes), c.decided_at > at)
    return query.where(*ledger).group_by(c.id).subquery("later")


def _of_mode(run: int, subject: str, mode: str, shown: Shown) -> Select[Any]:
    c = t.changes.c
    later = _first_after(run, subject, [mode], shown.at)
    m = _Mode(run, subject, mode, later)
    r = m.current.c
    theirs = and_(c.run == run, c.subject == subject, c.id == r.id, c.mode == mode)
    return (
        select(
            r.id,
            m.value.label("value"),
            m.matches.label("matches"),
            (m.matches < shown.rulebook.rating.provisional_below).label("provisional"),
            _is_active(r.last_decided_at, t.changes, theirs, shown).label("active"),
        )
        .select_from(m.current.outerjoin(later, later.c.id == r.id))
        .where(m.own, m.rated)
    )


def _overall(run: int, shown: Shown) -> Select[Any]:
    x, r = t.appearances.c, t.ratings.c
    later = _first_after(run, "player", RATED_MODES, shown.at)
    a, b = (_Mode(run, "player", mode, later) for mode in RATED_MODES)
    theirs = and_(x.run == run, x.player_id == r.id)
    both = overall_value(a.value, a.matches, b.value, b.matches, shown.rulebook.rating.overall)
    below = shown.rulebook.rating.provisional_below
    joined = t.ratings.outerjoin(later, later.c.id == r.id)
    for mode in (a, b):
        joined = joined.outerjoin(mode.current, and_(mode.own, mode.current.c.id == r.id))
    return (
        select(
            r.id,
            case((~b.rated, a.value), (~a.rated, b.value), else_=both).label("value"),
            (a.matches + b.matches).label("matches"),
            and_(*(or_(~mode.rated, mode.matches < below) for mode in (a, b))).label("provisional"),
            _is_active(r.last_decided_at, t.appearances, theirs, shown).label("active"),
        )
        .select_from(joined)
        .where(r.run == run, r.subject == "player", r.mode == "overall", or_(a.rated, b.rated))
    )


def _is_active(last: Any, matches: Table, theirs: Any, shown: Shown) -> ColumnElement[bool]:
    """Whether a competitor finished a match in the days before the moment; the latest match of all often decides it."""
    in_days = matches.c.decided_at.between(shown.active_since, shown.at)
    then = exists().where(theirs, in_days).correlate_except(matches)
    return case((last <= shown.at, last >= shown.active_since), else_=then)


def overall_value(
    a: ColumnElement[float],
    a_matches: ColumnElement[int],
    b: ColumnElement[float],
    b_matches: ColumnElement[int],
    rules: Overall,
) -> ColumnElement[float]:
    """`rating.overall_rating` of the domain in SQL, equal to the last bit."""
    weight = float(rules.main_weight)
    most = cast(func.greatest(a_matches, b_matches), Numeric)
    balanced = most <= cast(literal(str(rules.balanced_share)), Numeric) * (a_matches + b_matches)
    main, other = (case((a_matches >= b_matches, x), else_=y) for x, y in ((a, b), (b, a)))
    half, more, less = (literal(number, Float(53)) for number in (0.5, weight, 1.0 - weight))
    return case((balanced, half * a + half * b), else_=more * main + less * other)
