"""What follows from other rules beside ratings: the series of each month, who is locked, badges, places on boards.

The folds of the league make it, in temporary tables, so it is what a replay under these rules gives. Nothing is stored.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, func, or_, select

from league.lab.trial import check_fold, check_scored_alike, check_size
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.difference.places import BADGES, LOST, PLACES, BadgeMoveRow, PlaceMoveRow
from league.projections.difference.series import ENCOUNTERS, EncounterMoveRow, StandingPairRow, every_standing
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.folds.badges import measures_of
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.pages import count, typed
from league.projections.replays.temporary_runs import beneath_of, fold_under_rules, official_apart
from league.projections.runs import position_of
from league.projections.writers import catalogue

KEPT = 4
"""Limit on results that a process caches, so that a page of a list folds nothing."""


class MonthOfTrial(NamedTuple):
    """What changes in the series of a month in one mode."""

    month: str
    mode: str
    closed: bool
    """Whether the month is closed: its published list stays as it is."""
    standings_changed: int
    """Standings with another rank or total."""
    locked: int
    """Encounters that only the tried rules lock."""
    unlocked: int
    """Encounters that only the rules in force lock."""


class TriedBadge(NamedTuple):
    """A badge won, lost, or earned by a different event."""

    row: BadgeMoveRow
    description: str
    """What it is awarded for."""


class TriedLeague(Struct, frozen=True):
    """The league under the tried rules beside the official one, which is the first of the two runs."""

    position: int
    """The log position up to which both are folded."""
    standings: Sequence[StandingPairRow]
    """Every standing, by month and mode in the order of the tried rules."""
    locks: Sequence[EncounterMoveRow]
    """Encounters that only one of the two sets of rules locks, by month."""
    badges: Sequence[TriedBadge]
    """Badges won, lost, or earned by a different event."""
    places: Sequence[PlaceMoveRow]
    """Places on boards other than the series with another rank, or on one side only, largest change first."""
    months: Sequence[MonthOfTrial]


def tried_league(conn: Connection, run: int, rules: RulesTimeline, tried: RulesTimeline) -> TriedLeague:
    """Fold the league under the tried rules, and compare it. `conn` must be rolled back afterwards.

    `rules`: those of the run. The tried ones must score every match alike.
    """
    beneath = beneath_of(conn)
    two = two_runs(conn, run, fold_under_rules(beneath, run, tried))
    standings = list(typed(StandingPairRow, conn.execute(every_standing(two))))
    locks = _locks(conn, two)
    badges = conn.execute(BADGES.query(two).order_by(*BADGES.usual.columns))
    closed = set(conn.scalars(select(t.closed_months.c.month)))
    return TriedLeague(
        position_of(beneath, run),
        standings,
        locks,
        [TriedBadge(row, _in_words(row, rules if row.what == LOST else tried)) for row in typed(BadgeMoveRow, badges)],
        _places(conn, two),
        _months(standings, locks, closed),
    )


def _in_words(badge: BadgeMoveRow, rules: RulesTimeline) -> str:
    """What a badge is awarded for, as the latest rules that award it say."""
    for span in reversed(rules.timeline):
        for measure in measures_of(rules.editions[span.edition].rulebook.badges):
            if measure.key == badge.measure and badge.threshold in measure.thresholds:
                return measure.in_words(badge.threshold)
    return badge.badge


def _locks(conn: Connection, two: TwoRuns) -> Sequence[EncounterMoveRow]:
    rows = ENCOUNTERS.query(two).subquery("listed")
    is_locked = (func.coalesce(rows.c[f"locked_{when}"], False) for when in ("before", "after"))
    query = select(rows).where(next(is_locked) != next(is_locked)).order_by(*ENCOUNTERS.usual.columns)
    return list(typed(EncounterMoveRow, conn.execute(query)))


def _places(conn: Connection, two: TwoRuns) -> Sequence[PlaceMoveRow]:
    boards = [BoardKey(kind) for kind, definition in BOARDS.items() if not definition.monthly]
    rows = PLACES.query(two, boards).subquery("listed")
    c = rows.c
    moved = or_(c.rank_before.is_distinct_from(c.rank_after), c.value_before.is_(None) != c.value_after.is_(None))
    query = select(rows).where(moved).order_by(*PLACES.usual.columns)
    return list(typed(PlaceMoveRow, conn.execute(query)))


def _months(
    standings: Sequence[StandingPairRow], locks: Sequence[EncounterMoveRow], closed: set[str]
) -> Sequence[MonthOfTrial]:
    changed: dict[tuple[str, str], list[int]] = {(one.month, one.mode): [0, 0, 0] for one in standings}
    for one in standings:
        is_changed = (one.rank_before, one.total_before) != (one.rank_after, one.total_after)
        changed[one.month, one.mode][0] += is_changed
    for pair in locks:
        changed[pair.month, pair.mode][1 if pair.locked_after else 2] += 1
    return [MonthOfTrial(month, mode, month in closed, *counts) for (month, mode), counts in sorted(changed.items())]


class LeagueTrials:
    """Tries rules on the whole league, and caches the latest results. One thread at a time uses it."""

    def __init__(self) -> None:
        self._found: dict[object, TriedLeague] = {}

    def trial(self, url: str, revise: Callable[[RulesTimeline], RulesTimeline]) -> TriedLeague:
        """The league under the rules that `revise` returns. Blocks.

        Raises InvalidRulebook if the rules score matches otherwise, WrongState if the league cannot be tried.
        """
        with official_apart(url) as (conn, run):
            beneath = beneath_of(conn)
            rules = catalogue.rules_of_run(beneath, run)
            tried = revise(rules)
            check_scored_alike(rules, tried)
            matches = count(conn, select(t.matches).where(t.matches.c.run == run, t.matches.c.decided.is_not(None)))
            check_size(matches)
            check_fold(matches)
            state = (conn.scalar(select(t.generation.c.number)), run, position_of(beneath, run), tried.hashes())
            found = self._found.pop(state, None) or tried_league(conn, run, rules, tried)
            self._found[state] = found
            while len(self._found) > KEPT:
                del self._found[next(iter(self._found))]
            return found
