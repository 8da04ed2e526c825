"""Notices: what everybody is told for a while about ratings that moved without a match of their own.

A promotion writes its notice with its event, and the projector that of an adoption or a correction, when it folds it.
A notice names the players who moved. Nobody is told twice: a rebuild leaves notices as they are.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from msgspec import Struct
from psycopg import sql

from league.domain.match import HandCorrected, MatchReopened, MatchVoided
from league.domain.rulebook import EditionAdopted
from league.domain.timeline import replaced_edition
from league.eventlog.records import LoggedEvent
from league.projections.folds.match_fold import RulesTimeline
from league.projections.runs import Conn, first_value, raise_generation, table_of
from league.projections.writers.match_rows import Key

SHOWN_FOR = timedelta(days=30)
"""How long a notice is shown, from the time at which its event was recorded."""
FELT = 1.0
"""Rating points. A correction that moves everybody outside its match by less leaves no notice."""

CORRECTIONS = (HandCorrected, MatchReopened, MatchVoided)
NoticeKind = Literal["promotion", "rollback", "adoption", "correction"]


class NoticeBody(Struct, frozen=True, omit_defaults=True):
    """What the sentences of a notice are made of."""

    players: int
    """How many players it moves."""
    largest: float
    """The largest move in one mode, in rating points, up or down; 0 if nobody moves."""
    reason: str | None = None
    """As it was given with the event."""
    title: str | None = None
    """The name of what was promoted, if somebody named it."""
    revises: str | None = None
    """The hash of the edition that another one replaced."""
    edition: str | None = None
    """The hash of the edition that took its place."""
    restores: int | None = None
    """The position of the adoption whose rules a rollback brought back."""
    match: str | None = None
    """The match that was corrected."""
    event: str | None = None
    """The name of the event that corrected it, such as `match-voided/1`."""


class RatingParts(Struct, frozen=True):
    """What a rating is made of, from its start over some matches."""

    matches: int
    start: float
    outcome: float
    """The sum of K times S, the result, over the matches."""
    expected: float
    """The sum of K times E, the expected score, with a minus."""
    modifier: float
    """The sum of K times M, which says how the matches were won or lost."""


class NoticeMove(Struct, frozen=True, omit_defaults=True):
    """A rating that moved; None where there was or is none. An overall rating is made of no parts."""

    mode: str
    before: float | None = None
    after: float | None = None
    rank_before: int | None = None
    rank_after: int | None = None
    old: RatingParts | None = None
    new: RatingParts | None = None

    @property
    def change(self) -> float | None:
        """The move in rating points."""
        return None if self.before is None or self.after is None else self.after - self.before


# ---------------------------------------------------------------- promotions


NEXT = "SELECT nextval(pg_get_serial_sequence('notices', 'notice'))"
TELL = """
    INSERT INTO notices (notice, kind, position, since, until, body) OVERRIDING SYSTEM VALUE
    SELECT %s, %s, position, recorded_at, recorded_at + %s, %s FROM stored_events WHERE position = %s
"""
TOLD = "SELECT FROM notices WHERE position = %s"
MOVED_BY_PROMOTION = """
    INSERT INTO notice_players (notice, player_id, moves)
    SELECT %s, id, jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'mode', mode, 'before', before, 'after', after, 'rank_before', rank_before, 'rank_after', rank_after,
        'old', CASE WHEN start_before IS NOT NULL THEN jsonb_build_object(
            'matches', matches_before, 'start', start_before, 'outcome', outcome_before, 'expected', expected_before,
            'modifier', modifier_before) END,
        'new', CASE WHEN start_after IS NOT NULL THEN jsonb_build_object(
            'matches', matches_after, 'start', start_after, 'outcome', outcome_after, 'expected', expected_after,
            'modifier', modifier_after) END
    )) ORDER BY mode)
    FROM promotion_moves WHERE folded_to = %s AND subject = 'player' GROUP BY id
"""


def name_players_moved(conn: Conn, folded_to: int) -> int:
    """Store whom a promotion moves. Returns the number for its notice, which is told when its event has a position."""
    notice = int(first_value(conn, NEXT))
    conn.execute(MOVED_BY_PROMOTION, (notice, folded_to))
    return notice


def tell(conn: Conn, notice: int, kind: NoticeKind, position: int, body: NoticeBody) -> None:
    """Store a notice of the event at a position."""
    conn.execute(TELL, (notice, kind, SHOWN_FOR, msgspec.json.encode(body).decode(), position))


# ---------------------------------------------------------------- corrections and adoptions


LAST_ENTRY = "SELECT coalesce(max(entry), 0) FROM journal"
PARTS = sql.SQL("""
    SELECT id, mode, count(*), (array_agg(before ORDER BY decided_at, match_id))[1],
           sum(k * outcome ORDER BY decided_at, match_id), sum(-(k * expected) ORDER BY decided_at, match_id),
           sum(k * modifier ORDER BY decided_at, match_id)
    FROM {} WHERE subject = 'player' AND (decided_at, match_id) >= (%s, %s) GROUP BY id, mode
""")
MOVED = """
    SELECT id, mode, before, after FROM journal
    WHERE entry > %s AND position = %s AND subject = 'player' AND cause = %s ORDER BY id, mode
"""
ADD_PLAYERS = "INSERT INTO notice_players (notice, player_id, moves) VALUES (%s, %s, %s)"

Parts = Mapping[tuple[str, str], RatingParts]
"""The parts of ratings, by player and mode."""


class RatingsBefore(Struct, frozen=True):
    """What a fold is about to rewrite."""

    since: Key | None
    """The place in the rating order from which it rewrites; None: nothing."""
    entry: int
    """The last entry of the journal."""
    parts: Parts
    """What ratings are made of from there on."""
    rules: RulesTimeline
    """The rules of the run."""


def before_fold(conn: Conn, run: int, since: Key | None, rules: RulesTimeline) -> RatingsBefore:
    """Read what a correction or an adoption is about to rewrite."""
    return RatingsBefore(since, int(first_value(conn, LAST_ENTRY)), _parts(conn, run, since), rules)


def tell_of_fold(conn: Conn, run: int, stored: LoggedEvent, before: RatingsBefore, rules: RulesTimeline) -> None:
    """Store the notice of a correction or an adoption that was just folded, if it moved somebody enough.

    What was folded before and is folded again is not told again.
    """
    if conn.execute(TOLD, (stored.position,)).rowcount:
        return
    event = stored.event
    is_correction = isinstance(event, CORRECTIONS)
    cause = "ripple" if is_correction else "adoption"
    found = conn.execute(MOVED, (before.entry, stored.position, cause)).fetchall()
    if is_correction:
        found = [row for row in found if row[3] is not None and abs(row[3] - row[2]) >= FELT]
    if not found:
        return
    now = _parts(conn, run, before.since)
    moves: dict[str, list[NoticeMove]] = {}
    for id_, mode, old, new in found:
        key = (id_, mode)
        move = NoticeMove(mode, old, new, old=before.parts.get(key), new=now.get(key))
        moves.setdefault(id_, []).append(move)
    changes = [abs(move.change) for of_player in moves.values() for move in of_player if move.change is not None]
    body = NoticeBody(len(moves), max(changes, default=0.0))
    if isinstance(event, CORRECTIONS):
        match = stored.stream.partition(":")[2]
        body = msgspec.structs.replace(body, reason=event.reason, match=match, event=stored.name)
    elif isinstance(event, EditionAdopted):
        revises, edition = replaced_edition(before.rules.hashes(), rules.hashes())
        body = msgspec.structs.replace(body, revises=revises, edition=edition)
    notice = int(first_value(conn, NEXT))
    tell(conn, notice, "correction" if is_correction else "adoption", stored.position, body)
    with conn.cursor() as cursor:
        cursor.executemany(ADD_PLAYERS, [(notice, id_, _as_json(of_player)) for id_, of_player in moves.items()])


def _parts(conn: Conn, run: int, since: Key | None) -> Parts:
    if since is None:
        return {}
    rows = conn.execute(PARTS.format(table_of(run, "changes")), since)
    return {(id_, mode): RatingParts(*parts) for id_, mode, *parts in rows}


def _as_json(moves: Sequence[NoticeMove]) -> str:
    return msgspec.json.encode(moves).decode()


def moves_of(stored: Any) -> list[NoticeMove]:
    """The moves of a player, from the column `moves`."""
    return msgspec.convert(stored, list[NoticeMove])


def body_of(stored: Any) -> NoticeBody:
    """The body of a notice, from the column `body`."""
    return msgspec.convert(stored, NoticeBody)


# ---------------------------------------------------------------- the end of a notice


NEXT_END = "SELECT min(until) FROM notices"
REMOVE = "DELETE FROM notices WHERE until <= %s RETURNING notice"
REMOVE_PLAYERS = "DELETE FROM notice_players WHERE notice = ANY(%s)"


def next_end(conn: Conn) -> datetime | None:
    """When the next notice runs out; None without notices."""
    ends: datetime | None = first_value(conn, NEXT_END)
    return ends


def remove_ended(conn: Conn, now: datetime) -> int:
    """Remove the notices that have run out by `now`, and let cached pages end. Returns how many there were."""
    with conn.transaction():
        ended = [notice for (notice,) in conn.execute(REMOVE, (now,)).fetchall()]
        if ended:
            conn.execute(REMOVE_PLAYERS, (ended,))
            raise_generation(conn)
    return len(ended)
