"""The live tables that are not closed, and whom they are for. Their rows are written with their events."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Boolean, DateTime, Integer, Text, column, or_, select, table, true
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.rules import Mode
from league.projections.queries.pages import Order, Query
from league.tables.domain.state import Phase

_live = table(
    "live_tables",
    column("table_id", Text(collation="C")),
    column("opened_at", DateTime(timezone=True)),
    column("phase", Text),
    column("ruleset", Text),
    column("mode", Text),
    column("listed", Boolean),
    column("practice", Boolean),
    column("free_seats", Integer),
    column("players", ARRAY(Text)),
    column("guests", ARRAY(Text)),
)
_l = _live.c
NEWEST_FIRST = Order((_l.opened_at, _l.table_id), descending=True)


class LobbyFilter(Struct, frozen=True):
    """Conditions on tables; None: any."""

    phase: tuple[Phase, ...] | None = None
    players: tuple[str, ...] | None = None
    """One of these ids has a seat."""
    ruleset: str | None = None
    mode: Mode | None = None
    listed: bool | None = None
    practice: bool | None = None
    has_free_seat: bool | None = None


class LobbyRow(NamedTuple):
    """A table of the lobby."""

    table_id: str
    opened_at: datetime


def lobby(wanted: LobbyFilter, viewer: Collection[str], *, sees_all: bool) -> Query:
    """The tables that pass a filter and that a viewer may see. `viewer`: all their ids."""
    ids = sorted(viewer)
    may_see = or_(_l.listed, _l.guests.overlap(ids), _l.players.overlap(ids)) if ids else _l.listed
    conditions = [
        true() if sees_all else may_see,
        *([] if wanted.phase is None else [_l.phase.in_(wanted.phase)]),
        *([] if wanted.players is None else [_l.players.overlap(wanted.players)]),
        *([] if wanted.ruleset is None else [_l.ruleset == wanted.ruleset]),
        *([] if wanted.mode is None else [_l.mode == wanted.mode]),
        *([] if wanted.listed is None else [_l.listed == wanted.listed]),
        *([] if wanted.practice is None else [_l.practice == wanted.practice]),
        *([] if wanted.has_free_seat is None else [(_l.free_seats > 0) == wanted.has_free_seat]),
    ]
    return select(_l.table_id, _l.opened_at).where(*conditions)
