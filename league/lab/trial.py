"""Computes ratings under other rules, beside the ratings of the official run. Nothing is stored."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from threading import Lock
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Connection

from league.domain.rating import RatingFormula
from league.domain.refusals import InvalidInput, WrongState
from league.domain.sentences import say
from league.lab.columns import MatchColumns, MonthRows, months_of
from league.lab.kernel import (
    IS_COMPILED,
    FormulaLists,
    FormulaNumbers,
    RatedColumns,
    column,
    nothing_rated,
    rate_matches,
    table,
)
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.snapshot import NO_RUN, Snapshot
from league.projections.replays.starting_points import changes_ratings_alone
from league.projections.runs import Conn
from league.projections.writers import catalogue

AT_ONCE = 1
"""Limit on trials that a process computes at the same time."""
MOST_WAITING = 20
"""Limit on requests that wait for a slot or hold one; further ones are refused."""
MOST_INTERPRETED = 20_000
"""Limit on matches without numba. The interpreter rates this many in about a second."""
TEN = 10.0
K_RULES = ("casual", "provisional", "special", "veteran", "standard")


class NoMatches(WrongState, code="NO_MATCHES"):
    """There is no rated match to try rules on."""


class LabIsBusy(WrongState, code="LAB_BUSY"):
    """Too many others are trying rules at the moment."""


class LeagueTooLarge(WrongState, code="LEAGUE_TOO_LARGE"):
    """The league has too many matches for this server."""


class RulesTrial(Struct, frozen=True, dict=True):
    """The matches of the official run, rated under the rules in force and under tried rules."""

    columns: MatchColumns
    rules: RulesTimeline
    """The rules in force."""
    tried: RulesTimeline
    """The tried rules."""
    before: RatedColumns
    """The ratings under the rules in force."""
    after: RatedColumns
    """The ratings under the tried rules."""
    zone: ZoneInfo

    @cached_property
    def months(self) -> list[MonthRows]:
        """The months with matches."""
        return months_of(self.columns, self.zone)


class Laboratory:
    """Tries rules on the matches of the official run, which it caches in memory. Safe to share between threads."""

    def __init__(self) -> None:
        self._slots, self._waiting = asyncio.Semaphore(AT_ONCE), 0
        self._lock = Lock()
        self._columns = MatchColumns()
        self._before: RatedColumns | None = None

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it inside this context, to try rules. Raises LabIsBusy if too many wait."""
        if self._waiting >= MOST_WAITING:
            raise LabIsBusy(say("the laboratory"), say("busy"), say("others try rules; try again in a moment"))
        self._waiting += 1
        try:
            async with self._slots:
                yield
        finally:
            self._waiting -= 1

    def trial(self, snapshot: Snapshot, revise: Callable[[RulesTimeline], RulesTimeline]) -> RulesTrial:
        """Rate the matches of the official run under its rules and under those that `revise` returns. Blocks.

        Raises InvalidInput if the rules change more than ratings, WrongState if the league cannot be rated.
        """
        conn = psycopg_of(snapshot.conn)
        if snapshot.run == NO_RUN:
            raise NoMatches(say("the league"), say("without a match"), say("there is nothing to try rules on"))
        rules = catalogue.rules_of_run(conn, snapshot.run)
        tried = revise(rules)
        if not changes_ratings_alone(rules, tried):
            raise InvalidInput("settings", say("only numbers of `rating` can be tried; a replay tries all others"))
        with self._lock:
            columns = self._columns.refreshed(conn, snapshot.run, rules)
            _check_size(columns)
            if columns is not self._columns or self._before is None:
                self._columns, self._before = columns, rated(columns, rules)
            before = self._before
        return RulesTrial(columns, rules, tried, before, rated(columns, tried), ZoneInfo(snapshot.zone))


def _check_size(columns: MatchColumns) -> None:
    if not columns.ids:
        raise NoMatches(say("the league"), say("without a match"), say("there is nothing to try rules on"))
    if len(columns) > MOST_INTERPRETED and not IS_COMPILED:
        raise LeagueTooLarge(
            say("a league of {matches} matches", matches=len(columns)),
            say("too large for the interpreter"),
            say(
                "beyond {most} matches install the extra: `pip install 'domino-league[lab]'`, and start the server "
                "again",
                most=MOST_INTERPRETED,
            ),
        )


def rated(columns: MatchColumns, rules: RulesTimeline) -> RatedColumns:
    """Rate all matches of the columns, each under the edition in force when it began."""
    result = nothing_rated(len(columns), len(columns.subjects))
    facts, seats = column(columns.facts), column(columns.seats)
    for first, end, hash_ in columns.spans(rules):
        formula = rules.by_hash[hash_].formula
        numbers, steps = numbers_of(formula), steps_of(formula, columns.rulesets)
        rate_matches(facts, seats, first, end, numbers, steps, TEN, result)
    return result


def numbers_of(formula: RatingFormula) -> FormulaNumbers:
    """The numbers of a formula, as the kernel takes them."""
    k = {f"k_{rule}": getattr(formula, rule)[1] for rule in K_RULES}
    return FormulaNumbers(*(k[name] if name in k else getattr(formula, name) for name in FormulaNumbers._fields))


def steps_of(formula: RatingFormula, rulesets: Sequence[str]) -> FormulaLists:
    """The lists of a formula, as the kernel takes them. `rulesets`: names of the rulesets, by number."""
    points = [formula.points_by_ruleset.get(ruleset, formula.points) for ruleset in rulesets]
    behind, units = [behind for behind, _ in formula.recovery], [units for _, units in formula.recovery]
    return FormulaLists(table(points), table(behind), table(units))


def psycopg_of(conn: Connection) -> Conn:
    """The psycopg connection under a SQLAlchemy connection."""
    found: Conn = conn.connection.driver_connection  # type: ignore[assignment]
    return found
