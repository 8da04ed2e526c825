"""Queries for nights: who is here, who has played and won, capicúas, the best hand, ratings, and the night before."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Text, and_, bindparam, cast, column, func, select, text
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.rating import shown
from league.domain.result import SCORED_FOR_THE_END
from league.domain.rules import Mode
from league.domain.seating import side_of
from league.nights.events import STREAM, PlayerCame, PlayerLeft
from league.nights.night import bounds_of, night_of
from league.projections import tables as t
from league.projections.queries.log import EVENTS, logged
from league.projections.queries.ratings import ModeChangeRow, overall_changes
from league.projections.queries.snapshot import Snapshot, short


class PresentRow(NamedTuple):
    """A player who is here."""

    player_id: str
    since: datetime
    position: int | None = None
    """The position of the event that says so; None for somebody who only sits in a match."""
    match_id: str | None = None
    """The open match of the night in which the player sits last."""


class NightPlayerRow(NamedTuple):
    """A player of a night's matches."""

    player_id: str
    matches: int
    won: int
    capicuas: int
    night: date


class BestHandRow(NamedTuple):
    """The hand of a night in which a side made the most points."""

    match_id: str
    number: int
    points: int
    player_ids: tuple[str, ...]
    """The players of the side."""


class RiseRow(NamedTuple):
    """The largest rise of an overall rating in a night."""

    points: int
    """Rounded half up, as ratings are shown."""
    player_ids: tuple[str, ...]
    """The players who rose so far, ordered by id."""


class _Played(NamedTuple):
    match_id: str
    mode: Mode
    began_at: datetime
    seats: list[str]
    status: str
    winner: int | None


_m, _a, _h, _own, _c = t.matches.c, t.player_aliases.c, t.hands.c, t.appearances.c, t.changes.c
_RUN = bindparam("run", type_=_m.run.type)
_BEGINS = bindparam("begins", type_=_m.began_at.type)
_ENDS = bindparam("ends", type_=_m.began_at.type)
_PLAYED = (
    select(_m.match_id, _m.mode, _m.began_at, _m.seats, _m.status, _m.winner)
    .where(_m.run == _RUN, _m.began_at >= _BEGINS, _m.began_at < _ENDS, _m.status != "voided")
    .order_by(_m.began_at, _m.match_id)
)
UNDECIDED = ("open", "pending")
"""Statuses of matches that nobody has won yet."""
_DECIDED = (
    _m.run == _RUN,
    _m.began_at >= _BEGINS,
    _m.began_at < _ENDS,
    _m.status.not_in((*UNDECIDED, "voided")),
)
_CAPICUAS = (
    select(_own.player_id, func.sum(_own.capicuas))
    .join_from(t.matches, t.appearances, and_(_own.run == _m.run, _own.match_id == _m.match_id))
    .where(*_DECIDED)
    .group_by(_own.player_id)
)
_MOST = select(func.max(column("of_side"))).select_from(func.unnest(_h.points).alias("of_side")).scalar_subquery()
_BEST_HAND = (
    select(_m.match_id, _m.mode, _m.seats, _h.hand, _h.points)
    .join_from(t.matches, t.hands, and_(_h.run == _m.run, _h.match_id == _m.match_id))
    .where(*_DECIDED, _m.status != "forfeited", _h.counted, _MOST > 0)
    .where(~_h.not_judged.overlap(cast(sorted(SCORED_FOR_THE_END), ARRAY(Text))))
    .order_by(_MOST.desc(), _m.decided_at, _m.match_id, _h.hand)
    .limit(1)
)
_CHANGES = (
    select(*(_c[name] for name in ModeChangeRow._fields))
    .join_from(t.matches, t.changes, and_(_c.run == _m.run, _c.match_id == _m.match_id))
    .where(_m.run == _RUN, _m.began_at >= _BEGINS, _m.began_at < _ENDS, _c.subject == "player")
)
_LAST_BEFORE = select(func.max(_m.began_at)).where(_m.run == _RUN, _m.began_at < _BEGINS, _m.status != "voided")
_ALIASES = select(_a.player_id, _a.canonical_id)
_ERASED = text("SELECT player_id FROM players WHERE name IS NULL AND player_id = ANY(:players)")
_EVENTS = text(f"{EVENTS} originator_id = :stream ORDER BY originator_version")


@short
def zone_in(snapshot: Snapshot) -> ZoneInfo:
    """The time zone of the league, by which nights begin and end."""
    return ZoneInfo(snapshot.zone)


@short
def night_before(snapshot: Snapshot, night: date) -> date | None:
    """The last night before this one in which a match began."""
    zone = zone_in(snapshot)
    begins, _ = bounds_of(night, zone)
    last = snapshot.conn.scalar(_LAST_BEFORE, {"run": snapshot.run, "begins": begins})
    return None if last is None else night_of(last, zone)


def players_of_night(snapshot: Snapshot, night: date) -> list[NightPlayerRow]:
    """Who has played in a night: who has won most comes first, then who has played fewer matches."""
    played, won = Counter[str](), Counter[str]()
    for match in _played(snapshot, night):
        for seat, player in enumerate(match.seats):
            is_decided = match.winner is not None and match.status not in UNDECIDED
            played[player] += is_decided
            won[player] += is_decided and side_of(seat, match.mode) == match.winner
    capicuas = capicuas_of_night(snapshot, night)
    rows = [
        NightPlayerRow(player, count, won[player], capicuas.get(player, 0), night) for player, count in played.items()
    ]
    return sorted(rows, key=order_of_night)


def capicuas_of_night(snapshot: Snapshot, night: date) -> Mapping[str, int]:
    """How many capicúas each player had in the decided matches of a night."""
    return {player: int(count) for player, count in snapshot.conn.execute(_CAPICUAS, _within(snapshot, night))}


def best_hand(snapshot: Snapshot, night: date) -> BestHandRow | None:
    """The hand with the most points of a side in the decided matches of a night; of equal ones the first decided.

    Forfeited matches, and hands that were won for an unknown number of points, are left out.
    """
    found = snapshot.conn.execute(_BEST_HAND, _within(snapshot, night)).one_or_none()
    if found is None:
        return None
    points = max(found.points)
    side = found.points.index(points)
    players = tuple(player for seat, player in enumerate(found.seats) if side_of(seat, found.mode) == side)
    return BestHandRow(found.match_id, found.hand, points, players)


def moved_in_night(snapshot: Snapshot, night: date) -> Mapping[str, float]:
    """How much the rated matches of a night changed the overall rating of each of their players, unrounded.

    It is the sum of what the matches did, also where matches of other nights were decided between them.
    """
    rows = snapshot.conn.execute(_CHANGES, _within(snapshot, night))
    moves: dict[str, list[float]] = defaultdict(list)
    for change, overall in overall_changes(snapshot, [ModeChangeRow(*row) for row in rows]).items():
        moves[change.id].append(overall.after - overall.before)
    return {player: math.fsum(of_player) for player, of_player in moves.items()}


def moves_of_nights(snapshot: Snapshot, nights: Sequence[date]) -> Mapping[date, Mapping[str, float]]:
    """`moved_in_night` of several nights; players without a rated match are left out."""
    return {night: moved_in_night(snapshot, night) for night in nights}


def largest_rise(moved: Mapping[str, float]) -> RiseRow | None:
    """Who rose most in a night, compared as shown, from `moved_in_night`; None if nobody rose."""
    moves = {player: shown(move) for player, move in moved.items()}
    points = max(moves.values(), default=0)
    if points <= 0:
        return None
    return RiseRow(points, tuple(sorted(player for player, move in moves.items() if move == points)))


def order_of_night(row: NightPlayerRow) -> tuple[int, int, str]:
    """The key of the order in which the players of a night stand."""
    return -row.won, row.matches, row.player_id


def who_is_here(snapshot: Snapshot, night: date) -> list[PresentRow]:
    """Who came to a night, or sits in one of its matches, and has not left since; who came first comes first."""
    present: dict[str, PresentRow] = {}
    for sign in sorted(_signs(snapshot, night), key=lambda sign: sign.at):
        if not sign.is_here:
            present.pop(sign.player_id, None)
            continue
        known = present.get(sign.player_id) or PresentRow(sign.player_id, sign.at)
        present[sign.player_id] = PresentRow(
            sign.player_id, known.since, known.position or sign.position, sign.match_id or known.match_id
        )
    erased = set(snapshot.conn.scalars(_ERASED, {"players": list(present)}))
    return [row for player, row in present.items() if player not in erased]


class _Sign(NamedTuple):
    """Something that says whether a player is here: an event, or a seat in a match."""

    at: datetime
    player_id: str
    is_here: bool
    position: int | None = None
    match_id: str | None = None
    """The match, if it is open."""


def _signs(snapshot: Snapshot, night: date) -> Iterator[_Sign]:
    aliases = {row.player_id: row.canonical_id for row in snapshot.conn.execute(_ALIASES)}
    for entry, event in logged(snapshot, _EVENTS, stream=f"{STREAM}{night.isoformat()}"):
        assert isinstance(event, PlayerCame | PlayerLeft), "the stream has no other events"
        if entry.position <= snapshot.position:
            player = aliases.get(event.player, event.player)
            yield _Sign(entry.recorded_at, player, isinstance(event, PlayerCame), entry.position)
    for match in _played(snapshot, night):
        for player in match.seats:
            yield _Sign(match.began_at, player, True, match_id=match.match_id if match.status == "open" else None)


def _played(snapshot: Snapshot, night: date) -> list[_Played]:
    return [_Played(*row) for row in snapshot.conn.execute(_PLAYED, _within(snapshot, night))]


def _within(snapshot: Snapshot, night: date) -> Mapping[str, Any]:
    begins, ends = bounds_of(night, zone_in(snapshot))
    return {"run": snapshot.run, "begins": begins, "ends": ends}
