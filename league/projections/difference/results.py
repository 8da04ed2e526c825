"""Matches with a different result in the second of two runs."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import column, func, literal, or_, select

from league.projections import tables as t
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    rows_of,
    same_names,
)
from league.projections.queries.pages import Order, Query

m = t.matches.c

BY_BEGINNING = Order((column("began_at", t.Time), column("match_id", t.Id)))


class ResultRow(NamedTuple):
    """The result of a match in two runs; None where a run does not have it."""

    match_id: str
    ruleset: str
    mode: str
    began_at: datetime
    decided_at_before: datetime | None
    decided_at_after: datetime | None
    winner_before: int | None
    winner_after: int | None
    score_before: list[int] | None
    score_after: list[int] | None
    status_before: str | None
    status_after: str | None
    # a JSON document: [side, rule, points], added to the score of the match and to no hand
    terms_before: list[list[Any]] | None
    terms_after: list[list[Any]] | None


def results(two: TwoRuns, *, mode: str | None = None, player: str | None = None) -> Query:
    """Rows of ResultRow: matches with a different winner, score or status."""
    wanted = [] if mode is None else [m.mode == mode]
    wanted += [] if player is None else [literal(player) == func.any(m.seats)]
    of_first, of_second = rows_of(t.matches, two, *wanted)
    both, _ = joined(of_first, of_second, "match_id")
    either = ("match_id", "ruleset", "mode", "began_at")
    rows = select(
        *(func.coalesce(of_first.c[name], of_second.c[name]).label(name) for name in either),
        *before_and_after(of_first, of_second, "decided_at", "winner", "score", "status", "terms"),
    )
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "score", "status"))
    return listed(rows.select_from(both).where(or_(*differs)))


RESULTS = DifferenceList(
    ResultRow,
    results,
    {"by_beginning": BY_BEGINNING},
    {
        "match": "match_id",
        **same_names("ruleset", "mode", "decided_at_before", "decided_at_after", "winner_before", "winner_after"),
        **same_names("score_before", "score_after", "status_before", "status_after", "terms_before", "terms_after"),
    },
)
