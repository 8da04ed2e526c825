"""Fold 1 of a rebuild: makes rows of the streams of matches, while the projector stores the rows made before.

A thread, or for long logs several processes, reads, folds and scores the matches of one window of the log after the
other. Only the projector writes, in its transaction.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import groupby
from multiprocessing import current_process

from msgspec import Struct

from league.domain.disputes import NOT_SCORED
from league.domain.match import MatchState
from league.domain.player import Aliases
from league.eventlog import codec
from league.eventlog.codec import UNFOLDED
from league.eventlog.records import match_after
from league.eventlog.store import EventStore
from league.infra.processes import cores, in_order, process_pool
from league.projections import tables as t
from league.projections.copy_rows import as_blocks, copy_blocks
from league.projections.folds.match_fold import RulesTimeline
from league.projections.runs import Conn
from league.projections.writers.match_rows import (
    ScoredRows,
    TouchedMatches,
    competitors_in,
    dispute_rows,
    fact_row,
    match_players,
    pending_rows,
    remove_facts,
    remove_matches,
    remove_reviews,
)

WORTH_PROCESSES = 150_000
"""Events. Folding fewer events takes less time than starting a process."""
MOST_PROCESSES = 4
"""More processes would only wait for the one that stores."""
AHEAD = 2
"""How many windows each process may be ahead of the one whose rows are stored."""


class LogPart(Struct, frozen=True):
    """A part of the log whose matches are scored under the same rules."""

    run: int
    after: int
    """The position before its first event."""
    until: int
    """The position of its last event."""
    rules: RulesTimeline
    aliases: Aliases


class LogWindow(Struct, frozen=True):
    """The matches of a part whose first event in it lies after `after`, up to and including `until`."""

    part: LogPart
    after: int
    until: int


class ScoredWindow(Struct):
    """The scored matches of a window."""

    until: int
    """The end of the window."""
    known: list[str]
    """The matches that have facts from an earlier part."""
    scored_again: list[str]
    """The known matches that the part scores again."""
    rows: dict[str, list[bytes]]
    """The blocks of rows by table, as `copy_blocks` takes them."""
    touched: TouchedMatches
    competitors: frozenset[str]
    """The players and pairs in the matches."""
    last: int
    """The position of the last event that affects the score of a match; 0 without matches."""


Score = Callable[[LogPart, int], Iterator[ScoredWindow]]
"""Scores the matches of a part, in windows of the given number of positions."""


@contextmanager
def scoring(store: EventStore, events: int) -> Iterator[Score]:
    """Start what scores the matches of a log: several processes, or for few events a thread of this process."""
    # A daemon process, such as the projector beside `league serve`, may not start processes.
    processes = 1 if events < WORTH_PROCESSES or current_process().daemon else min(cores(), MOST_PROCESSES)
    if processes == 1:
        with ThreadPoolExecutor(1) as thread:  # it scores while the database stores
            yield lambda part, size: in_order(thread, partial(score, store), _windows(part, size), AHEAD)
        return
    pool = process_pool(processes)
    try:
        for _ in range(processes):  # they start while the projector empties the tables
            pool.submit(_begin, store.url)
        work = partial(_score_apart, store.url)
        yield lambda part, size: in_order(pool, work, _windows(part, size), AHEAD * processes)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _windows(part: LogPart, size: int) -> Iterator[LogWindow]:
    for after in range(part.after, part.until, size):
        yield LogWindow(part, after, min(after + size, part.until))


def _begin(url: str) -> None:
    _store_at(url)


def _score_apart(url: str, window: LogWindow) -> ScoredWindow:
    return score(_store_at(url), window)


@cache
def _store_at(url: str) -> EventStore:
    """The log, opened once in a process that scores. Such a process makes no reference cycles to be collected."""
    gc.disable()
    return EventStore(url, codec)


def score(store: EventStore, window: LogWindow) -> ScoredWindow:
    """Read the matches of a window as of the end of its part, score them, and make their rows."""
    part = window.part
    states: dict[str, MatchState] = {}
    positions: dict[str, int] = {}
    known: set[str] = set()
    unmoved: set[str] = set()
    last = 0
    events = store.changed_streams("match:", window.after, window.until, part.after, part.until, UNFOLDED)
    for stream, of_stream in groupby(events, key=lambda stored: stored.stream):
        match, its = stream.partition(":")[2], list(of_stream)
        states[match], positions[match] = match_after(its), its[-1].position
        if its[0].position <= part.after:
            known.add(match)
        last_scored = next(one.position for one in reversed(its) if not isinstance(one.event, NOT_SCORED))
        last = max(last, last_scored)
        if last_scored <= part.after:
            unmoved.add(match)  # what players say about a result does not move it
    new = {match: state for match, state in states.items() if match not in known}
    moved = {match: state for match, state in states.items() if match not in unmoved}
    made = ScoredRows(part.run, moved, part.rules, part.aliases)
    facts = (fact_row(match, state, positions[match]) for match, state in states.items())
    tables = (
        (t.match_facts, facts),
        (t.match_players, match_players(new, part.aliases)),
        (t.disputes, dispute_rows(states)),
        (t.pending_matches, pending_rows(states)),
        *made.by_table(),
    )
    rows = {table.name: list(as_blocks(table, its_rows)) for table, its_rows in tables}
    return ScoredWindow(
        window.until, sorted(known), sorted(known - unmoved), rows, made.touched(), competitors_in(made.states), last
    )


def store_scored(conn: Conn, run: int, scored: ScoredWindow) -> TouchedMatches:
    """Store the rows of a window. They replace the rows that its matches have from an earlier part."""
    remove_facts(conn, scored.known)
    remove_reviews(conn, scored.known)
    removed = remove_matches(conn, run, scored.scored_again)
    for name, blocks in scored.rows.items():
        table = t.metadata.tables[name]
        copy_blocks(conn, table, blocks, run if table in t.RUN_TABLES else None)
    return removed.and_also(scored.touched)
