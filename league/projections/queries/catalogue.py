"""The league's settings, seasons, editions and the timeline of its rules."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from sqlalchemy import select

from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import typed
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot
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


def edition_hash(snapshot: Snapshot, number: int) -> str | None:
    """The hash of a published edition."""
    return snapshot.conn.execute(select(e.hash).where(e.edition == number)).scalar()
