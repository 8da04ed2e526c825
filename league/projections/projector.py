"""The projector: follows the log and keeps the official run of the league up to date.

Rows and position are committed together, so it may be killed at any moment; an advisory lock lets only one run.
"""

import gc
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from typing import Self

import msgspec
import psycopg
from psycopg import sql

from league.domain.disputes import NOT_SCORED
from league.domain.league import MonthClosed, MonthReopened, SettingsChanged
from league.domain.match import HandCorrected, MatchReopened, MatchState, MatchVoided
from league.domain.merges import Aliases, MergeUndone, PlayersMerged
from league.domain.rulebook import EditionAdopted
from league.domain.sentences import say
from league.domain.timeline import Timeline
from league.eventlog import sealing
from league.eventlog.codec import UNFOLDED
from league.eventlog.folding import match_after
from league.eventlog.records import Stored
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections import runs
from league.projections.folds.match_fold import Rules, all_read_as
from league.projections.read_state import raise_generation, tell_state
from league.projections.rows_again.making import write_again
from league.projections.runs import Conn
from league.projections.writers import catalogue
from league.projections.writers.dispute_rows import store_reviews
from league.projections.writers.journal import Cause, write_difference
from league.projections.writers.league_rows import Folded, fold_from
from league.projections.writers.match_rows import (
    Touched,
    competitors_in,
    facts_in_pages,
    first_decided,
    load_facts,
    store_facts,
    store_matches,
)
from league.projections.writers.merged_players import aliases_of, facts_of_moved, move_match_players
from league.projections.writers.play_metrics import count_play
from league.projections.writers.publishing import close_month, reopen_month
from league.projections.writers.scored_matches import Part, Score, scoring, store_scored

ADVISORY_LOCK = 7_120_431_151
PAGE = 20_000
WINDOW = 5_000
"""Positions that a rebuild scores at once."""
SWEEPS = 10
"""Attempts to remove a retired run before the removal is put off."""

MERGES = (PlayersMerged, MergeUndone)
PUBLISHING = (MonthClosed, MonthReopened)
APART = (EditionAdopted, HandCorrected, MatchReopened, MatchVoided, *MERGES)
"""Events that get a page of their own, so that the journal can record the effect of each."""

Progress = Callable[[int, int], None]
"""Called with (position reached, position of the head)."""


class Lag(msgspec.Struct, frozen=True):
    """How far the read tables are behind the log. Events of live tables do not count: they are not projected."""

    position: int
    head: int
    seconds: float
    """Seconds since the oldest event that is not projected was recorded; 0 if there is none."""


class Page(msgspec.Struct, frozen=True):
    """What fold 1 made of a page of the log."""

    reached: int
    """The position of the page's last event."""
    touched: Touched
    """The work for fold 2."""
    publishing: Stored | None
    """The event that closes or reopens a month, if one ends the page."""
    cause: Cause
    """The cause for the journal."""


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
        self._rules = Rules((), {})
        self._folded: Folded | None = None
        self._analyzed = 0
        runs.sweep(self._conn)

    def _open(self, url: str) -> Conn:
        conn = connect(url, autocommit=True)
        row = conn.execute("SELECT pg_try_advisory_lock(%s)", (ADVISORY_LOCK,)).fetchone()
        if row is None or not row[0]:
            conn.close()
            raise AnotherProjector(say("another process projects this league"))
        return conn

    def _hold_names(self) -> None:
        """Erasures wait until this transaction has written the names that it reads."""
        sealing.hold_names(self._conn)

    def _is_outdated(self) -> bool:
        """Whether another version of the folds folded the rows, or none because the league was restored."""
        row = self._conn.execute("SELECT code FROM runs JOIN official_run USING (run)").fetchone()
        return row is not None and row[0] != runs.FOLDS

    def _end_of_journal(self) -> int:
        """The position of the last event that moved a rating, as far as the journal is written."""
        row = self._conn.execute("SELECT coalesce(max(position), 0) FROM journal").fetchone()
        assert row is not None
        return int(row[0])

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
                # What follows is journaled step by step.
                self.rebuild(progress, until=self._end_of_journal())
            position, head = self._step()
            if progress is not None:
                progress(position, head)
            if position >= head:
                count_play(self._conn, self._store, position)
                return position

    def follow(self, stop: Callable[[], bool], idle: float = 1.0) -> None:
        """Project events as they arrive, until `stop()` returns true."""
        while not stop():
            self._store.wait(self.catch_up(), idle)

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
            before = runs.official_run(self._conn, keep=True)
            if before is not None:
                self._journal_promotion(before)
            journaled = runs.journaled(self._conn)
            head = self._store.followed_head() if until is None else until
            with scoring(self._store, head) as score:
                with self._conn.pipeline():
                    self._start_run()
                    for table in catalogue.SHARED:
                        self._conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
                    # The log will say again which of them are published.
                    self._conn.execute("UPDATE editions SET edition = NULL")
                others, position = self._store.events_apart_from("match:", head, UNFOLDED), 0
                while position < head:
                    page = self._take_part(others, position, head, score, progress)
                    position = page.reached
                    self._fold(page.touched, page.publishing, page.cause if journaled is None else None)
            self._attach()
            if journaled is not None:
                write_difference(self._conn, "rebuild", position, self._run)
            runs.set_journaled(self._conn, self._run)
            self._analyze(position)
            if before is not None:
                runs.retire(self._conn, before)
            raise_generation(self._conn)
        self._sweep()
        return position

    def _take_part(
        self, others: Iterator[Stored], position: int, head: int, score: Score, progress: Progress | None
    ) -> Page:
        """Apply fold 1 to the log up to the next event that closes or reopens a month.

        `others`: the events of other streams than matches.
        """
        aliases_before, zone_before = aliases_of(self._conn), _time_zone(self._conn)
        ahead = _UpToPublishing(others)
        timeline = catalogue.apply(self._conn, ahead)
        reached = head if ahead.publishing is None else ahead.publishing.position
        aliases = aliases_of(self._conn)
        touched = Touched() if timeline is None else self._adopt(timeline, (), aliases)
        competitors: frozenset[str] = frozenset()
        if aliases != aliases_before:
            again, competitors = self._move(aliases_before, aliases, (), ())
            touched = touched.and_also(again)
        if _time_zone(self._conn) != zone_before:
            # Months begin at other times now, so every match may belong to another month.
            touched = touched.and_also(Touched(first_decided(self._conn, self._run)))
        last = ahead.last_move
        for scored in score(Part(self._run, position, reached, self._rules, aliases), min(self._page, WINDOW)):
            touched = touched.and_also(store_scored(self._conn, self._run, scored))
            competitors, last = competitors | scored.competitors, max(last, scored.last)
            if progress is not None:
                progress(scored.until, head)
        runs.set_position(self._conn, self._run, reached)
        kind = "correction" if touched.corrected else "match"
        kind = "adoption" if timeline is not None else "merge" if aliases != aliases_before else kind
        return Page(reached, touched, ahead.publishing, Cause(kind, last, None, competitors))

    def _step(self) -> tuple[int, int]:
        """Run one transaction: a page of events, the folds, the position. Returns the position and that of the head."""
        with self._fresh_on_error(), self._conn.transaction():
            self._hold_names()
            journal_changed = self._take_up_run()
            head, position = self._store.followed_head(), runs.position_of(self._conn, self._run)
            moves = position < head
            if moves:
                page = self._take_page(self._store.followed_after(position, head, self._page, skip=UNFOLDED), head)
                position = page.reached
                self._fold(page.touched, page.publishing, page.cause)
                if position >= 2 * self._analyzed:
                    self._analyze(position)
            if journal_changed:
                raise_generation(self._conn)
            elif moves:
                tell_state(self._conn)
        return position, head

    def _take_up_run(self) -> bool:
        """Go on with the official run, whichever it is now. Returns whether the journal has changed."""
        run = runs.official_run(self._conn, keep=True)
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

    def _start_run(self) -> None:
        """Create an empty run, which becomes the official one when this transaction commits."""
        self._rules, self._folded, self._analyzed = Rules((), {}), None, 0
        self._run = self._make_run()
        runs.make_official(self._conn, self._run)

    def _make_run(self) -> int:
        return runs.new_run(self._conn, self._rules, position=0)

    def _attach(self) -> None:
        """Make the run visible to readers once this transaction commits."""
        runs.attach(self._conn, self._run)

    def _analyze(self, position: int) -> None:
        """Analyze a run that has doubled: autovacuum would come only after the first readers."""
        runs.analyze(self._conn, self._run)
        self._analyzed = position

    def _fold(self, touched: Touched, publishing: Stored | None, cause: Cause | None) -> None:
        """Apply fold 2, and then the closing or the reopening of a month."""
        self._folded = fold_from(self._conn, self._run, self._rules, touched, self._folded, cause)
        if publishing is not None:
            publish = close_month if isinstance(publishing.event, MonthClosed) else reopen_month
            publish(self._conn, self._run, self._rules, publishing)

    def _take_page(self, page: list[Stored], head: int) -> Page:
        """Apply fold 1 to a page of the log, up to an event of `APART`, or to that one alone."""
        # The last events before the head may all be ones that are not read.
        reached = page[-1].position if len(page) == self._page else head
        alone = next((n for n, stored in enumerate(page) if isinstance(stored.event, APART)), None)
        if alone is not None:
            page = page[: max(alone, 1)]
            reached = page[-1].position
        publishing = next((stored for stored in page if isinstance(stored.event, PUBLISHING)), None)
        if publishing is not None:
            # A month's published list reflects the log up to here.
            reached = publishing.position
            page = [stored for stored in page if stored.position <= reached]
        events: dict[str, list[Stored]] = {}
        others = []
        for stored in page:
            kind, _, id_ = stored.stream.partition(":")
            if kind == "match":
                events.setdefault(id_, []).append(stored)
            elif stored is not publishing:  # applied after the folds
                others.append(stored)
        before = aliases_of(self._conn)
        timeline = catalogue.apply(self._conn, others)
        merged = any(isinstance(each.event, MERGES) for each in others)
        aliases = aliases_of(self._conn) if merged else before
        moved = any(isinstance(each.event, SettingsChanged) and each.event.time_zone is not None for each in others)
        states, new = self._take_facts(events, reached, aliases)
        # What players say about a result does not move it.
        states = {match_id: state for match_id, state in states.items() if _scores(events[match_id])}
        touched = Touched() if timeline is None else self._adopt(timeline, states, aliases)
        touched = touched.and_also(store_matches(self._conn, self._run, states, self._rules, new, aliases))
        competitors = competitors_in(all_read_as(states, aliases))
        if merged:
            again, whose = self._move(before, aliases, states, new)
            touched, competitors = touched.and_also(again), competitors | whose
        if moved:
            # Months begin at other times now, so every match may belong to another month.
            touched = touched.and_also(Touched(first_decided(self._conn, self._run)))
        runs.set_position(self._conn, self._run, reached)
        kind = "correction" if touched.corrected else "match"
        kind = "adoption" if timeline is not None else "merge" if merged else kind
        match = next(iter(states)) if len(states) == 1 else None
        return Page(reached, touched, publishing, Cause(kind, _last_move(page), match, competitors))

    def _take_facts(
        self, events: dict[str, list[Stored]], position: int, aliases: Aliases
    ) -> tuple[dict[str, MatchState], set[str]]:
        """Store the facts of the matches that these events change, and find out which matches are new."""
        if not events:
            return {}, set()
        known = load_facts(self._conn, events)
        after = ((match_id, match_after(its, known.get(match_id))) for match_id, its in events.items())
        states = store_facts(self._conn, after, known, position, aliases)
        store_reviews(self._conn, states, known)
        return states, events.keys() - known.keys()

    def _adopt(self, timeline: Timeline, but: Container[str], aliases: Aliases) -> Touched:
        """Change to another timeline: score again every match whose edition has changed.

        `but`: the matches of this page, which are scored with its other matches.
        """
        before, self._rules = self._rules, Rules(timeline, catalogue.published(self._conn))
        runs.set_timeline(self._conn, self._run, self._rules)
        touched = Touched(rules=True)
        if not before.timeline:
            return touched
        for states in facts_in_pages(self._conn):
            moved = {
                match_id: state
                for match_id, state in states.items()
                if match_id not in but
                and state.played
                and before.at(state.played.began_at).hash != self._rules.at(state.played.began_at).hash
            }
            touched = touched.and_also(store_matches(self._conn, self._run, moved, self._rules, set(), aliases))
        return touched

    def _move(
        self, before: Aliases, after: Aliases, states: Container[str], new: Container[str]
    ) -> tuple[Touched, frozenset[str]]:
        """Store the matches again whose players are read as others than before. Returns also all competitors in them.

        `states`: the matches of this page, which are stored already; `new`: those among them that were not there.
        """
        touched, competitors = Touched(), frozenset[str]()
        for page in facts_of_moved(self._conn, before, after, stored=before):
            moved = {match_id: state for match_id, state in page.items() if match_id not in new}
            move_match_players(self._conn, moved, before, after)
            competitors |= competitors_in(all_read_as(moved, before)) | competitors_in(all_read_as(moved, after))
            again = {match_id: state for match_id, state in moved.items() if match_id not in states}
            touched = touched.and_also(store_matches(self._conn, self._run, again, self._rules, (), after))
        return touched, competitors

    @contextmanager
    def _fresh_on_error(self) -> Iterator[None]:
        """The state in memory may be ahead of what was committed."""
        try:
            yield
        except BaseException:
            self._run, self._rules, self._folded = 0, Rules((), {}), None
            raise


class _UpToPublishing:
    """The next events, without the one that closes or reopens a month, which ends them."""

    def __init__(self, events: Iterator[Stored]) -> None:
        self._events = events
        self.publishing: Stored | None = None
        """The event that ended them, once they are read."""
        self.last_move = 0
        """The position of the last of them that may move ratings."""

    def __iter__(self) -> Iterator[Stored]:
        for stored in self._events:
            if isinstance(stored.event, PUBLISHING):
                self.publishing = stored
                return
            if _moves(stored):
                self.last_move = stored.position
            yield stored


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """A fold makes no circles of objects: to look for them among all that it holds took a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _scores(events: list[Stored]) -> bool:
    """Whether the events of a match may change its score, or whether it is decided."""
    return any(not isinstance(stored.event, NOT_SCORED) for stored in events)


def _moves(stored: Stored) -> bool:
    """Whether an event may move ratings."""
    if stored.stream.startswith("match:"):
        return not isinstance(stored.event, NOT_SCORED)
    return isinstance(stored.event, (EditionAdopted, *MERGES))


def _last_move(page: list[Stored]) -> int:
    """The position of the last event of a page that may move ratings."""
    return max((stored.position for stored in page if _moves(stored)), default=0)


def _time_zone(conn: Conn) -> str | None:
    row = conn.execute("SELECT time_zone FROM league").fetchone()
    return None if row is None else row[0]


def lag(conn: Conn) -> Lag:
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
    return Lag(position, head, float(oldest[0]) if oldest else 0.0)
