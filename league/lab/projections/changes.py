"""The rating changes of one competitor under other rules, beside those in force, with their terms."""

from datetime import datetime
from typing import NamedTuple

from league.domain.competitor import CompetitorId, subject_of
from league.domain.rating import Rated as RatedOne
from league.domain.rating import earned_in, rate
from league.domain.rules import Competition
from league.lab.projections.columns import COMPETITIONS, EPOCH, MICROSECOND, Columns
from league.lab.projections.kernel import (
    COMPETITION,
    DIFFERENCE,
    FACTS,
    FORFEITED,
    NO_POINTS,
    NOBODY,
    PLACES,
    PLAYERS,
    RULESET,
    TEAMS,
    WINNER,
    Rated,
)
from league.lab.projections.trial import Trial
from league.projections.folds.match_fold import Edition, Rules
from league.projections.folds.ratings import RATED_MODES

NAMES: dict[int, Competition] = {number: name for name, number in COMPETITIONS.items()}


class Side(NamedTuple):
    """A change under one of the two rules."""

    edition: Edition
    change: RatedOne


class RatedRow(NamedTuple):
    """A rated match of a competitor."""

    row: int
    mode: str


class TriedChange(NamedTuple):
    """How a match changes a rating under either rules."""

    row: int
    match_id: str
    mode: str
    decided_at: datetime
    before: Side
    after: Side


def rows_of(trial: Trial, competitor: CompetitorId) -> list[RatedRow]:
    """The rows of a competitor's rated matches, with their modes, in the order in which they are rated."""
    subject = subject_of(competitor)
    found: list[RatedRow] = []
    for mode in RATED_MODES:
        number = trial.columns.number_of((subject, competitor, mode))
        if number is not None:
            seats = trial.columns.seats
            found += [RatedRow(place // PLACES, mode) for place, seat in enumerate(seats) if seat == number]
    return sorted(found)


def change_of(trial: Trial, competitor: CompetitorId, row: int, mode: str) -> TriedChange:
    """How the match in a row changes the competitor's rating."""
    columns = trial.columns
    number = columns.number_of((subject_of(competitor), competitor, mode))
    assert number is not None, "they have a rating"
    first, step = TEAMS if subject_of(competitor) == "team" else PLAYERS
    places = [
        [place for place in range(start, start + (2 if step > 1 else 1)) if columns.seats[place] != NOBODY]
        for start in (PLACES * row + first, PLACES * row + first + step)
    ]
    at = [columns.seats[place] for side in places for place in side].index(number)
    before, after = (
        Side(rules.at(EPOCH + columns.began_at[row] * MICROSECOND), _changes(columns, rules, rated, row, places)[at])
        for rules, rated in ((trial.rules, trial.before), (trial.tried, trial.after))
    )
    decided_at = EPOCH + columns.decided_at[row] * MICROSECOND
    return TriedChange(row, columns.ids[row], mode, decided_at, before, after)


def _changes(columns: Columns, rules: Rules, rated: Rated, row: int, places: list[list[int]]) -> list[RatedOne]:
    facts = columns.facts[FACTS * row : FACTS * (row + 1)]
    formula = rules.at(EPOCH + columns.began_at[row] * MICROSECOND).formula
    earned = None
    if not facts[FORFEITED]:
        difference = None if facts[DIFFERENCE] == NO_POINTS else facts[DIFFERENCE]
        earned = earned_in(columns.achievements(row), difference, columns.rulesets[facts[RULESET]], formula)
    sides = [[(float(rated.before[place]), int(rated.played_before[place])) for place in side] for side in places]
    return rate(sides, facts[WINNER], NAMES[facts[COMPETITION]], earned, formula)
