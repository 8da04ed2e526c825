"""The projector: follows the log and keeps the official run of the league up to date.

Rows and position are committed together, so the process may be killed at any moment. An advisory lock lets only one
projector run.
"""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

import msgspec
import psycopg
from psycopg import sql

from league.domain.league import MonthClosed
from league.domain.rulebook import EditionAdopted
from league.domain.sentences import say
from league.eventlog import sealing
from league.eventlog.codec import UNFOLDED
from league.eventlog.recorder import EVENTS
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.infra.database import connect, is_told
from league.projections import notices, promotions, runs
from league.projections.folds.match_fold import RulesTimeline
from league.projections.page_fold import FoldedPage, PageFold, Progress
from league.projections.promotions import LoggedPromotion
from league.projections.replays.replay import fold_beside
from league.projections.rows_again import write_again
from league.projections.runs import Conn, first_value, raise_generation, tell_state
from league.projections.writers import catalogue
from league.projections.writers.checkpoints import LeagueFoldState
from league.projections.writers.league_rows import FoldCause, fold_from, write_difference
from league.projections.writers.play_metrics import count_play
from league.projections.writers.scored_matches import Score, scoring
from league.projections.writers.series_rows import close_month, reopen_month

ADVISORY_LOCK = 7_120_431_151
PAGE = 20_000
WINDOW = 5_000
"""Positions that a rebuild scores at once."""
SWEEPS = 10
"""Attempts to remove a retired run before the removal is put off."""


class ProjectionLag(msgspec.Struct, frozen=True):
    """How far the read tables are behind the log. Events of live tables do not count: they are not projected."""

    position: int
    head: int
    seconds: float
    """Seconds since the oldest event that is not projected was recorded; 0 if there is none."""


class AnotherProjector(Exception):
    """Another process is already projecting this league."""


class Projector:
    """Folds the log into the official run. Owns one connection and, during its lifetime, the advisory lock.

    Raises AnotherProjector when the lock is held.
    """

    def __init__(self, url: str, store: EventStore, page: int = PAGE) -> None:
        self._store, self._page = store, page
        self._conn = self._open(url)
        self._run = 0
        self._rules = RulesTimeline((), {})
        self._folded: LeagueFoldState | None = None
        self._analyzed = 0
        self._promotions: list[LoggedPromotion] | None = None
        """The promotions to fold again, whose rows are not there; None: not read yet."""
        try:
            runs.sweep(self._conn)
        except BaseException:
            self.close()
            raise

    def _open(self, url: str) -> Conn:
        conn = connect(url, autocommit=True)
        if not first_value(conn, "SELECT pg_try_advisory_lock(%s)", (ADVISORY_LOCK,)):
            conn.close()
            raise AnotherProjector(say("another process projects this league"))
        return conn

    def _hold_names(self) -> None:
        """Erasures wait until this transaction has written the names that it reads."""
        sealing.hold_names(self._conn)

    def _is_outdated(self) -> bool:
        """Whether another version of the folds folded the rows, or the league was restored and not folded since."""
        code = first_value(self._conn, "SELECT code FROM runs JOIN official_run USING (run)")
        return code not in (None, runs.FOLDS)

    def _end_of_journal(self) -> int:
        """The position of the last event that moved a rating, as far as the journal is written."""
        return int(first_value(self._conn, "SELECT coalesce(max(position), 0) FROM journal"))

    def _sweep(self) -> None:
        """Remove retired runs; runs that a replay holds for longer are left to the next projector's start."""
        for _ in range(SWEEPS):
            if runs.sweep(self._conn):
                return
            time.sleep(0.2)

    def close(self) -> None:
        """Release the lock."""
        # Closing the connection releases it too, but only once the server notices.
        with suppress(psycopg.Error):
            self._conn.execute("SELECT pg_advisory_unlock(%s)", (ADVISORY_LOCK,))
        self._conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def catch_up(self, progress: Progress | None = None) -> int:
        """Project everything that is in the log now. Returns the position reached."""
        while True:
            if self._is_outdated():
                # What follows is journaled step by step; a promotion is folded again as a whole.
                self.rebuild(progress, until=promotions.whole_until(self._conn, self._end_of_journal()))
            position, head = self._step()
            if progress is not None:
                progress(position, head)
            if position >= head:
                count_play(self._conn, self._store, position)
                return position

    def follow(self, stop: Callable[[], bool], idle: float = 1.0) -> None:
        """Project events as they arrive, until `stop()` returns true, which is asked at least every `idle` seconds.

        Asks the database nothing until it announces an event.
        """
        self._conn.execute(f"LISTEN {EVENTS}")  # before the first look, so that no event is missed
        while not stop():
            position = self.catch_up()
            while not stop() and self._store.followed_head() <= position:
                while not stop() and not is_told(self._conn, idle):
                    pass

    def rebuild(
        self, progress: Progress | None = None, until: int | None = None, *, rows_of_commands: bool = True
    ) -> int:
        """Fold the whole log again into a new run, which replaces the official one. Returns its position.

        Readers see the old run until the end. `until`: stop at this position instead of the log's head.
        `rows_of_commands`: first make the rows again that commands write with their events, up to the head.
        """
        if rows_of_commands:
            write_again(self._conn, self._store)
        with self._fresh_on_error(), _without_garbage_collection(), self._conn.transaction():
            self._hold_names()
            before = runs.official_run(self._conn, lock=True)
            if before is not None:
                self._journal_promotion(before)
            journaled = runs.journaled(self._conn)
            head = self._store.followed_head() if until is None else until
            with scoring(self._store, head) as score:
                with self._conn.pipeline():
                    self._start_run()
                    for table in catalogue.SHARED_TABLES:
                        self._conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
                    # The log will say again which editions are published.
                    self._conn.execute("UPDATE editions SET edition = NULL")
                position = self._fold_parts(score, head, progress, journal=journaled is None)
            if journaled is not None:
                write_difference(self._conn, "rebuild", position, self._run)
            runs.set_journaled(self._conn, self._run)
            self._analyze(position)
            if before is not None:
                runs.retire(self._conn, before)
            raise_generation(self._conn)
        self._promotions = None
        self._sweep()
        return position

    def _fold_parts(self, score: Score, head: int, progress: Progress | None, *, journal: bool) -> int:
        """Fold the log up to a position, and the run of each promotion again. Returns the position reached.

        The run is attached afterwards. `journal`: write the journal from the beginning.
        """
        others, position = _UpTo(self._store.events_apart_from("match:", head, UNFOLDED)), 0
        again = [one for one in promotions.unwritten(self._conn) if one.position <= head]
        for promotion in (*again, None):
            until = head if promotion is None else promotion.folded_to
            while position < until:
                fold = PageFold(self._conn, self._run, self._rules)
                part, size = others.up_to(until), min(self._page, WINDOW)
                page = fold.take_part(part, position, until, score, size, progress)
                position = page.reached
                self._fold(page, page.cause if journal else None)
            if promotion == next(iter(again), None):
                self._attach()  # the run of each promotion is attached when it is folded
            if promotion is not None:
                self._promote(promotion, journal=journal)
        return position

    def _step(self) -> tuple[int, int]:
        """Run one transaction: a page of events, the folds, the position. Returns the position and that of the head."""
        with self._fresh_on_error(), self._conn.transaction():
            self._hold_names()
            journal_changed = self._take_up_run()
            head, position = self._store.followed_head(), runs.position_of(self._conn, self._run)
            promotion = self._next_promotion(position, head)
            until = head if promotion is None else promotion.folded_to
            moves = position < until
            if moves:
                events = self._store.followed_after(position, until, self._page, skip=UNFOLDED)
                # The last events before the end may all be ones that are not read.
                reached = events[-1].position if len(events) == self._page else until
                position = self._fold_page(events, reached)
                if position >= 2 * self._analyzed:
                    self._analyze(position)
            elif promotion is not None:
                self._promote(promotion, journal=True)
                journal_changed = True
            if journal_changed:
                raise_generation(self._conn)
            elif moves:
                tell_state(self._conn)
        return position, head

    def _take_up_run(self) -> bool:
        """Go on with the official run, whichever it is now. Returns whether the journal has changed."""
        run = runs.official_run(self._conn, lock=True)
        if run is None:
            self._start_run()
            self._attach()
            runs.set_journaled(self._conn, self._run)
        elif run != self._run:
            self._run, self._rules, self._folded = run, catalogue.rules_of_run(self._conn, run), None
            self._analyzed = runs.position_of(self._conn, run)
            return self._journal_promotion(run)
        return False

    def _journal_promotion(self, run: int) -> bool:
        """Record the promotion of this run in the journal, unless it is there already. Returns whether it was not."""
        journaled = runs.journaled(self._conn)
        if journaled is None or journaled == run:
            return False
        # Nothing was folded into the run since it was promoted.
        adopted = runs.adopted_at(self._conn)
        assert adopted is not None, "only a promotion makes a run official that the journal does not know"
        write_difference(self._conn, "promotion", adopted, run)
        runs.set_journaled(self._conn, run)
        return True

    def _fold_page(self, events: list[LoggedEvent], reached: int) -> int:
        """Fold the next page of events, and tell of a correction or an adoption. Returns the position reached."""
        before = self._rules
        page = PageFold(self._conn, self._run, self._rules).take_page(events, reached)
        told = page.alone is not None and isinstance(page.alone.event, (*notices.CORRECTIONS, EditionAdopted))
        rewritten = notices.before_fold(self._conn, self._run, page.touched.earliest, before) if told else None
        self._fold(page, page.cause)
        if page.alone is not None and rewritten is not None:
            notices.tell_of_fold(self._conn, self._run, page.alone, rewritten, self._rules)
        return page.reached

    # ------------------------------------------------------------ promotions folded again

    def _next_promotion(self, position: int, head: int) -> LoggedPromotion | None:
        """The next promotion that has to be folded again, as after a restore; None if there is none up to the head.

        Promotions that others carry out meanwhile have their rows.
        """
        if self._promotions is None:
            self._promotions = promotions.unwritten(self._conn)
        following = (one for one in self._promotions if position <= one.folded_to and one.position <= head)
        return next(following, None)

    def _promote(self, promotion: LoggedPromotion, *, journal: bool) -> None:
        """Fold the run of a promotion again, store what it moved, and go on with it. The run before is attached."""
        before, rules = self._run, promotions.rules_of(self._store, promotion)
        for edition in rules.editions.values():
            catalogue.store_edition(self._conn, edition, None)
        self._analyze(promotion.folded_to)
        self._run = self._make_run(rules, promotion.folded_to)
        fold_beside(self._conn, before, self._rules, self._run, rules)
        self._rules, self._folded = rules, None
        self._attach()
        self._analyze(promotion.folded_to)
        promotions.write_moves(self._conn, before, self._run, promotion.folded_to)
        figures = promotions.figures_of(self._conn, before, self._run, promotion.folded_to)
        promotions.write_figures(self._conn, promotion, figures)
        runs.make_official(self._conn, self._run)
        runs.retire(self._conn, before)
        if journal:
            write_difference(self._conn, "promotion", promotion.position, self._run)
        runs.set_journaled(self._conn, self._run)
        if self._promotions is not None:
            self._promotions = [one for one in self._promotions if one != promotion]

    def _start_run(self) -> None:
        """Create an empty run, which becomes the official one when this transaction commits."""
        self._rules, self._folded, self._analyzed = RulesTimeline((), {}), None, 0
        self._run = self._make_run(self._rules, 0)
        runs.make_official(self._conn, self._run)

    def _make_run(self, rules: RulesTimeline, position: int) -> int:
        return runs.new_run(self._conn, rules, position)

    def _attach(self) -> None:
        """Make the run visible to readers once this transaction commits."""
        runs.attach(self._conn, self._run)

    def _analyze(self, position: int) -> None:
        """Analyze a run that has doubled: autovacuum would come only after the first readers."""
        runs.analyze(self._conn, self._run)
        self._analyzed = position

    def _fold(self, page: FoldedPage, cause: FoldCause | None) -> None:
        """Apply fold 2 to what fold 1 made of a page, and then the closing or the reopening of a month."""
        self._rules = page.rules
        self._folded = fold_from(self._conn, self._run, self._rules, page.touched, self._folded, cause)
        if page.publishing is not None:
            publish = close_month if isinstance(page.publishing.event, MonthClosed) else reopen_month
            publish(self._conn, self._run, self._rules, page.publishing)

    @contextmanager
    def _fresh_on_error(self) -> Iterator[None]:
        """After an error, drop the state in memory: it may be ahead of what was committed."""
        try:
            yield
        except BaseException:
            self._run, self._rules, self._folded, self._promotions = 0, RulesTimeline((), {}), None, None
            raise


class _UpTo:
    """Reads events in order, each time up to some position."""

    def __init__(self, events: Iterator[LoggedEvent]) -> None:
        self._events = events
        self._next: LoggedEvent | None = None

    def up_to(self, position: int) -> Iterator[LoggedEvent]:
        """The events that were not read yet, up to a position."""
        while True:
            stored, self._next = self._next or next(self._events, None), None
            if stored is None:
                return
            if stored.position > position:
                self._next = stored
                return
            yield stored


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Turn garbage collection off: a fold makes no reference cycles, and looking for them took a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def lag(conn: Conn) -> ProjectionLag:
    """How far the official run is behind the log."""
    row = conn.execute(
        "SELECT coalesce((SELECT position FROM runs JOIN official_run USING (run)), 0),"
        " coalesce((SELECT max(position) FROM followed_events), 0)"
    ).fetchone()
    assert row is not None
    position, head = row
    oldest = conn.execute(
        "SELECT extract(epoch FROM clock_timestamp() - recorded_at) FROM followed_events"
        " WHERE position > %s ORDER BY position LIMIT 1",
        (position,),
    ).fetchone()
    return ProjectionLag(position, head, float(oldest[0]) if oldest else 0.0)
