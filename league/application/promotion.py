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
from msgspec.structs import replace

from league.application.dispatch import Clock
from league.application.earlier_rules import adopted_timelines, rules_to_bring_back
from league.application.promotion_preview import PromotionPreview, check_preview, preview_of
from league.application.rulesets_in_use import check_unfolded_matches, in_use
from league.application.storing import first_answer
from league.application.stream_states import StreamStates
from league.domain.audit_trail import STREAM, RolledBack, RunPromoted
from league.domain.candidates import checked_title
from league.domain.refusals import Conflict, KeyReused, Refusal
from league.domain.rulebook import AdoptTimeline, EditionPublished, RulebookEvent, RulebookState, adopt_timeline, evolve
from league.domain.sentences import say
from league.domain.timeline import Timeline, replaced_edition
from league.domain.wrong_states import NotACandidate, RunIsOfficial, RunIsOutdated
from league.eventlog.records import Append, AppendRequest, IdempotencyKeyTaken, state_after
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections import notices, promotions, runs
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.notices import NoticeBody
from league.projections.promotions import LoggedPromotion
from league.projections.replays.replay import catch_up, fold_under
from league.projections.runs import raise_generation
from league.projections.writers import catalogue

ATTEMPTS = 10
"""Limit on attempts. If rules were adopted or a month was closed meanwhile, the projector must go first."""

RULED_AFTER = "SELECT FROM followed_events WHERE originator_id IN ('league', 'rulebook') AND position > %s LIMIT 1"
"""Finds changes of rules, months and settings that the official run must fold before a promotion."""

PromotingAct = RunPromoted | RolledBack
ActOf = Callable[[int, int], PromotingAct]
"""Makes the act to store, from the new official run and the previous one."""

log = structlog.get_logger()


class ProjectFirst(Exception):
    """The official run must be folded further before another run can take its place."""


class _RunBack(Struct, frozen=True):
    """The run under earlier rules."""

    run: int
    position: int
    """The position of the event that adopted these rules."""
    held: Timeline
    """The timeline in force."""


class Promoter(Struct, frozen=True):
    """Promotes runs of one league. `project` brings the official run up to the log, or waits for the projector."""

    url: str
    store: EventStore
    clock: Clock
    project: Callable[[], None]

    def promote(
        self,
        run: int,
        request: AppendRequest,
        reason: str | None = None,
        previewed: str | None = None,
        title: str | None = None,
    ) -> int:
        """Make a run the official one. Returns the position of the adoption, up to which the projector must fold.

        `previewed`: the fingerprint of the preview that the sender has seen. `title`: of the edition that the run
        brings; None: that of the replay. Waits for the projector's present transaction, but not for writers. Raises
        NotFound; WrongState if the run is official already, shows what was known at a moment, revises rules that are no
        longer in force, or changes something else than the preview said; InvalidInput; Conflict if others repeatedly
        change rules or settings; KeyReused; OutOfSpace.
        """
        given = checked_title(title)
        return self._once(request, partial(self._promote, run, request, reason, previewed, given))

    def roll_back(
        self,
        request: AppendRequest,
        reason: str | None = None,
        to: int | None = None,
        previewed: str | None = None,
    ) -> int:
        """Adopt earlier rules again. Returns the position of the adoption.

        `to`: the position of the event that adopted them; None: the latest rules that differ from those in force.
        `previewed`: as for `promote`. Raises NotFound, WrongState if nothing would change or not what the preview said,
        Conflict, KeyReused, OutOfSpace.
        """
        return self._once(request, partial(self._roll_back, request, reason, to, previewed))

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
                raise _is_official(run)
            if not runs.is_ready(conn, run):
                raise runs.no_run(conn, run)
            if runs.shows_known(conn, run):
                raise NotACandidate(
                    say("replay {number}", number=run),
                    say("a look at the past"),
                    say("it shows what was known at a moment, and stays so; start a replay without that moment"),
                )
            if not runs.is_based_on(conn, run, _rules(rulebook.timeline, rulebook)):
                raise RunIsOutdated(
                    say("run {run}", run=run),
                    say("outdated"),
                    say("other rules were adopted since it was computed; compute it again"),
                )

    def preview(self, run: int) -> PromotionPreview:
        """What promoting a run would change now. Folds the run up to the official run's position first.

        Raises NotFound or WrongState if `promote` would refuse this run.
        """
        self.check_promotion(run)
        catch_up(self.url, run)
        return preview_of(self.url, run)

    def preview_back(self, to: int | None = None) -> PromotionPreview:
        """What `roll_back` would change now. Folds a run under the earlier rules if there is none.

        Raises NotFound, WrongState if nothing would change.
        """
        back = self._fold_back(StreamStates(self.store, self.clock()), to)
        catch_up(self.url, back.run)
        return replace(preview_of(self.url, back.run), restores=back.position)

    def _promote(
        self, run: int, request: AppendRequest, reason: str | None, previewed: str | None, given: str | None
    ) -> int:
        timeline = StreamStates(self.store, self.clock()).rulebook().timeline
        self.check_promotion(run)
        with connect(self.url) as conn:
            title, restores = _name_of(conn, run)

        def act_of(run: int, before: int) -> PromotingAct:
            if restores is not None:
                return RolledBack(run, before, given or title, reason, restores)
            return RunPromoted(run, before, given or title, reason)

        return self._adopt(run, request, timeline, act_of, previewed)

    def _roll_back(self, request: AppendRequest, reason: str | None, to: int | None, previewed: str | None) -> int:
        back = self._fold_back(StreamStates(self.store, self.clock()), to)

        def act_of(run: int, before: int) -> PromotingAct:
            return RolledBack(run, before, None, reason, back.position)

        return self._adopt(back.run, request, back.held, act_of, previewed)

    def _fold_back(self, states: StreamStates, to: int | None) -> _RunBack:
        adopted = adopted_timelines((stored.position, stored.event) for stored in states.events("rulebook"))
        with connect(self.url) as conn:
            back = rules_to_bring_back(adopted, to, in_use(conn))
            run = runs.folded_under(conn, back.rules)
        if run is None:
            run = fold_under(self.url, lambda _: back.rules)
        return _RunBack(run, back.position, adopted[-1].rules.timeline)

    def _adopt(
        self, run: int, request: AppendRequest, held: Timeline, act_of: ActOf, previewed: str | None = None
    ) -> int:
        """Adopt the run's timeline in place of `held`, the timeline in force when this was decided."""
        for _ in range(ATTEMPTS):
            try:
                with connect(self.url) as conn:
                    _run_to_replace(conn)
                with self.store.reports_full_disk():
                    # Fold most of the missing events before the lock, while the projector still works.
                    catch_up(self.url, run)
                checked_at = check_preview(self.url, run, previewed)
                with self.store.reports_full_disk(), connect(self.url) as conn:
                    runs.lock_official(conn)
                    before = self._bring_up_on(conn, run)
                    if checked_at != runs.position_of(conn, run):
                        check_preview(self.url, run, previewed)
                    locked_at, position = self._adopt_on(conn, run, before, request, held, act_of)
            except ProjectFirst:
                self.project()
            except IdempotencyKeyTaken as taken:
                raise KeyReused(taken.key) from None
            else:
                held_ms = round((time.monotonic() - locked_at) * 1000)
                log.info("run_promoted", run=run, position=position, lock_held_ms=held_ms)
                return position
        raise Conflict("rulebook")

    def _bring_up_on(self, conn: psycopg.Connection[Any], run: int) -> int:
        """Fold a run up to the official run, which `conn` has locked. Returns the official run. Raises ProjectFirst."""
        before = _run_to_replace(conn)
        if before == run:
            raise _is_official(run)
        # This folds in another transaction. Writers wait until this transaction is on disk, so it must be small.
        catch_up(self.url, run)
        return before

    def _adopt_on(
        self,
        conn: psycopg.Connection[Any],
        run: int,
        before: int,
        request: AppendRequest,
        held: Timeline,
        act_of: ActOf,
    ) -> tuple[float, int]:
        """Adopt in the transaction of `conn`, which the caller commits.

        Returns when it took the log's lock, and the position of the adoption. Raises ProjectFirst.
        """
        rules, folded_to = catalogue.rules_of_run(conn, run), runs.position_of(conn, run)
        # All that is long is stored before the lock of the log.
        promotions.write_moves(conn, before, run, folded_to)
        figures = promotions.figures_of(conn, before, run, folded_to)
        notice = notices.name_players_moved(conn, folded_to)
        act = replace(act_of(run, before), folded_to=folded_to)
        stored = self.store.load_on(conn, "rulebook")
        # Rules that come back have the titles that they had.
        title = act.title if isinstance(act, RunPromoted) else None
        events = _adoption(rules, state_after(stored, evolve, RulebookState()), held, run, title)
        for event in events:
            if isinstance(event, EditionPublished):
                catalogue.store_edition(conn, HashedEdition(event.hash, event.document), event.edition, event.title)
        self.store.lock(conn)
        locked_at = time.monotonic()
        _run_to_replace(conn)  # raises if rules were adopted meanwhile
        rules_before = catalogue.rules_of_run(conn, before)
        check_unfolded_matches(self.store, folded_to, rules_before, rules)
        # The act comes first, so that the position that is returned is that of the adoption.
        done = Append(STREAM, self.store.version_on(conn, STREAM), (act,))
        position = self.store.append_on(conn, [done, Append("rulebook", len(stored), tuple(events))], request)
        runs.promote(conn, run, position)
        promotions.write_figures(conn, LoggedPromotion(folded_to, position), figures)
        revises, edition = replaced_edition(rules_before.hashes(), rules.hashes())
        restores = act.restores if isinstance(act, RolledBack) else None
        moved, largest = figures.players_moved, figures.largest_move
        body = NoticeBody(moved, largest, act.reason, act.title, revises, edition, restores)
        notices.tell(conn, notice, "rollback" if isinstance(act, RolledBack) else "promotion", position, body)
        raise_generation(conn)
        return locked_at, position


def _name_of(conn: psycopg.Connection[Any], run: int) -> tuple[str | None, int | None]:
    """The title that somebody gave the replay of a run, and the position of the adoption whose rules it brings back."""
    query = """
        SELECT CASE WHEN shown_at IS NULL THEN replays.title ELSE shown.title END, restores
        FROM replays LEFT JOIN shown_replays AS shown USING (replay) WHERE run = %s
    """
    row = conn.execute(query, (run,)).fetchone()
    return (None, None) if row is None else (row[0], row[1])


def _is_official(run: int) -> RunIsOfficial:
    return RunIsOfficial(say("run {run}", run=run), say("official"), say("it is the official run"))


def _run_to_replace(conn: psycopg.Connection[Any]) -> int:
    """The official run. Raises ProjectFirst unless it has folded the last change of rules and settings."""
    row = conn.execute("SELECT run, position, code FROM official_run JOIN runs USING (run)").fetchone()
    if row is None:
        raise ProjectFirst
    run, position, code = row
    if code != runs.FOLDS or conn.execute(RULED_AFTER, (position,)).rowcount:
        raise ProjectFirst
    return int(run)


def _adoption(
    rules: RulesTimeline, rulebook: RulebookState, held: Timeline, run: int, title: str | None
) -> list[RulebookEvent]:
    """The events that adopt the rules of a run in place of the timeline `held`. `title`: of the new edition."""
    if rulebook.timeline != held:
        raise RunIsOutdated(
            say("run {run}", run=run),
            say("outdated"),
            say("other rules were adopted meanwhile; compute it again, or roll back again"),
        )
    editions = [(span.start, rules.editions[span.edition]) for span in rules.timeline]
    spans = tuple((start, e.hash, e.rulebook) for start, e in editions)
    return adopt_timeline(AdoptTimeline(spans, title), rulebook)


def _rules(timeline: Timeline, state: RulebookState) -> RulesTimeline:
    return RulesTimeline(timeline, {e.edition: HashedEdition(e.hash, e.document) for e in state.editions})
