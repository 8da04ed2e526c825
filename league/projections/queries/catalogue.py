"""The league's settings, seasons, editions and the timeline of its rules."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Row, select

from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import HashSpan

s, e = t.seasons.c, t.editions.c

SEASONS_IN_ORDER = Order((s.starts_at, s.season_id))
EDITIONS_IN_ORDER = Order((e.edition,))


def settings(snapshot: Snapshot) -> Row[Any] | None:
    """The league's name and time zone; None before it is there."""
    return snapshot.conn.execute(select(t.league)).one_or_none()


def timeline(snapshot: Snapshot) -> list[HashSpan]:
    """Which edition holds when, in order."""
    spans = snapshot.conn.execute(select(t.runs.c.timeline).where(t.runs.c.run == snapshot.run)).scalar()
    return msgspec.convert(spans or [], list[HashSpan])


def seasons() -> Query:
    """Every season."""
    return select(t.seasons)


def all_seasons(snapshot: Snapshot) -> Sequence[Row[Any]]:
    """Every season in order; there are few."""
    return snapshot.conn.execute(seasons().order_by(s.starts_at)).all()


def editions() -> Query:
    """Every published edition, without its document."""
    return select(e.hash, e.edition, e.title).where(e.edition.is_not(None))


def editions_by_hash(snapshot: Snapshot, hashes: Sequence[str]) -> dict[str, Row[Any]]:
    """Editions with their documents."""
    return {row.hash: row for row in snapshot.conn.execute(select(t.editions).where(e.hash.in_(hashes)))}


def edition_hash(snapshot: Snapshot, number: int) -> str | None:
    """The hash of a published edition."""
    return snapshot.conn.execute(select(e.hash).where(e.edition == number)).scalar()
