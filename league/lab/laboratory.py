"""The laboratory of a process: how many try rules at once, and what it caches in memory between trials."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Lock
from zoneinfo import ZoneInfo

from league.domain.refusals import WrongState
from league.domain.sentences import say
from league.lab.columns import MatchColumns
from league.lab.kernel import RatedColumns
from league.lab.trial import NoMatches, RulesTrial, check_scored_alike, check_size, psycopg_of, rated
from league.lab.tried_league import LeagueTrials
from league.projections.difference.verdict import fitted_by_rating
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.snapshot import NO_RUN, Snapshot
from league.projections.writers import catalogue

AT_ONCE = 1
"""Limit on trials that a process computes at the same time."""
MOST_WAITING = 20
"""Limit on requests that wait for a slot or hold one; further ones are refused."""


class LabIsBusy(WrongState, code="LAB_BUSY"):
    """Too many others are trying rules at the moment."""


class Laboratory:
    """Tries rules on the matches of the official run, which it caches in memory. Safe to share between threads."""

    def __init__(self) -> None:
        self._slots, self._waiting = asyncio.Semaphore(AT_ONCE), 0
        self._lock = Lock()
        self._columns = MatchColumns()
        self._before: RatedColumns | None = None
        self.leagues = LeagueTrials()
        """What follows beside ratings. Use it while you hold a slot."""

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

        Raises InvalidRulebook if the rules score matches otherwise, WrongState if the league cannot be rated.
        """
        conn = psycopg_of(snapshot.conn)
        if snapshot.run == NO_RUN:
            raise NoMatches(say("the league"), say("without a match"), say("there is nothing to try rules on"))
        rules = catalogue.rules_of_run(conn, snapshot.run)
        tried = revise(rules)
        check_scored_alike(rules, tried)
        with self._lock:
            columns = self._columns.refreshed(conn, snapshot.run, rules)
            check_size(len(columns))
            if columns is not self._columns or self._before is None:
                self._columns, self._before = columns, rated(columns, rules)
            before = self._before
        fitted = fitted_by_rating(snapshot.conn)
        return RulesTrial(columns, rules, tried, before, rated(columns, tried), ZoneInfo(snapshot.zone), fitted)
