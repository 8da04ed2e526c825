"""Snapshots: a reader sees one state of a run, usually the official one, unaffected by later commits.

A snapshot protects its run from removal. Questions that take few milliseconds of Python are declared `short`.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct, field
from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError

from league.domain.refusals import NotFound
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.infra.database import READER
from league.projections import tables as t
from league.projections.boards.board import (
    DisplayRules,
    display_rules_at,
    display_rules_now,
    display_rules_of_row,
    read_edition,
    unread_document,
)
from league.projections.queries.readable import readable_run
from league.projections.runs import ReadState

# ---------------------------------------------------------------- short questions


F = TypeVar("F", bound=Callable[..., Any])


def short(ask: F) -> F:
    """Declare that a question takes few milliseconds of Python, even when it is asked for as much as is allowed.

    How long PostgreSQL takes does not matter. A question without the declaration is asked in a thread.
    """
    return short_if(lambda *_, **__: True)(ask)


def short_if(is_now: Callable[..., bool]) -> Callable[[F], F]:
    """Like `short`, for a question that takes long only sometimes. `is_now` gets what the question gets."""

    def declare(ask: F) -> F:
        ask.is_short = is_now  # type: ignore[attr-defined]  # functions have no such attribute by themselves
        return ask

    return declare


def is_short(ask: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
    """Whether a question with these arguments, a snapshot first, takes few milliseconds of Python."""
    declared: Callable[..., bool] | None = getattr(ask, "is_short", None)
    return declared is not None and declared(*args, **kwargs)


# ---------------------------------------------------------------- the run that is read


LISTED_BY = "league replays"
NAMED = 10
"""The number of latest runs that an error names."""


def chosen_run(conn: Connection, run: int | None, *, drafts: bool = False) -> int:
    """The requested run, or the official one; it cannot be removed until the transaction of `conn` ends.

    `drafts`: for somebody who may read drafts; to others a run that they may not read is not there. Call it before
    reading anything else in that transaction. Raises NotFound.
    """
    ready = select(t.runs.c.run).where(t.runs.c.run == run, t.runs.c.ready, readable_run(t.runs.c.run, drafts=drafts))
    while True:
        found: int | None = conn.scalar(select(t.official_run.c.run) if run is None else ready)
        if found is None:
            if run is None:
                raise NotFound("run", "run", say("of the league yet"))
            known = (t.runs.c.ready, readable_run(t.runs.c.run, drafts=drafts))
            there = select(t.runs.c.run).where(*known).order_by(t.runs.c.run.desc()).limit(NAMED)
            raise NotFound("run", "run", str(run), tuple(map(str, reversed(conn.scalars(there).all()))), LISTED_BY)
        if hold(conn, found):
            return found


def hold(conn: Connection, run: int) -> bool:
    """Protect a run from removal until the transaction ends; False, in a new transaction, if it is already gone.

    A transaction that sees a run also sees its rows, but a dropped table is gone for every transaction. `runs.sweep`
    locks the same table first.
    """
    held: bool = conn.execute(select(func.hold_run(run))).scalar_one()
    if not held:
        conn.rollback()
    return held


# ---------------------------------------------------------------- snapshots


_ZONE = select(t.league.c.time_zone).scalar_subquery()
_GENERATION = select(t.generation.c.number).scalar_subquery()

_r = t.runs.c
_OFFICIAL = select(
    _r.run,
    _r.position,
    _r.latest_decided_at,
    _r.shown_edition,
    unread_document(_r.shown_edition).label("document"),
    _ZONE.label("zone"),
    _GENERATION.label("generation"),
    func.hold_run(_r.run).label("held"),
).join(t.official_run, t.official_run.c.run == _r.run)
_AS_READER = func.set_config("role", READER, True)  # PostgreSQL's own arguments
_OFFICIAL_AS_READER = _OFFICIAL.add_columns(_AS_READER)

NO_RUN = -1
"""No run has this id: before the first projection every query returns no rows."""


class Snapshot(Struct, frozen=True):
    """A read-only transaction, its run, and the position up to which that run is folded."""

    conn: Connection
    run: int
    position: int
    shown: DisplayRules | None = None
    """The display rules now; None without a decided match."""
    zone: str = "UTC"
    """The time zone in which the league's months begin and end."""
    generation: int | None = None
    """The generation of the official run, which with its position determines its rows. None for another run."""
    taken_at: float = field(default_factory=time.monotonic)
    """The monotonic time at which the snapshot was taken."""

    @property
    def state(self) -> ReadState | None:
        """The state of the read side; None for a run that is not read as the official one."""
        return None if self.generation is None else ReadState(self.generation, self.run, self.position)

    def shown_as_of(self, moment: datetime | None) -> DisplayRules | None:
        """The display rules at a moment of play: those of the latest match decided by then. None: now."""
        if self.shown is None or moment is None:
            return self.shown
        return display_rules_at(self.conn, self.run, [moment]).get(moment)

    def close(self) -> None:
        """Release the connection. If it has broken, what was read before remains valid."""
        with suppress(DBAPIError):
            self.conn.close()


def snapshot_of(conn: Connection, run: int) -> Snapshot:
    """The snapshot of a run that `chosen_run` has selected in this transaction."""
    row = conn.execute(select(t.runs.c.position, _ZONE.label("zone")).where(t.runs.c.run == run)).one()
    return Snapshot(conn, run, row.position, display_rules_now(conn, run), row.zone or "UTC")


def snapshot_beside(snapshot: Snapshot, run: int | None, *, drafts: bool = False) -> Snapshot:
    """Another run, read in the same transaction; None: the official one. `drafts`: as in `chosen_run`.

    Raises NotFound.
    """
    r, o = t.runs.c, t.official_run.c
    readable = select(r.run).where(r.run == run, r.ready, readable_run(r.run, drafts=drafts))
    wanted = select(o.run) if run is None else readable
    found: int | None = snapshot.conn.scalar(wanted)
    if found is None or not snapshot.conn.scalar(select(func.hold_run(found))):
        raise NotFound("run", "run", "of the league yet" if run is None else str(run))
    return snapshot_of(snapshot.conn, found)


def take_snapshot(engine: Engine, *, as_reader: bool = False) -> Snapshot:
    """Start reading: one statement finds the run and protects it from removal. The caller closes `conn`.

    `as_reader`: the database refuses to read anything that does not follow from the snapshot's state.
    """
    conn = _connect(engine)
    statement = _OFFICIAL_AS_READER if as_reader else _OFFICIAL
    try:
        while (row := conn.execute(statement).one_or_none()) is not None:
            if row.held:
                return Snapshot(
                    conn, row.run, row.position, display_rules_of_row(row), row.zone or "UTC", row.generation
                )
            conn.rollback()
        if as_reader:
            conn.execute(select(_AS_READER))
    except BaseException:
        conn.close()
        raise
    return Snapshot(conn, NO_RUN, 0)


def take_snapshot_of(engine: Engine, run: int, *, drafts: bool) -> Snapshot:
    """Start reading this run, protected from removal. `drafts`: as in `chosen_run`. The caller closes `conn`.

    Raises NotFound.
    """
    conn = _connect(engine)
    try:
        return snapshot_of(conn, chosen_run(conn, run, drafts=drafts))
    except BaseException:
        conn.close()
        raise


def _connect(engine: Engine) -> Connection:
    return engine.connect().execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


# ---------------------------------------------------------------- editions


def read_rulebook(snapshot: Snapshot, hash_: str) -> Rulebook:
    """The rules of the edition whose hash a row refers to."""
    return read_edition(snapshot.conn, hash_)


@short
def published_rulesets(snapshot: Snapshot) -> set[str]:
    """The names of the rulesets of all published editions."""
    e = t.editions.c
    hashes = snapshot.conn.scalars(select(e.hash).where(e.edition.is_not(None))).all()
    return {name for hash_ in hashes for name in read_rulebook(snapshot, hash_).rulesets}


def ruleset_titles(snapshot: Snapshot) -> dict[str, str]:
    """The titles of the rulesets of all published editions by name; the newest edition decides."""
    e = t.editions.c
    hashes = snapshot.conn.scalars(select(e.hash).where(e.edition.is_not(None)).order_by(e.edition)).all()
    return {name: one.title for hash_ in hashes for name, one in read_rulebook(snapshot, hash_).rulesets.items()}
