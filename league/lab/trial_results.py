"""The results of a trial: rating boards, the changes of one competitor, the quality of forecasts and the drift."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import select

from league.domain.rating import PlayerRatingChange, earned_in, overall_rating, rate
from league.domain.rules import Competition, Rulebook
from league.domain.seating import CompetitorId, subject_of
from league.domain.verdict import LEAST_FORECAST
from league.lab.columns import COMPETITIONS, EPOCH, MICROSECOND, MatchColumns, MonthRows
from league.lab.kernel import (
    COMPETITION,
    DIFFERENCE,
    FACTS,
    FORFEITED,
    NO_POINTS,
    NOBODY,
    NOT_RATED,
    PLACES,
    PLAYERS,
    RULESET,
    TEAMS,
    WINNER,
    RatedColumns,
    column,
    compiled,
    floats,
    integers,
)
from league.lab.trial import RulesTrial
from league.projections import tables as t
from league.projections.boards.board import BoardKey, is_of_region
from league.projections.boards.dated_boards import RatingBoard
from league.projections.boards.definitions import BOARDS
from league.projections.folds.league_fold import RATED_MODES
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.queries.rating_spread import DriftMonth
from league.projections.queries.snapshot import Snapshot

r = t.ratings.c


class TriedPlace(NamedTuple):
    """A competitor on a rating board, under the tried rules and under the rules in force."""

    id: str
    rank: int | None
    """None while provisional."""
    value: float
    matches: int
    provisional: bool
    last_decided_at: datetime
    rank_before: int | None
    value_before: float

    @property
    def change(self) -> float:
        """Rating points gained; negative if lost."""
        return self.value - self.value_before


class _BoardValue(NamedTuple):
    value: float
    matches: int
    provisional: bool


def tried_board(snapshot: Snapshot, board: BoardKey, trial: RulesTrial) -> list[TriedPlace]:
    """A whole rating board under the tried rules, in its order."""
    definition = BOARDS[board.kind]
    assert isinstance(definition, RatingBoard), "other boards do not read ratings"
    listed = _listed(snapshot, board, definition, trial, trial.tried)
    listed_before = _listed(snapshot, board, definition, trial, trial.rules)
    before = _values(definition, {**listed, **listed_before}, trial, trial.before, trial.rules)
    after = _values(definition, listed, trial, trial.after, trial.tried)
    ranks_before, ranks = _ranks({id_: before[id_] for id_ in listed_before}), _ranks(after)
    in_order = sorted(after, key=lambda id_: (after[id_].provisional, -after[id_].value, id_))
    return [
        TriedPlace(id_, ranks.get(id_), *after[id_], listed[id_], ranks_before.get(id_), before[id_].value)
        for id_ in in_order
    ]


def _listed(
    snapshot: Snapshot, board: BoardKey, definition: RatingBoard, trial: RulesTrial, rules: RulesTimeline
) -> Mapping[str, datetime]:
    """The competitors on the board, with the time of their latest decided match. This does not depend on ratings."""
    assert snapshot.shown is not None, "there is a match"
    query = select(r.id, r.last_decided_at).where(
        r.run == snapshot.run, r.subject == definition.subject, r.mode == definition.mode
    )
    if not board.include_inactive:
        active = timedelta(days=shown_under(trial, rules).boards.active_days)
        query = query.where(r.last_decided_at >= snapshot.shown.at - active)
    if board.region is not None:
        query = query.where(is_of_region(definition.subject, r.id, board.region))
    return {row.id: row.last_decided_at for row in snapshot.conn.execute(query)}


def _values(
    definition: RatingBoard,
    listed: Mapping[str, datetime],
    trial: RulesTrial,
    rated: RatedColumns,
    rules: RulesTimeline,
) -> dict[str, _BoardValue]:
    rulebook = shown_under(trial, rules)
    by_mode: list[dict[str, _BoardValue]] = []
    for mode in definition.modes:
        found = {}
        for id_ in listed:
            number = trial.columns.number_of((definition.subject, id_, mode))
            if number is not None and rated.played[number]:
                matches = int(rated.played[number])
                found[id_] = _BoardValue(
                    float(rated.ratings[number]), matches, matches < rulebook.rating.provisional_below
                )
        by_mode.append(found)
    if len(by_mode) == 1:
        return by_mode[0]
    a, b = by_mode
    return {id_: _overall(a.get(id_), b.get(id_), rulebook) for id_ in listed}


def _overall(a: _BoardValue | None, b: _BoardValue | None, rulebook: Rulebook) -> _BoardValue:
    if a is None or b is None:
        found = a or b
        assert found is not None, "who is on the board has a rating"
        return found
    value = overall_rating(a.value, a.matches, b.value, b.matches, rulebook.rating.overall)
    return _BoardValue(value, a.matches + b.matches, a.provisional and b.provisional)


def shown_under(trial: RulesTrial, rules: RulesTimeline) -> Rulebook:
    """The edition of the latest decided match, which decides how ratings are shown."""
    return rules.at(EPOCH + trial.columns.began_at[-1] * MICROSECOND).rulebook


def _ranks(values: Mapping[str, _BoardValue]) -> dict[str, int]:
    """The ranks of established competitors, from 1. Equal values share a rank."""
    established = sorted((-one.value, id_) for id_, one in values.items() if not one.provisional)
    ranks: dict[str, int] = {}
    rank, last = 0, None
    for number, (below, id_) in enumerate(established, 1):
        if below != last:
            rank, last = number, below
        ranks[id_] = rank
    return ranks


NAMES: dict[int, Competition] = {number: name for name, number in COMPETITIONS.items()}


class ChangeUnderRules(NamedTuple):
    """The change of a rating by a match under one of the two sets of rules."""

    edition: HashedEdition
    change: PlayerRatingChange


class RatedMatchRow(NamedTuple):
    """A rated match of a competitor."""

    row: int
    mode: str


class TriedChange(NamedTuple):
    """The change of a rating by a match, under the rules in force and under the tried rules."""

    row: int
    match_id: str
    mode: str
    decided_at: datetime
    before: ChangeUnderRules
    after: ChangeUnderRules


def rows_of(trial: RulesTrial, competitor: CompetitorId) -> list[RatedMatchRow]:
    """The rows of a competitor's rated matches, with their modes, in the order in which they are rated."""
    subject = subject_of(competitor)
    found: list[RatedMatchRow] = []
    for mode in RATED_MODES:
        number = trial.columns.number_of((subject, competitor, mode))
        if number is not None:
            seats = trial.columns.seats
            found += [RatedMatchRow(place // PLACES, mode) for place, seat in enumerate(seats) if seat == number]
    return sorted(found)


def change_of(trial: RulesTrial, competitor: CompetitorId, row: int, mode: str) -> TriedChange:
    """How the match in row `row` changes the competitor's rating in a mode."""
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
        ChangeUnderRules(
            rules.at(EPOCH + columns.began_at[row] * MICROSECOND), _changes(columns, rules, rated, row, places)[at]
        )
        for rules, rated in ((trial.rules, trial.before), (trial.tried, trial.after))
    )
    decided_at = EPOCH + columns.decided_at[row] * MICROSECOND
    return TriedChange(row, columns.ids[row], mode, decided_at, before, after)


def _changes(
    columns: MatchColumns, rules: RulesTimeline, rated: RatedColumns, row: int, places: list[list[int]]
) -> list[PlayerRatingChange]:
    facts = columns.facts[FACTS * row : FACTS * (row + 1)]
    formula = rules.at(EPOCH + columns.began_at[row] * MICROSECOND).formula
    earned = None
    if not facts[FORFEITED]:
        difference = None if facts[DIFFERENCE] == NO_POINTS else facts[DIFFERENCE]
        earned = earned_in(columns.achievements(row), difference, columns.rulesets[facts[RULESET]], formula)
    sides = [[(float(rated.before[place]), int(rated.played_before[place])) for place in side] for side in places]
    return rate(sides, facts[WINNER], NAMES[facts[COMPETITION]], earned, formula)


CLASSES = 10
"""Number of classes of expected scores, all of the same width."""


class ScoreClass(Struct, frozen=True):
    """A class of sides whose expected score is at least `start` and below `end`. The last class includes 1."""

    start: float
    end: float
    sides: int
    """How many sides are in the class."""
    expected: float | None
    """Mean of their expected scores; None without a side."""
    won: float | None
    """Share of them that won; None without a side."""


class ForecastQuality(Struct, frozen=True):
    """How well forecasts predicted results, as in `predictions` of `difference/ratings.py`."""

    matches: int
    brier: float | None
    """Brier score; None without a match."""
    log_loss: float | None
    """Logarithmic loss in nats; None without a match."""
    classes: Sequence[ScoreClass]
    """Each match counts for both sides. The expected score of the losing side is 1 minus the forecast."""


def judged(rated: RatedColumns, first: int, end: int) -> ForecastQuality:
    """Judge the forecasts of the rated matches in the rows from `first` to below `end`."""
    sides, expected, won = integers(CLASSES), floats(CLASSES), integers(CLASSES)
    matches, squares, logarithms = _judge(rated.forecasts, first, end, sides, expected, won)
    classes = [
        ScoreClass(
            n / CLASSES, (n + 1) / CLASSES, int(sides[n]), float(expected[n] / sides[n]), float(won[n] / sides[n])
        )
        if sides[n]
        else ScoreClass(n / CLASSES, (n + 1) / CLASSES, 0, None, None)
        for n in range(CLASSES)
    ]
    if not matches:
        return ForecastQuality(0, None, None, classes)
    return ForecastQuality(matches, squares / matches, logarithms / matches, classes)


@compiled
def _judge(forecasts: Any, first: int, end: int, sides: Any, expected: Any, won: Any) -> tuple[int, float, float]:
    """The number of rated matches, and the sums of their squared and logarithmic losses. Fills in the classes."""
    matches, squares, logarithms = 0, 0.0, 0.0
    for row in range(first, end):
        forecast = forecasts[row]
        if forecast == NOT_RATED:
            continue
        matches += 1
        squares += (1.0 - forecast) * (1.0 - forecast)
        logarithms -= math.log(max(forecast, LEAST_FORECAST))
        for of_side, has_won in ((forecast, 1), (1.0 - forecast, 0)):
            of = min(int(of_side * CLASSES), CLASSES - 1)
            sides[of] += 1
            expected[of] += of_side
            won[of] += has_won
    return matches, squares, logarithms


def drift(
    columns: MatchColumns, rated: RatedColumns, months: Sequence[MonthRows], subject: str, mode: str
) -> list[DriftMonth]:
    """The mean rating of a mode at the end of each month. Months before the first rated match are left out."""
    wanted = integers(len(columns.subjects))
    for number, (kind, _, of_mode) in enumerate(columns.subjects):
        wanted[number] = (kind, of_mode) == (subject, mode)
    now, has_played = floats(len(wanted)), integers(len(wanted))
    seats, found = column(columns.seats), []
    for month in months:
        matches, gained = _month(seats, rated.before, rated.after, month.first, month.end, wanted, now, has_played)
        count, total = _sum(now, has_played)
        if count:
            each = gained / matches if matches else None
            found.append(DriftMonth(month.name, count, total / count, matches, gained, each))
    return found


@compiled
def _month(
    seats: Any, before: Any, after: Any, first: int, end: int, wanted: Any, now: Any, has_played: Any
) -> tuple[int, float]:
    """Bring the wanted ratings up to the end of a month. Returns its number of matches and the sum of the changes."""
    matches, gained = 0, 0.0
    for row in range(first, end):
        is_wanted = False
        for place in range(PLACES * row, PLACES * (row + 1)):
            seat = seats[place]
            if seat != NOBODY and wanted[seat]:
                is_wanted = True
                now[seat], has_played[seat] = after[place], 1
                gained += after[place] - before[place]
        matches += is_wanted
    return matches, gained


@compiled
def _sum(now: Any, has_played: Any) -> tuple[int, float]:
    count, total = 0, 0.0
    for number in range(len(now)):
        if has_played[number]:
            count += 1
            total += now[number]
    return count, total
