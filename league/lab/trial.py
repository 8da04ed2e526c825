"""What ratings would be under other rules, beside those of the official run. Nothing is stored."""

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
"""Trials that a process computes at the same time."""
MOST_WAITING = 20
"""Requests that wait for their turn; more are refused."""
MOST_INTERPRETED = 20_000
"""Matches that are rated without numba: about a second of the interpreter."""
TEN = 10.0
K_RULES = ("casual", "provisional", "special", "veteran", "standard")


class NoMatches(WrongState, code="NO_MATCHES"):
    """The league has no rated match to try rules on."""


class LabIsBusy(WrongState, code="LAB_BUSY"):
    """Others try rules at this moment."""


class LeagueTooLarge(WrongState, code="LEAGUE_TOO_LARGE"):
    """The league has too many matches for this server."""


class RulesTrial(Struct, frozen=True, dict=True):
    """The matches of the official run, rated by its rules and by others."""

    columns: MatchColumns
    rules: RulesTimeline
    """Those in force ..."""
    tried: RulesTimeline
    """... and those that are tried."""
    before: RatedColumns
    after: RatedColumns
    zone: ZoneInfo

    @cached_property
    def months(self) -> list[MonthRows]:
        """The months with matches."""
        return months_of(self.columns, self.zone)


class Laboratory:
    """Tries rules on the matches of the official run, which it keeps in memory. Safe to share between threads."""

    def __init__(self) -> None:
        self._slots, self._waiting = asyncio.Semaphore(AT_ONCE), 0
        self._lock = Lock()
        self._columns = MatchColumns()
        self._before: RatedColumns | None = None

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Inside this context one of the requests of this process tries rules. Raises WrongState when many wait."""
        if self._waiting >= MOST_WAITING:
            raise LabIsBusy(say("the laboratory"), say("busy"), say("others try rules; try again in a moment"))
        self._waiting += 1
        try:
            async with self._slots:
                yield
        finally:
            self._waiting -= 1

    def trial(self, snapshot: Snapshot, revise: Callable[[RulesTimeline], RulesTimeline]) -> RulesTrial:
        """Rate the matches of a snapshot of the official run under its rules as changed by `revise`. Blocks.

        Raises InvalidInput for rules that change more than ratings, WrongState for a league that cannot be rated.
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
    """The ratings of all matches of the columns."""
    result = nothing_rated(len(columns), len(columns.subjects))
    facts, seats = column(columns.facts), column(columns.seats)
    for first, end, hash_ in columns.spans(rules):
        formula = rules.by_hash[hash_].formula
        numbers, steps = numbers_of(formula), steps_of(formula, columns.rulesets)
        rate_matches(facts, seats, first, end, numbers, steps, TEN, result)
    return result


def numbers_of(formula: RatingFormula) -> FormulaNumbers:
    """The numbers of a formula for the kernel."""
    k = {f"k_{rule}": getattr(formula, rule)[1] for rule in K_RULES}
    return FormulaNumbers(*(k[name] if name in k else getattr(formula, name) for name in FormulaNumbers._fields))


def steps_of(formula: RatingFormula, rulesets: Sequence[str]) -> FormulaLists:
    """The lists of a formula for the kernel."""
    points = [formula.points_by_ruleset.get(ruleset, formula.points) for ruleset in rulesets]
    behind, units = [behind for behind, _ in formula.recovery], [units for _, units in formula.recovery]
    return FormulaLists(table(points), table(behind), table(units))


def psycopg_of(conn: Connection) -> Conn:
    """The connection of psycopg psycopg_of one of SQLAlchemy."""
    found: Conn = conn.connection.driver_connection  # type: ignore[assignment]
    return found
