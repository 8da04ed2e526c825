"""Promotion: one transaction makes a replay's run official and adopts its rules.

The projector waits, writers do not. The run is folded up to the official run's position, from where the projector
continues with the promoted run. Only the last step takes the lock of the log, for which writers wait.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
import structlog
from msgspec import Struct

from league.application.dispatch import Clock
from league.application.rulesets_in_use import check_unfolded_matches, with_rulesets_in_use
from league.application.storing import first_answer
from league.application.stream_states import StreamStates
from league.domain.audit_trail import STREAM, Act, RolledBack, RunPromoted
from league.domain.refusals import Conflict, KeyReused, Refusal
from league.domain.rulebook import (
    AdoptTimeline,
    EditionAdopted,
    EditionPublished,
    RulebookEvent,
    RulebookState,
    Timeline,
    adopt_timeline,
    evolve,
)
from league.domain.sentences import say
from league.domain.wrong_states import NothingToRollBack, RunIsOfficial, RunIsOutdated
from league.eventlog.records import Append, AppendRequest, IdempotencyKeyTaken, state_after
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections import runs
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.replays.replay import catch_up, fold_under
from league.projections.runs import raise_generation
from league.projections.writers import catalogue

ATTEMPTS = 10
"""Limit on attempts. If rules were adopted or a month was closed meanwhile, the projector must go first."""

RULED_AFTER = "SELECT FROM followed_events WHERE originator_id IN ('league', 'rulebook') AND position > %s LIMIT 1"
"""Finds changes of rules, months and settings that the official run must fold before a promotion."""

ActOf = Callable[[int, int], Act]
"""Makes the act to store, from the new official run and the previous one."""

log = structlog.get_logger()


class ProjectFirst(Exception):
    """The official run must be folded further before another run can take its place."""


class Promoter(Struct, frozen=True):
    """Promotes runs of one league. `project` brings the official run up to the log, or waits for the projector."""

    url: str
    store: EventStore
    clock: Clock
    project: Callable[[], None]

    def promote(self, run: int, request: AppendRequest) -> int:
        """Make a run the official one. Returns the position of the adoption, up to which the projector must fold.

        Waits for the projector's present transaction, but not for writers. Raises NotFound; WrongState if the run is
        official already, or revises rules that are no longer in force; Conflict if others repeatedly change rules or
        settings; KeyReused; OutOfSpace.
        """
        return self._once(request, partial(self._promote, run, request))

    def roll_back(self, request: AppendRequest) -> int:
        """Adopt again the rules that were in force before the last adoption. Returns the position of the adoption.

        Raises WrongState if there was only one adoption, Conflict, KeyReused, OutOfSpace.
        """
        return self._once(request, partial(self._roll_back, request))

    def _once(self, request: AppendRequest, work: Callable[[], int]) -> int:
        if (answered := first_answer(self.store, request)) is not None:
            return answered
        try:
            return work()
        except Refusal:
            # A repetition of this request may have succeeded meanwhile; its own promotion must not refuse it.
            if (answered := first_answer(self.store, request)) is not None:
                return answered
            raise

    def check_promotion(self, run: int) -> None:
        """Raise NotFound or WrongState if `promote` would refuse this run now."""
        rulebook = StreamStates(self.store, self.clock()).rulebook()
        with connect(self.url) as conn:
            if runs.official_run(conn) == run:
                raise RunIsOfficial(say("run {run}", run=run), say("official"), say("it is the official run"))
            if not runs.is_ready(conn, run):
                raise runs.no_run(conn, run)
            if not runs.is_based_on(conn, run, _rules(rulebook.timeline, rulebook)):
                raise RunIsOutdated(
                    say("run {run}", run=run),
                    say("outdated"),
                    say("other rules were adopted since it was folded; replay the rules again (`league replay`)"),
                )

    def run_before(self) -> int:
        """The run under the rules before the last adoption. Folds one if there is none.

        Raises WrongState if there was only one adoption.
        """
        return self._fold_before(StreamStates(self.store, self.clock()))[0]

    def bring_up(self, run: int) -> None:
        """Fold a run up to the official run's position, so that the two can be compared."""
        catch_up(self.url, run)

    def _promote(self, run: int, request: AppendRequest) -> int:
        timeline = StreamStates(self.store, self.clock()).rulebook().timeline
        self.check_promotion(run)
        return self._adopt(run, request, timeline, RunPromoted)

    def _roll_back(self, request: AppendRequest) -> int:
        run, held = self._fold_before(StreamStates(self.store, self.clock()))
        return self._adopt(run, request, held, RolledBack)

    def _fold_before(self, states: StreamStates) -> tuple[int, Timeline]:
        """The run under the rules before the last adoption, and the timeline in force.

        The earlier rules get the rulesets under which matches were recorded since.
        """
        said = [stored.event for stored in states.events("rulebook")]
        adopted = [event.timeline for event in said if isinstance(event, EditionAdopted)]
        if len(adopted) < 2:  # noqa: PLR2004  # the last one, and the one before it
            raise NothingToRollBack(
                say("the league"), say("under its first rules"), say("there is nothing to roll back to")
            )
        rulebook = states.rulebook()
        before, held = _rules(adopted[-2], rulebook), _rules(adopted[-1], rulebook)
        with connect(self.url) as conn:
            before = with_rulesets_in_use(conn, held, before)
            run = runs.folded_under(conn, before)
        if run is None:
            run = fold_under(self.url, lambda _: before)
        return run, adopted[-1]

    def _adopt(self, run: int, request: AppendRequest, held: Timeline, act_of: ActOf) -> int:
        """Adopt the run's timeline in place of `held`, the timeline in force when this was decided."""
        for _ in range(ATTEMPTS):
            try:
                with connect(self.url) as conn:
                    _run_to_replace(conn)
                with self.store.reports_full_disk():
                    # Fold most of the missing events before the lock, while the projector still works.
                    catch_up(self.url, run)
                with self.store.reports_full_disk(), connect(self.url) as conn:
                    locked_at, position = self._adopt_on(conn, run, request, held, act_of)
            except ProjectFirst:
                self.project()
            except IdempotencyKeyTaken as taken:
                raise KeyReused(taken.key) from None
            else:
                held_ms = round((time.monotonic() - locked_at) * 1000)
                log.info("run_promoted", run=run, position=position, lock_held_ms=held_ms)
                return position
        raise Conflict("rulebook")

    def _adopt_on(
        self, conn: psycopg.Connection[Any], run: int, request: AppendRequest, held: Timeline, act_of: ActOf
    ) -> tuple[float, int]:
        """Adopt in the transaction of `conn`, which the caller commits.

        Returns when it took the log's lock, and the position of the adoption. Raises ProjectFirst.
        """
        runs.lock_official(conn)
        before = _run_to_replace(conn)
        if before == run:
            raise RunIsOfficial(say("run {run}", run=run), say("official"), say("it is the official run"))
        # This folds in another transaction. Writers wait until this transaction is on disk, so it must be small.
        catch_up(self.url, run)
        act, rules = act_of(run, before), catalogue.rules_of_run(conn, run)
        stored = self.store.load_on(conn, "rulebook")
        events = _adoption(rules, state_after(stored, evolve, RulebookState()), held, run)
        for event in events:
            if isinstance(event, EditionPublished):
                catalogue.store_edition(conn, HashedEdition(event.hash, event.document), event.edition)
        self.store.lock(conn)
        locked_at = time.monotonic()
        _run_to_replace(conn)  # raises if rules were adopted meanwhile
        check_unfolded_matches(self.store, runs.position_of(conn, run), catalogue.rules_of_run(conn, before), rules)
        # The act comes first, so that the position that is returned is that of the adoption.
        done = Append(STREAM, self.store.version_on(conn, STREAM), (act,))
        position = self.store.append_on(conn, [done, Append("rulebook", len(stored), tuple(events))], request)
        runs.promote(conn, run, position)
        raise_generation(conn)
        return locked_at, position


def _run_to_replace(conn: psycopg.Connection[Any]) -> int:
    """The official run. Raises ProjectFirst unless it has folded the last change of rules and settings."""
    row = conn.execute("SELECT run, position, code FROM official_run JOIN runs USING (run)").fetchone()
    if row is None:
        raise ProjectFirst
    run, position, code = row
    if code != runs.FOLDS or conn.execute(RULED_AFTER, (position,)).rowcount:
        raise ProjectFirst
    return int(run)


def _adoption(rules: RulesTimeline, rulebook: RulebookState, held: Timeline, run: int) -> list[RulebookEvent]:
    """The events that adopt the rules of a run in place of the timeline `held`."""
    if rulebook.timeline != held:
        raise RunIsOutdated(say("run {run}", run=run), say("outdated"), say("other rules were adopted meanwhile"))
    editions = [(span.start, rules.editions[span.edition]) for span in rules.timeline]
    return adopt_timeline(AdoptTimeline(tuple((start, e.hash, e.rulebook) for start, e in editions)), rulebook)


def _rules(timeline: Timeline, state: RulebookState) -> RulesTimeline:
    return RulesTimeline(timeline, {e.edition: HashedEdition(e.hash, e.document) for e in state.editions})
