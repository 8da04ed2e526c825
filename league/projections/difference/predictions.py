"""How well the expected scores of two runs predicted the results of matches.

The forecast of a match is the score that the ledger expected of the winning side: for partners, the mean of what was
expected of each (the same for both, unless the edition says `own_vs_side_average`). So each match counts once, in 1v1
and in 2v2, and casual matches count as well. If the second run has a different winner, its forecast is judged by that
winner. Only matches that both runs rate count.
"""

from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Subquery, func, select, tuple_
from sqlalchemy.dialects.postgresql import aggregate_order_by

from league.projections import tables as t
from league.projections.difference.two_runs import TwoRuns

c = t.changes.c

LEAST_FORECAST = 1e-15
"""The smallest forecast in the log loss: a win that was thought impossible would have an infinite loss."""


class Prediction(Struct, frozen=True):
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


def predictions(conn: Connection, two: TwoRuns) -> tuple[Prediction, ...]:
    """One row for each mode in which both runs rate a match, and then one for all modes together."""
    first, second = (_forecasts(run) for run in (two.first, two.second))
    both = first.join(second, first.c.match_id == second.c.match_id)
    losses = (
        _mean(_squared(first), first).label("brier_before"),
        _mean(_squared(second), first).label("brier_after"),
        _mean(_logarithmic(first), first).label("log_loss_before"),
        _mean(_logarithmic(second), first).label("log_loss_after"),
    )
    by_mode = func.grouping_sets(tuple_(first.c.mode), tuple_())
    query = select(first.c.mode, func.count().label("matches"), *losses).select_from(both).group_by(by_mode)
    rows = conn.execute(query.order_by(first.c.mode.asc().nulls_last()))
    return tuple(Prediction(**row._asdict()) for row in rows)


def _forecasts(run: int) -> Subquery:
    """By match, the expected score of the winning side."""
    of_winners = (c.run == run, c.subject == "player", c.outcome == 1.0)
    mean = func.avg(aggregate_order_by(c.expected, c.id)).label("forecast")
    return select(c.match_id, c.mode, mean).where(*of_winners).group_by(c.match_id, c.mode).subquery()


def _squared(of: Subquery) -> Any:
    return (1.0 - of.c.forecast) * (1.0 - of.c.forecast)


def _logarithmic(of: Subquery) -> Any:
    return -func.ln(func.greatest(of.c.forecast, LEAST_FORECAST))


def _mean(loss: Any, of: Subquery) -> Any:
    # Floats are added in a fixed order, so equal leagues have equal figures to the last bit.
    return func.avg(aggregate_order_by(loss, of.c.match_id))
