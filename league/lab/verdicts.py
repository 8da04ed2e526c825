"""The verdict on tried or fitted rules: the matches behind `league.domain.verdict`, taken from columns."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from league.domain.rules import Rulebook
from league.domain.verdict import MONTHS, JudgedMatch, PlainElo, RatedMatch, Verdict, judge, plain_elo
from league.lab.columns import EPOCH, MICROSECOND, MatchColumns, MonthRows, months_of
from league.lab.kernel import FACTS, NOBODY, PLACES, WINNER
from league.lab.trial import RulesTrial
from league.projections.difference.verdict import fitted_among
from league.projections.folds.match_fold import RulesTimeline


def verdict_of(trial: RulesTrial) -> Verdict | None:
    """The verdict on the tried rules, as a comparison with their replay gives it; None without a rated match."""
    columns = trial.columns
    months = rated_months(columns, trial.zone)
    if not months:
        return None
    first = months[-MONTHS:][0].first
    of_rules, of_tried = (
        fitted_among(_rulebooks_from(columns, rules, first), trial.fitted) if trial.fitted else None
        for rules in (trial.rules, trial.tried)
    )
    judged = judged_matches(columns, trial.zone, first, trial.before.forecasts, trial.after.forecasts)
    return judge(judged, plain_elo_from(columns, first), of_rules, of_tried)


def rated_months(columns: MatchColumns, zone: ZoneInfo) -> list[MonthRows]:
    """The months with rated matches."""
    return [
        month
        for month in months_of(columns, zone)
        if next(rated_rows(columns, month.first, month.end), None) is not None
    ]


def judged_matches(columns: MatchColumns, zone: ZoneInfo, first: int, forecasts: Any, others: Any) -> list[JudgedMatch]:
    """The rated matches from row `first` on, with two forecasts each, by row."""
    return [
        JudgedMatch(day_of(columns, row, zone), float(forecasts[row]), float(others[row]))
        for row in rated_rows(columns, first, len(columns))
    ]


def day_of(columns: MatchColumns, row: int, zone: ZoneInfo) -> date:
    """The day on which a match was decided, in a time zone."""
    return (EPOCH + columns.decided_at[row] * MICROSECOND).astimezone(zone).date()


def rated_rows(columns: MatchColumns, first: int, end: int) -> Iterator[int]:
    """The rows of the rated matches from row `first` to below `end`."""
    return (row for row in range(first, end) if columns.seats[PLACES * row] != NOBODY)


@lru_cache(maxsize=1)
def plain_elo_from(columns: MatchColumns, first: int) -> PlainElo:
    """Plain Elo on the rated matches from row `first` on. It does not depend on rules, so it is cached."""
    rows = list(rated_rows(columns, 0, len(columns)))
    earlier = sum(row < first for row in rows)
    return plain_elo([_sides(columns, row) for row in rows], earlier)


def _sides(columns: MatchColumns, row: int) -> RatedMatch:
    place = PLACES * row
    one, two = (
        tuple(seat for seat in columns.seats[start : start + 2] if seat != NOBODY) for start in (place, place + 2)
    )
    return RatedMatch(one, two) if columns.facts[FACTS * row + WINNER] == 0 else RatedMatch(two, one)


def _rulebooks_from(columns: MatchColumns, rules: RulesTimeline, first: int) -> Sequence[Rulebook]:
    """The rulebooks under which the matches from row `first` on are played."""
    hashes = {hash_ for _start, end, hash_ in columns.spans(rules) if end > first}
    return [rules.by_hash[hash_].rulebook for hash_ in hashes]
