"""Walking forward: for each held-out month, settings are chosen on the months before it and judged on it alone."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
from msgspec import Struct

from league.domain.rating import formula_of
from league.domain.refusals import WrongState
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.lab.projections.columns import Columns
from league.lab.projections.figures import Month, months_of
from league.lab.projections.rating import rated
from league.lab.refusals import NoMatches
from league.lab.tuning.forecasts import Forecaster, Limits, Objective, coin, losses_of
from league.lab.tuning.judged import Compared, HeldOut
from league.lab.tuning.ranges import Range, with_values
from league.lab.tuning.search import BROKEN, Found, Search
from league.projections.folds.match_fold import Rules
from league.rulebook import shipped_edition


class Wanted(Struct, frozen=True):
    """What a search is asked for."""

    ranges: Sequence[Range]
    objective: Objective
    limits: Limits
    held_out: int
    """Months, the last ones."""
    candidates: int
    """Of each search: one for each held-out month, and one for all matches."""
    seed: int
    workers: int


class Tuned(Struct, frozen=True):
    """What a search comes to."""

    wanted: Wanted
    values: Mapping[str, Decimal]
    """The settings chosen on all matches; to be replayed."""
    chosen: Sequence[Mapping[str, Decimal]]
    """Those chosen for each held-out month."""
    months: Sequence[str]
    """Those held out."""
    matches: int
    """Rated ones in the held-out months ..."""
    days: int
    """... and the days on which they were decided."""
    all_matches: int
    tried: int
    """Candidates."""
    curve: Sequence[float]
    """The best loss so far of the search over all matches, by candidate."""
    fitted: Compared
    in_force: Compared
    shipped: Compared
    plain_elo: Compared
    coin: Compared
    drift: float
    largest_change: float
    is_interrupted: bool


def tune(
    columns: Columns,
    rules: Rules,
    base: Rulebook,
    zone: ZoneInfo,
    wanted: Wanted,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Tuned:
    """Fit the settings of `base` to the matches. Ctrl-C ends the search; the best so far is judged.

    `tell` is called with the candidates tried so far, and all. Raises WrongState for too little history,
    and where no setting keeps the limits.
    """
    months = months_of(columns, zone)
    check_months(months, wanted.held_out)
    forecaster, objective = Forecaster(columns), wanted.objective
    held_out = HeldOut(forecaster, months[-wanted.held_out :], objective, zone, wanted.seed)
    search = Search(forecaster, base, wanted.ranges, objective, wanted.limits, wanted.seed, wanted.workers)
    chosen, whole, curve, tried = _searched(search, held_out.months, len(columns), wanted, tell)
    if not whole.keeps_limits:
        raise WrongState(
            say("every setting"),
            say("beyond the limits"),
            say("no setting in the ranges keeps them: search more settings (`--range`), or allow more"),
        )
    shipped = formula_of(shipped_edition().rating)
    fitted = held_out.losses(lambda month: formula_of(with_values(base, chosen[month.name].values).rating))
    losses = {
        "fitted": fitted,
        "in_force": losses_of(rated(columns, rules).forecasts[held_out.first :], objective),
        "shipped": held_out.losses(lambda _month: shipped),
        "plain_elo": held_out.losses(lambda month: held_out.plain_elo(shipped, month)),
        "coin": np.where(np.isnan(fitted), np.nan, coin(objective)),
    }
    is_rated = ~np.isnan(fitted)
    best = forecaster.forecasts(with_values(base, whole.values), len(columns))
    return Tuned(
        wanted=wanted,
        values=whole.values,
        chosen=[chosen[month.name].values for month in held_out.months],
        months=[month.name for month in held_out.months],
        matches=int(is_rated.sum()),
        days=len(np.unique(held_out.days()[is_rated])),
        all_matches=len(columns),
        tried=tried,
        curve=[loss for loss in curve if loss < BROKEN],
        drift=best.drift(),
        largest_change=best.largest_change(),
        is_interrupted=search.is_interrupted,
        **{way: held_out.judged(each, fitted) for way, each in losses.items()},
    )


def _searched(
    search: Search,
    held_out: Sequence[Month],
    end: int,
    wanted: Wanted,
    tell: Callable[[int, int], None],
) -> tuple[Mapping[str, Found], Found, Sequence[float], int]:
    """What was found for each held-out month and on all matches; the curve of the last search; the candidates."""
    steps, tried, curve = (len(held_out) + 1) * wanted.candidates, 0, list[float]()

    def count(loss: float) -> None:
        nonlocal tried
        tried += 1
        curve.append(loss)
        tell(min(tried, steps), steps)

    found: Found | None = None
    chosen: dict[str, Found] = {}
    for month in held_out:
        found = chosen[month.name] = search.best(month.first, wanted.candidates, found, count)
    curve.clear()
    return chosen, search.best(end, wanted.candidates, found, count), curve, tried


def check_months(months: Sequence[Month], held_out: int) -> None:
    """Raises WrongState for a history with too few months."""
    if not months:
        raise NoMatches(say("the league"), say("without a match"), say("there is no history to fit rules to"))
    if len(months) <= held_out:
        raise WrongState(
            say("the history"),
            say("too short"),
            say(
                "it has matches in {months} months, and to hold out {held_out} takes {least}: hold out fewer"
                " (`--held-out`), or play on",
                months=len(months),
                held_out=held_out,
                least=held_out + 1,
            ),
        )
