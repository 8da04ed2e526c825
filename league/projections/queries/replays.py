"""Replays, each with its run and whether that run can be promoted."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, cast, func, or_, select, true
from sqlalchemy.dialects.postgresql import JSONB

from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot

p, r, o = t.replays.c, t.runs.c, t.official_run.c

LATEST_FIRST = Order((p.replay,), descending=True)


class ReplayRow(NamedTuple):
    """A replay and its run: `ready_run` and the fields after it are None without a run."""

    replay: int
    title: str | None
    starts_at: datetime | None
    ends_at: datetime | None
    known_at: datetime | None
    requested_by: str
    requested_at: datetime
    failure: str | None
    attempts: int
    done: int
    total: int
    cancelled_at: datetime | None
    run: int | None
    ready_run: int | None
    position: int | None
    timeline: list[Any] | None  # a JSON document: the spans of the timeline
    is_official: bool | None
    is_outdated: bool | None


def replays() -> Query:
    """Every replay. The columns of its run are null if it has no run yet, or no longer has one."""
    official = t.runs.alias("official")
    is_official = (o.run == r.run).label("is_official")
    revises_others = and_(r.base.is_not(None), r.base != official.c.timeline)
    is_outdated = and_(o.run != r.run, or_(revises_others, r.code != official.c.code)).label("is_outdated")
    asked = [column for column in p if column.key not in ("candidate", "run")]
    title = cast(func.convert_from(p.candidate, "UTF8"), JSONB)["title"].astext.label("title")
    of_run = (r.run.label("ready_run"), r.position, r.timeline, is_official, is_outdated)
    joined = (
        t.replays.outerjoin(t.runs, and_(r.run == p.run, r.ready))
        .outerjoin(t.official_run, true())
        .outerjoin(official, official.c.run == o.run)
    )
    return select(*asked, title, p.run, *of_run).select_from(joined)


def replay(snapshot: Snapshot, number: int) -> ReplayRow | None:
    """The replay of a number."""
    return next(typed(ReplayRow, snapshot.conn.execute(replays().where(p.replay == number))), None)


def folding_known_at(conn: Connection, moment: datetime) -> int | None:
    """The replay without a revision that is to show what was known at a moment; None if there is none."""
    query = select(func.max(p.replay)).where(p.known_at == moment, p.candidate.is_(None), p.unfinished)
    found: int | None = conn.scalar(query)
    return found


def state_of(row: ReplayRow) -> str:
    """The state of a replay: `waiting`, `running`, `done`, `promoted`, `failed`, `cancelled`, `dropped`."""
    if row.cancelled_at is not None:
        return "cancelled"
    if row.failure is not None:
        return "failed"
    if row.run is None:
        return "running" if row.attempts else "waiting"
    if row.ready_run is None:
        return "dropped"
    return "promoted" if row.is_official else "done"
