"""Ratings that differ between two runs, where they diverge, and how well either run predicted results.

Ratings diverge at the first match that the two runs rate differently, for each player or team and mode.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Subquery,
    cast,
    column,
    func,
    or_,
    select,
    true,
    tuple_,
    union,
)
from sqlalchemy.dialects.postgresql import distinct_on

from league.domain.verdict import LEAST_FORECAST
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import ranked, rating_boards
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    of_player,
    rows_of,
    same_names,
)
from league.projections.queries.pages import Order, Query, typed

c, r = t.changes.c, t.ratings.c

# ---------------------------------------------------------------- moves


_KEY = (column("subject", t.Id), column("id", t.Id), column("mode", t.Id))
_BY_ID = Order(_KEY)


class MoveRow(NamedTuple):
    """A rating in two runs; None where a run does not have it."""

    subject: str
    """`player` or `team`."""
    id: str
    mode: str
    """`1v1`, `2v2` or `overall`."""
    before: float | None
    after: float | None
    change: float | None


def moves(
    two: TwoRuns,
    *,
    mode: str | None = None,
    subject: str | None = None,
    player: str | None = None,
    once: bool = False,
) -> Query:
    """Rows of MoveRow: the ratings that differ. A rating that only one run has counts as the smallest change.

    `once`: each player and each team once, with the one of their 1v1 and 2v2 ratings that moves most.
    """
    rows, differs, of_mode = _in_both(two, mode, subject, player)
    rows = rows.where(differs)
    if not once:
        return listed(rows)
    played = listed(rows.where(of_mode != "overall")).subquery("played")
    p = played.c
    return listed(select(played).ext(distinct_on(p.subject, p.id)).order_by(p.subject, p.id, p.smallness, p.mode))


def ratings_of(conn: Connection, two: TwoRuns, player: str) -> list[MoveRow]:
    """The ratings of one player in both runs, by mode, also those that do not differ."""
    rows, *_ = _in_both(two, None, "player", player)
    return list(typed(MoveRow, conn.execute(rows.order_by(column("mode")))))


def _in_both(
    two: TwoRuns, mode: str | None, subject: str | None, player: str | None
) -> tuple[Query, ColumnElement[bool], ColumnElement[Any]]:
    """The ratings of both runs, the condition that they differ, and the column of their mode."""
    wanted = [] if mode is None else [r.mode == mode]
    wanted += [] if subject is None else [r.subject == subject]
    wanted += [] if player is None else [of_player(player, r.id)]
    of_first, of_second = rows_of(t.ratings, two, *wanted)
    both, key = joined(of_first, of_second, "subject", "id", "mode")
    before, after = of_first.c.rating, of_second.c.rating
    change = after - before
    rows = select(
        *key,
        before.label("before"),
        after.label("after"),
        change.label("change"),
        (-func.coalesce(func.abs(change), 0.0)).label("smallness"),
    )
    return rows.select_from(both), before.is_distinct_from(after), key[-1]


MOVES = DifferenceList(
    MoveRow,
    moves,
    {"largest_first": Order((column("smallness", Float(53)), *_KEY)), "by_id": _BY_ID},
    same_names("subject", "id", "mode", "before", "after", "change"),
)


class RanksInTwoRuns(Struct, frozen=True):
    """A competitor's ranks on a board in two runs; None without a rank."""

    before: int | None = None
    after: int | None = None


def ranks(conn: Connection, two: TwoRuns, subject: str, mode: str, ids: Sequence[str]) -> Mapping[str, RanksInTwoRuns]:
    """The ranks of players or teams on the rating board of a mode; competitors without a rank are left out."""
    board = next(BoardKey(one.kind) for one in rating_boards() if (one.subject, one.mode) == (subject, mode))
    found: list[dict[str, int]] = []
    for run, shown in ((two.first, two.first_shown), (two.second, two.second_shown)):
        if shown is None:
            found.append({})
            continue
        places = ranked(run, board, shown).c
        query = select(places.id, places.rank).where(places.id.in_(ids), places.rank.is_not(None))
        found.append({row.id: row.rank for row in conn.execute(query)})
    return {id_: RanksInTwoRuns(found[0].get(id_), found[1].get(id_)) for id_ in {*found[0], *found[1]}}


# ---------------------------------------------------------------- changes by match


class ChangeMoveRow(NamedTuple):
    """What one match does to one rating in two runs; None where a run does not rate the match."""

    subject: str
    id: str
    mode: str
    match_id: str
    decided_at: datetime
    """The earlier of the two, where the runs differ."""
    after_before: float | None
    """The rating after the match in the first run."""
    after_after: float | None
    change_before: float | None
    """Rating points gained in the first run."""
    change_after: float | None
    difference: float
    """Points gained in the second run less those in the first, 0 for a run that does not rate the match.

    Added over all matches they are the difference of the rating, if both runs start it at the same number.
    """


def changes(
    two: TwoRuns,
    *,
    mode: str | None = None,
    subject: str | None = None,
    player: str | None = None,
    of: str | None = None,
) -> Query:
    """Rows of ChangeMoveRow: changes by other points, or that one run only makes. `of`: only of this competitor."""
    wanted = [] if mode is None else [c.mode == mode]
    wanted += [] if subject is None else [c.subject == subject]
    wanted += [] if player is None else [of_player(player, c.id)]
    wanted += [] if of is None else [c.id == of]
    of_first, of_second = rows_of(t.changes, two, *wanted)
    # Joined without the time: a correction between the two runs may have moved the match.
    both, key = joined(of_first, of_second, "subject", "id", "mode", "match_id")
    gained = [run.c.after - run.c.before for run in (of_first, of_second)]
    difference = func.coalesce(gained[1], 0.0) - func.coalesce(gained[0], 0.0)
    rows = select(
        *key,
        func.least(of_first.c.decided_at, of_second.c.decided_at, type_=t.Time).label("decided_at"),
        *before_and_after(of_first, of_second, "after"),
        gained[0].label("change_before"),
        gained[1].label("change_after"),
        difference.label("difference"),
        (-func.abs(difference)).label("smallness"),
    )
    return listed(rows.select_from(both).where(gained[0].is_distinct_from(gained[1])))


_OF_CHANGE = (*_KEY, column("match_id", t.Id))

CHANGES = DifferenceList(
    ChangeMoveRow,
    changes,
    {
        "largest_first": Order((column("smallness", Float(53)), *_OF_CHANGE)),
        "earliest_first": Order((column("decided_at", t.Time), *_OF_CHANGE)),
    },
    {
        **same_names("subject", "id", "mode"),
        "match": "match_id",
        "decided_at": "decided_at",
        "rating_before": "after_before",
        "rating_after": "after_after",
        **same_names("change_before", "change_after", "difference"),
    },
)


# ---------------------------------------------------------------- where ratings diverge


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


class DifferingTerm(Struct, frozen=True):
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
    {
        "earliest_first": Order((column("decided_at", t.Time), column("match_id", t.Id), *_KEY)),
        "by_id": _BY_ID,
    },
    {
        **same_names("subject", "id", "mode"),
        "match": "match_id",
        **same_names("decided_at", "position_before", "position_after"),
        "rating_before": "after_before",
        "rating_after": "after_after",
    },
)


def terms_of(row: DivergenceRow) -> list[DifferingTerm]:
    """The terms that differ, in the order of the formula."""
    first, second = _named(row, "before"), _named(row, "after")
    names = sorted({*first, *second}, key=lambda name: (_place(name), name))
    return [
        DifferingTerm(name, first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)
    ]


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


# ---------------------------------------------------------------- predictions


UNITS = 10**15
"""Losses are added in whole units of this part of 1."""


class ForecastLosses(Struct, frozen=True):
    """The mean loss of the forecasts over matches, in both runs; lower is better. None without a match."""

    mode: str | None
    """None: all modes together."""
    matches: int
    brier_before: float | None
    """The Brier score, the mean of (1 - forecast)²: from 0 to 1, and 0.25 for tossing a coin."""
    brier_after: float | None
    log_loss_before: float | None
    """The mean of -ln(forecast), in nats: 0.693 for tossing a coin."""
    log_loss_after: float | None


def predictions(conn: Connection, two: TwoRuns) -> tuple[ForecastLosses, ...]:
    """How well two runs predicted results: a row for each mode in which both rate a match, and one for all together.

    The forecast of a match is the score that the ledger expected of the winning side: for partners, the mean of what
    was expected of each (the same for both, unless the edition says `own_vs_side_average`). So each match counts once,
    in 1v1 and in 2v2, and casual matches count as well. If the second run has a different winner, its forecast is
    judged by that winner. Only matches that both runs rate count.
    """
    first, second = (_forecasts(run) for run in (two.first, two.second))
    both = first.join(second, first.c.match_id == second.c.match_id)
    losses = (
        _mean(_squared(first)).label("brier_before"),
        _mean(_squared(second)).label("brier_after"),
        _mean(_logarithmic(first)).label("log_loss_before"),
        _mean(_logarithmic(second)).label("log_loss_after"),
    )
    by_mode = func.grouping_sets(tuple_(first.c.mode), tuple_())
    query = select(first.c.mode, func.count().label("matches"), *losses).select_from(both).group_by(by_mode)
    rows = conn.execute(query.order_by(first.c.mode.asc().nulls_last()))
    return tuple(ForecastLosses(**row._asdict()) for row in rows)


def _forecasts(run: int) -> Subquery:
    """The expected score of each match's winning side."""
    of_winners = (c.run == run, c.subject == "player", c.outcome == 1.0)
    mean = func.avg(c.expected).label("forecast")  # of two at most, so their order does not matter
    return select(c.match_id, c.mode, mean).where(*of_winners).group_by(c.match_id, c.mode).subquery()


def _squared(of: Subquery) -> Any:
    return (1.0 - of.c.forecast) * (1.0 - of.c.forecast)


def _logarithmic(of: Subquery) -> Any:
    return -func.ln(func.greatest(of.c.forecast, LEAST_FORECAST))


def _mean(loss: Any) -> Any:
    # Whole units: their sum is the same in whatever order rows come, and no order is cheaper.
    units = func.sum(cast(func.round(loss * UNITS), BigInteger))
    return cast(cast(units, Float(53)) / func.count() / UNITS, Float(53))
