"""The league's settings, seasons, editions and the timeline of its rules; and replays under other rules."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, and_, case, cast, func, or_, select, true
from sqlalchemy.dialects.postgresql import JSONB

from league.projections import tables as t
from league.projections.queries.pages import Order, Query, typed
from league.projections.queries.readable import SHOWN, readable_replay, readable_run
from league.projections.queries.snapshot import Snapshot, short
from league.projections.runs import HashSpan

s, e = t.seasons.c, t.editions.c

SEASONS_IN_ORDER = Order((s.starts_at, s.season_id))
EDITIONS_IN_ORDER = Order((e.edition,))


class LeagueRow(NamedTuple):
    """The league's settings."""

    name: str
    time_zone: str
    confirmation: bool
    """Whether matches that end await confirmation by their players."""
    colour: str | None
    """The club's colour, such as `#b3261e`."""
    second_colour: str | None
    logo: str | None
    """The SHA-256 of the club's logo."""


class SeasonRow(NamedTuple):
    """A named period of play time; `ends_at` is exclusive, None while the season is open."""

    season_id: str
    name: str
    starts_at: datetime
    ends_at: datetime | None

    def holds(self, began_at: datetime) -> bool:
        """Whether a match that began at this time belongs to the season."""
        return self.starts_at <= began_at and (self.ends_at is None or began_at < self.ends_at)


class EditionRow(NamedTuple):
    """An edition of the rules; `edition` is its number, None for a candidate that is not published."""

    hash: str
    edition: int | None
    title: str


class EditionDocument(NamedTuple):
    """An edition with its document, as JSON."""

    hash: str
    edition: int | None
    title: str
    document: bytes


@short
def settings(snapshot: Snapshot) -> LeagueRow | None:
    """The league's settings; None before the league exists."""
    return next(typed(LeagueRow, snapshot.conn.execute(select(t.league))), None)


def timeline(snapshot: Snapshot) -> list[HashSpan]:
    """Which edition applies when, in order."""
    spans = snapshot.conn.execute(select(t.runs.c.timeline).where(t.runs.c.run == snapshot.run)).scalar()
    return msgspec.convert(spans or [], list[HashSpan])


def seasons() -> Query:
    """Every season."""
    return select(t.seasons)


@short
def all_seasons(snapshot: Snapshot) -> list[SeasonRow]:
    """Every season in order."""
    return list(typed(SeasonRow, snapshot.conn.execute(seasons().order_by(s.starts_at))))


@short
def seasons_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, SeasonRow]:
    """The seasons with these ids that are known."""
    rows = snapshot.conn.execute(seasons().where(s.season_id.in_(ids)))
    return {row.season_id: row for row in typed(SeasonRow, rows)}


def editions() -> Query:
    """Every published edition, without its document."""
    return select(e.hash, e.edition, e.title).where(e.edition.is_not(None))


def editions_by_hash(snapshot: Snapshot, hashes: Sequence[str]) -> dict[str, EditionDocument]:
    """Editions with their documents."""
    rows = snapshot.conn.execute(select(t.editions).where(e.hash.in_(hashes)))
    return {row.hash: row for row in typed(EditionDocument, rows)}


def is_in_readable_run(snapshot: Snapshot, hash_: str) -> bool:
    """Whether an edition belongs to the timeline of a run that everybody may read."""
    spans = cast([{"hash": hash_}], JSONB)
    found = select(t.runs.c.run).where(t.runs.c.timeline.contains(spans), readable_run(t.runs.c.run, drafts=False))
    return snapshot.conn.execute(found.limit(1)).first() is not None


def edition_hash(snapshot: Snapshot, number: int) -> str | None:
    """The hash of a published edition."""
    return snapshot.conn.execute(select(e.hash).where(e.edition == number)).scalar()


# ---------------------------------------------------------------- replays


p, r, o = t.replays.c, t.runs.c, t.official_run.c

REPLAYS_LATEST_FIRST = Order((p.replay,), descending=True)


class ReplayRow(NamedTuple):
    """A replay and its run: `ready_run` and the fields after it are None without a run."""

    replay: int
    title: str | None
    """The name that somebody gave it."""
    rules_title: str | None
    """The title of the revised edition; None: nothing is revised, or an earlier timeline is restored."""
    reason: str | None
    revises: str | None
    """The hash of the edition that was in force when a candidate was requested."""
    restores: int | None
    """The position of the adoption whose timeline it restores."""
    shown_at: datetime | None
    """When it was shown to everybody; None: it was not, or it was withdrawn."""
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


def replays(*, drafts: bool) -> Query:
    """Every replay that may be read. The columns of its run are null if it has no run yet, or no longer has one.

    `drafts`: by somebody who may read drafts.
    """
    official = t.runs.alias("official")
    is_official = (o.run == r.run).label("is_official")
    revises_others = and_(r.base.is_not(None), r.base != official.c.timeline)
    is_outdated = and_(o.run != r.run, or_(revises_others, r.code != official.c.code)).label("is_outdated")
    asked = [column for column in p if column.key not in ("candidate", "run", "title", "reason")]
    # While it is shown, they are what its event says.
    named = [
        case((SHOWN.c.shown_at.is_(None), p[name]), else_=SHOWN.c[name]).label(name) for name in ("title", "reason")
    ]
    rules_title = cast(func.convert_from(p.candidate, "UTF8"), JSONB)["title"].astext.label("rules_title")
    of_run = (r.run.label("ready_run"), r.position, r.timeline, is_official, is_outdated)
    joined = (
        t.replays.outerjoin(t.runs, and_(r.run == p.run, r.ready))
        .outerjoin(t.official_run, true())
        .outerjoin(official, official.c.run == o.run)
        .outerjoin(SHOWN, SHOWN.c.replay == p.replay)
    )
    return (
        select(*asked, *named, SHOWN.c.shown_at, rules_title, p.run, *of_run)
        .select_from(joined)
        .where(readable_replay(drafts=drafts))
    )


def replay(snapshot: Snapshot, number: int, *, drafts: bool) -> ReplayRow | None:
    """The replay with this number; None if there is none that may be read."""
    return next(typed(ReplayRow, snapshot.conn.execute(replays(drafts=drafts).where(p.replay == number))), None)


def folding_known_at(conn: Connection, moment: datetime) -> int | None:
    """The latest unfinished replay without a candidate that will show what was known at a moment; None without one."""
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
