"""Where ratings diverge: for each player or team and mode, the first match that two runs rate differently."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import FromClause, Subquery, column, func, or_, select, true, union

from league.projections import tables as t
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    of_player,
    same_names,
)
from league.projections.queries.pages import Order, Query

c, r = t.changes.c, t.ratings.c

_KEY = (column("subject", t.Id), column("id", t.Id), column("mode", t.Id))
BY_ID = Order(_KEY)
EARLIEST_FIRST = Order((column("decided_at", t.Time), column("match_id", t.Id), *_KEY))

_TERMS = ("k", "k_rule", "outcome", "modifier_terms", "capped", "modifier", "expected")


class DivergenceRow(NamedTuple):
    """The first match after which two runs rate a player or a team differently, and its change in each run.

    `_before` and `_after` are columns of `changes` in the first and in the second run; all are None where the run does
    not rate the match.
    """

    subject: str
    id: str
    mode: str
    match_id: str
    decided_at: datetime
    """The earlier of the two, where the runs differ."""
    before_before: float | None
    before_after: float | None
    after_before: float | None
    after_after: float | None
    position_before: int | None
    position_after: int | None
    k_before: float | None
    k_after: float | None
    k_rule_before: str | None
    k_rule_after: str | None
    outcome_before: float | None
    outcome_after: float | None
    modifier_terms_before: list[tuple[str, float]] | None
    modifier_terms_after: list[tuple[str, float]] | None
    capped_before: bool | None
    capped_after: bool | None
    modifier_before: float | None
    modifier_after: float | None
    expected_before: float | None
    expected_after: float | None


class OtherTerm(Struct, frozen=True):
    """A term of a rating change that differs; None where a run has no such term."""

    term: str
    """`before`, `k`, `k_rule`, `outcome`, `modifier.<rule>`, `capped`, `modifier` or `expected`."""
    before: Any
    after: Any


def divergences(
    two: TwoRuns, *, mode: str | None = None, subject: str | None = None, player: str | None = None
) -> Query:
    """Rows of DivergenceRow."""
    rated = _rated(two, mode, subject, player)
    first = _first_change(two, rated)
    return listed(select(rated, first).select_from(rated.join(first, true())))


DIVERGENCES = DifferenceList(
    DivergenceRow,
    divergences,
    {"earliest_first": EARLIEST_FIRST, "by_id": BY_ID},
    {
        **same_names("subject", "id", "mode"),
        "match": "match_id",
        **same_names("decided_at", "position_before", "position_after"),
        "rating_before": "after_before",
        "rating_after": "after_after",
    },
)


def terms_of(row: DivergenceRow) -> list[OtherTerm]:
    """The terms that differ, in the order of the formula."""
    first, second = _named(row, "before"), _named(row, "after")
    names = sorted({*first, *second}, key=lambda name: (_place(name), name))
    return [OtherTerm(name, first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)]


def _rated(two: TwoRuns, mode: str | None, subject: str | None, player: str | None) -> Subquery:
    """Every subject with a rating in either run; only a match creates a rating."""
    query = select(r.subject, r.id, r.mode).where(r.mode != "overall" if mode is None else r.mode == mode)
    if subject is not None:
        query = query.where(r.subject == subject)
    if player is not None:
        query = query.where(of_player(player, r.id))
    return union(*(query.where(r.run == run) for run in (two.first, two.second))).subquery("rated")


def _first_change(two: TwoRuns, rated: Subquery) -> FromClause:
    theirs = c.subject == rated.c.subject, c.id == rated.c.id, c.mode == rated.c.mode
    rows = select(t.changes).where(*theirs).correlate(rated)
    of_first, of_second = (rows.where(c.run == run).subquery() for run in (two.first, two.second))
    # Joined by match only: a correction between the two runs may have moved the match in time.
    both, (match_id,) = joined(of_first, of_second, "match_id")
    decided_at = func.least(of_first.c.decided_at, of_second.c.decided_at, type_=t.Time)
    query = select(
        match_id,
        decided_at.label("decided_at"),
        *before_and_after(of_first, of_second, "before", "after", "position", *_TERMS),
    )
    differs = or_(*(of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("before", "after")))
    query = query.select_from(both).where(differs)
    return query.order_by("decided_at", "match_id").limit(1).lateral("first_change")


def _named(row: DivergenceRow, which: str) -> dict[str, Any]:
    if getattr(row, f"position_{which}") is None:
        return {}
    named = {name: getattr(row, f"{name}_{which}") for name in ("before", *_TERMS)}
    modifier = {f"modifier.{rule}": value for rule, value in named.pop("modifier_terms")}
    return {**named, **modifier}


def _place(term: str) -> int:
    """The position of a term in the formula."""
    name = "modifier_terms" if term.startswith("modifier.") else term
    return ("before", *_TERMS).index(name)
