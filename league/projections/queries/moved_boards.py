"""Which boards may have moved between two states of the read side, derived from the log without reading a board.

The list includes every board that moved; a listed board may be unchanged.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import ColumnElement, func, select, text

from league.domain.series import month_of
from league.eventlog.kinds import KINDS
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.boards.definitions import BOARDS, rating_boards
from league.projections.display_rules import Shown
from league.projections.queries.editions import read_rulebook
from league.projections.queries.players import regions
from league.projections.queries.snapshot import Snapshot


class Which(NamedTuple):
    """A board of the whole league."""

    kind: str
    month: str = ""
    """The month of a monthly board; empty: any month."""
    mode: str = ""
    """The mode of a monthly board; empty: any mode."""


Moved = dict[Which, set[str]]
"""The boards of the whole league that may have moved, each with the regions whose own board may have moved too."""

MOST_EVENTS = 5_000
"""After more events than this, such as an imported season, all boards are listed."""

SILENT = frozenset(kind.name for kind in KINDS if kind.boards == "none")
ADDS = SILENT.union(kind.name for kind in KINDS if kind.boards == "added")

_SINCE = text(
    "SELECT originator_id, array_agg(DISTINCT topic) AS topics, count(*) AS events FROM followed_events"
    " WHERE position > :since AND position <= :position GROUP BY originator_id"
)


class Seen(Struct, frozen=True):
    """A state of the read side that a client has seen."""

    run: int
    position: int
    shown: Shown | None
    """The display rules at that time."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> "Seen":
        """The state that a snapshot shows."""
        return cls(snapshot.run, snapshot.position, snapshot.shown)


def moved_boards(snapshot: Snapshot, seen: Seen) -> Moved:
    """The boards that may have moved since a state, in a few statements regardless of the size of the boards."""
    now, before = snapshot.shown, seen.shown
    if snapshot.run == seen.run and now is before is None:
        return {}
    if snapshot.run != seen.run or now is None or before is None or now.rulebook != before.rulebook:
        return _all(snapshot)
    streams = snapshot.conn.execute(_SINCE, {"since": seen.position, "position": snapshot.position}).all()
    spoken = [row for row in streams if not SILENT.issuperset(row.topics)]
    if any(not row.originator_id.startswith("match:") for row in spoken) or sum(r.events for r in spoken) > MOST_EVENTS:
        return _all(snapshot)
    moved: Moved = {}
    spoken_of = {row.originator_id.partition(":")[2]: set(row.topics) for row in spoken}
    added = {match for match, topics in spoken_of.items() if topics <= ADDS}
    matches = [row for row in _matches(snapshot, list(spoken_of)) if row.decided_at or row.match_id not in added]
    if matches:
        # A match that was taken back may have been decided at any time after it began.
        earliest = min(row.decided_at if row.match_id in added else row.began_at for row in matches)
        for subject, mode, region in _rated_since(snapshot, earliest):
            _add(moved, [Which(one.kind) for one in BOARDS.values() if one.is_moved_by_rating(subject, mode)], region)
        zone = ZoneInfo(snapshot.zone)
        for row in matches:
            month, rules = month_of(row.began_at, zone), read_rulebook(snapshot, row.edition)
            boards = [
                Which(one.kind, month, row.mode) if one.monthly else Which(one.kind)
                for one in BOARDS.values()
                if one.is_moved_by(row.mode, row.competition, rules)
            ]
            for region in _regions(snapshot, row.seats):
                _add(moved, boards, region)
    for kind, region in _fallen_inactive(snapshot, before.active_since, now.active_since):
        _add(moved, [Which(kind)], region)
    return moved


def _all(snapshot: Snapshot) -> Moved:
    everywhere = set(regions(snapshot))
    return {Which(kind): set(everywhere) for kind in BOARDS}


def _add(moved: Moved, boards: Sequence[Which], region: str | None) -> None:
    for board in boards:
        moved.setdefault(board, set()).update([] if region is None else [region])


def _matches(snapshot: Snapshot, ids: Sequence[str]) -> Sequence[Any]:
    m = t.matches.c
    columns = (m.match_id, m.began_at, m.decided_at, m.mode, m.competition, m.edition, m.seats)
    return snapshot.conn.execute(select(*columns).where(m.run == snapshot.run, m.match_id.in_(ids))).all()


def _rated_since(snapshot: Snapshot, earliest: datetime) -> Iterator[tuple[str, str, str | None]]:
    """Subject, mode and region of every rating change from a place in the rating order on."""
    c = t.changes.c
    later = (c.run == snapshot.run, c.decided_at >= earliest)
    yield from snapshot.conn.execute(select(c.subject, c.mode, _region(c.id)).where(*later).distinct())


def _fallen_inactive(snapshot: Snapshot, before: datetime, now: datetime) -> Iterator[tuple[str, str | None]]:
    """The boards and regions of competitors who were active and no longer are."""
    r = t.ratings.c
    for board in rating_boards():
        ours = (r.run == snapshot.run, r.subject == board.subject, r.mode == board.mode)
        fallen = (r.last_decided_at >= before, r.last_decided_at < now)
        for region in snapshot.conn.scalars(select(_region(r.id)).where(*ours, *fallen).distinct()):
            yield board.kind, region


def _region(id_: ColumnElement[str]) -> ColumnElement[Any]:
    """The region of a player, or the common region of both partners of a pair; null if there is none."""
    p = t.players.c
    players = select(p.region).where(p.player_id == func.any(competitor_columns.players_of(id_)))
    same = func.count(p.region.distinct()) == 1
    return players.with_only_columns(func.min(p.region)).having(same).correlate_except(t.players).scalar_subquery()


def _regions(snapshot: Snapshot, players: Sequence[str]) -> Sequence[str | None]:
    p = t.players.c
    return snapshot.conn.scalars(select(p.region).where(p.player_id.in_(players)).distinct()).all()
