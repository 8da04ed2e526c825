"""Matches with their facts, scored hands, rating changes and disputes; and which matches recent events have changed."""

from collections.abc import Callable, Sequence
from datetime import datetime
from operator import eq, ge, lt
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import BindParameter, ColumnElement, Select, and_, bindparam, literal, not_, or_, select, text

from league.domain.disputes import Outcome
from league.domain.hand import WinnerBy
from league.domain.match import MatchState
from league.domain.rules import Mode
from league.domain.seating import FULL_TABLE, CompetitorId, players_of
from league.projections import tables as t
from league.projections.queries.pages import Order, Query, R, among_ids, grouped, typed
from league.projections.queries.snapshot import Snapshot, short

m, h, c, mp, p = t.matches.c, t.hands.c, t.changes.c, t.match_players.c, t.players.c

SEATS = [m.seats[number].collate("C") for number in range(1, FULL_TABLE + 1)]

_BEGAN, _DECIDED = (m.began_at, m.match_id), (m.decided_at, m.match_id)
NEWEST_FIRST = Order(_BEGAN, descending=True)
OLDEST_FIRST = Order(_BEGAN)
LATEST_DECIDED_FIRST = Order(_DECIDED, descending=True)
EARLIEST_DECIDED_FIRST = Order(_DECIDED)
LATEST_CHANGE_FIRST = Order((c.decided_at, c.match_id), descending=True)

_STATE = msgspec.msgpack.Decoder(MatchState)


class MatchFilter(Struct, frozen=True):
    """Conditions on matches; None: any."""

    competitor: CompetitorId | None = None
    """A player, or two partners of one side."""
    opponent: CompetitorId | None = None
    """A player or two partners, on another side than `competitor` and than the owner of the list."""
    region: str | None = None
    """The region of at least one player."""
    season: str | None = None
    status: tuple[str, ...] | None = None
    mode: str | None = None
    ruleset: str | None = None
    competition: str | None = None
    began_from: datetime | None = None
    began_before: datetime | None = None
    decided_from: datetime | None = None
    decided_before: datetime | None = None
    decided: bool = False
    """Only matches that are decided."""


class PositionedFacts(Struct, frozen=True):
    """The facts of a match, and the position of the last event that changed them."""

    state: MatchState
    changed_position: int


class MatchRow(NamedTuple):
    """A match as a run scores it; lists are by side or by seat."""

    match_id: str
    ruleset: str
    mode: Mode
    competition: str
    began_at: datetime
    decided_at: datetime | None
    seats: list[str]
    """The players' ids by seat."""
    status: str
    winner: int | None
    """A side."""
    score: list[int] | None
    last_hand: int | None
    announced: dict[str, Any] | None  # a JSON document: `winner` and `score`
    terms: list[list[Any]]  # a JSON document: [side, rule, points] of each
    not_judged: list[str]
    edition: str
    """The hash of the edition."""
    position: int | None
    """The position of the event that decided or voided the match."""


class HandRow(NamedTuple):
    """A hand as a run scores it."""

    match_id: str
    hand: int
    ruleset: str
    winner: int | None
    """A side."""
    winning_seat: int | None
    ended_by: str
    points: list[int]
    terms: list[list[Any]]  # a JSON document: [side, rule, points] of each
    not_judged: list[str]
    counted: bool
    position: int
    winner_by: WinnerBy | None
    stated_winner: int | None
    """The side that the sheet names, whichever side has won."""


class ChangeRow(NamedTuple):
    """A rating change of a player or a pair that a match caused."""

    decided_at: datetime
    match_id: str
    mode: str
    subject: str
    """`player` or `team`."""
    id: str
    before: float
    after: float
    k: float
    k_rule: str
    outcome: float
    expected: float
    modifier: float
    modifier_terms: list[tuple[str, float]]
    capped: bool
    opponents: float
    own: float
    matches_before: int
    edition: str
    position: int


def matches(run: int | BindParameter[int], wanted: MatchFilter) -> Query:
    """The matches that pass a filter."""
    query = select(*(column for column in t.matches.columns if column.name != "decided")).where(m.run == run)
    for column, compare, value in (
        (m.mode, eq, wanted.mode),
        (m.ruleset, eq, wanted.ruleset),
        (m.competition, eq, wanted.competition),
        (m.began_at, ge, wanted.began_from),
        (m.began_at, lt, wanted.began_before),
        (m.decided_at, ge, wanted.decided_from),
        (m.decided_at, lt, wanted.decided_before),
    ):
        if value is not None:
            query = query.where(compare(column, value))
    if wanted.status is not None:
        # Written into the statement, so that the planner always sees whether the index of unfinished matches fits.
        statuses: BindParameter[Any] = bindparam(
            "status", wanted.status, unique=True, expanding=True, literal_execute=True
        )
        query = query.where(m.status.in_(statuses))
    if wanted.decided:
        query = query.where(m.decided.is_not(None))
    if wanted.competitor is not None:
        one, *other = (literal(player, t.Id) for player in players_of(wanted.competitor))
        query = query.where(m.match_id.in_(select(mp.match_id).where(mp.player_id == one)))
        query = query.where(*(_are_partners(one, partner) for partner in other))
        query = _against(query, one, wanted)
    if wanted.region is not None:
        query = query.where(sits_one_of(select(p.player_id).where(p.region == wanted.region)))
    if wanted.season is not None:
        s = t.seasons.c
        within = (s.season_id == wanted.season) & (s.starts_at <= m.began_at)
        season = select(s.season_id).where(within, or_(s.ends_at.is_(None), m.began_at < s.ends_at))
        query = query.where(season.correlate(t.matches).exists())
    return query


def matches_of(run: int, player: ColumnElement[str], wanted: MatchFilter) -> Query:
    """The matches of a player that pass a filter."""
    theirs = matches(run, wanted).join(t.match_players, mp.match_id == m.match_id).where(mp.player_id == player)
    return _against(theirs, player, wanted)


def matches_of_pair(run: int, pair: ColumnElement[str], wanted: MatchFilter) -> Query:
    """The matches that two players played as partners and that pass a filter."""
    one, other = t.partners_of(pair)
    return matches_of(run, one, wanted).where(_are_partners(one, other))


def sits_one_of(players: Select[Any]) -> ColumnElement[bool]:
    """Whether one of these players sits in the match."""
    return or_(*(seat.in_(players) for seat in SEATS))


def _against(query: Query, player: ColumnElement[str], wanted: MatchFilter) -> Query:
    """Only the matches of a player in which the wanted opponent, if there is one, sits on another side."""
    if wanted.opponent is None:
        return query
    opponents = [literal(opponent, t.Id) for opponent in players_of(wanted.opponent)]
    for opponent in opponents:
        theirs = t.match_players.alias()
        query = query.where(m.match_id.in_(select(theirs.c.match_id).where(theirs.c.player_id == opponent)))
        query = query.where(opponent != player, not_(_are_partners(player, opponent)))
    return query.where(_are_partners(*opponents)) if len(opponents) > 1 else query


def _are_partners(one: ColumnElement[str], other: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether two players sit on one side of a match of two pairs."""
    sides = (SEATS[0::2], SEATS[1::2])
    return and_(m.mode == "2v2", or_(*(and_(*(seat.in_((one, other)) for seat in side)) for side in sides)))


_f = t.match_facts.c
_RUN: BindParameter[int] = bindparam("run", type_=m.run.type)
# Built once: to build such a statement takes about as long as to execute it.
_MATCHES_BY_ID = matches(_RUN, MatchFilter()).where(among_ids(m.match_id))
_FACTS_BY_ID = (
    select(_f.match_id, _f.changed_position, _f.state, m.seats)
    .outerjoin(t.matches, and_(m.run == _RUN, m.match_id == _f.match_id))
    .where(among_ids(_f.match_id))
)
_HANDS = select(t.hands).where(h.run == _RUN, among_ids(h.match_id)).order_by(h.match_id, h.hand)
_CHANGES = select(t.changes).where(c.run == _RUN, among_ids(c.match_id)).order_by(c.match_id, c.subject, c.id)


@short
def matches_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, MatchRow]:
    """The matches with these ids that are known."""
    rows = snapshot.conn.execute(_MATCHES_BY_ID, {"run": snapshot.run, "ids": list(ids)})
    return {row.match_id: row for row in typed(MatchRow, rows)}


@short
def facts_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, PositionedFacts]:
    """The facts of matches, with the players' ids as the run has them."""
    rows = snapshot.conn.execute(_FACTS_BY_ID, {"run": snapshot.run, "ids": list(ids)})
    return {
        row.match_id: PositionedFacts(seated(_STATE.decode(row.state), row.seats), row.changed_position) for row in rows
    }


def seated(state: MatchState, seats: Sequence[str] | None) -> MatchState:
    """The facts of a match with these player ids in its seats, such as a run has them; None: as in the log."""
    played = state.played
    if played is None or seats is None or played.seats == tuple(seats):
        return state
    return replace(state, played=replace(played, seats=tuple(seats)))


@short
def hands_by_match(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, list[HandRow]]:
    """The scored hands of matches, in order; a voided match has none."""
    return _by_match(snapshot, HandRow, _HANDS, ids)


@short
def changes_by_match(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, list[ChangeRow]]:
    """The rating changes that matches caused."""
    return _by_match(snapshot, ChangeRow, _CHANGES, ids)


def changes_of(run: int, subject: str, id_: ColumnElement[str], mode: str | None) -> Query:
    """The rating changes of a player (`player`) or a pair (`team`), of one mode or of all."""
    query = select(t.changes).where(c.run == run, c.subject == subject, c.id == id_)
    return query if mode is None else query.where(c.mode == mode)


def _by_match(snapshot: Snapshot, kind: type[R], query: Query, ids: Sequence[str]) -> dict[str, list[R]]:
    rows = snapshot.conn.execute(query, {"run": snapshot.run, "ids": list(ids)}).all()
    return grouped(ids, zip((row.match_id for row in rows), typed(kind, rows), strict=True))


# ---------------------------------------------------------------- which matches the log has changed


EVENTS_AT_ONCE = 1_000
"""Events of the log that are read at once."""
MOST_BEHIND = 100_000
"""Events after which reading everything again is cheaper than following. Events of live tables do not count."""

CHANGES_ANY_MATCH = ("edition-adopted/", "players-merged/", "merge-undone/")
"""Events whose names begin like this may change any match."""

_HEAD = text("SELECT coalesce(max(position), 0) FROM stored_events")
_EVENTS_BETWEEN = text(
    "SELECT position, originator_id, topic FROM followed_events WHERE position > :after AND position <= :until"
    " ORDER BY position LIMIT :page"
)
_IS_FAR = text(
    "SELECT EXISTS (SELECT FROM followed_events WHERE position > :after AND position <= :until"
    " ORDER BY position OFFSET :most)"
)


class ReadProgress(NamedTuple):
    """How far the read side and the log have come."""

    run: int
    position: int
    """The position that the read side has reached."""
    head: int
    """The position of the last event of the log."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> "ReadProgress":
        """The progress that a snapshot shows."""
        return cls(snapshot.run, snapshot.position, snapshot.conn.execute(_HEAD).scalar_one())


class ChangedMatches(Struct, frozen=True):
    """The matches that events up to a position have changed."""

    position: int
    """All events up to this position are taken into account."""
    matches: Sequence[tuple[int, str]]
    """For each changed match, the position of the latest event that changed it, and its id; ordered by position."""


def is_far_behind(snapshot: Snapshot, after: int) -> bool:
    """Whether more than `MOST_BEHIND` events came after a position."""
    asked = {"after": after, "until": snapshot.position, "most": MOST_BEHIND}
    return bool(snapshot.conn.execute(_IS_FAR, asked).scalar_one())


def changed_matches(snapshot: Snapshot, run: int, after: int, wanted: MatchFilter) -> ChangedMatches | None:
    """The matches of a filter that the next page of the log has changed.

    None if matches may have changed without an event of their own: a run other than `run` is official, other rules
    were adopted, players were merged, or a merge was undone.
    """
    rows = snapshot.conn.execute(
        _EVENTS_BETWEEN, {"after": after, "until": snapshot.position, "page": EVENTS_AT_ONCE}
    ).all()
    if snapshot.run != run or any(row.topic.startswith(CHANGES_ANY_MATCH) for row in rows):
        return None
    changed: dict[str, int] = {}
    for row in rows:
        kind, _, match_id = row.originator_id.partition(":")
        if kind == "match":
            changed.pop(match_id, None)  # the order is that of the latest events
            changed[match_id] = row.position
    until = rows[-1].position if len(rows) == EVENTS_AT_ONCE else snapshot.position
    query = matches(run, wanted).with_only_columns(m.match_id).where(m.match_id.in_(changed))
    passing = set(snapshot.conn.scalars(query))
    return ChangedMatches(
        until, [(position, match_id) for match_id, position in changed.items() if match_id in passing]
    )


class MatchWatch(Struct, frozen=True):
    """Something that a feature computes for a match in steps, such as the review of its hands."""

    channel: str
    """The channel of the database that announces each step."""
    look: Callable[[Snapshot, str], Any]
    """Gives the progress for the match with an id: a value that differs after each step."""


# ---------------------------------------------------------------- disputes


d = t.disputes.c

DISPUTES_OLDEST_FIRST = Order((d.opened_at, d.match_id, d.dispute))


class DisputeRow(NamedTuple):
    """A dispute of a match's result. It is open while `outcome` is None."""

    match_id: str
    dispute: int
    """Its number in the match."""
    player_id: str
    reason: str
    opened_at: datetime
    outcome: Outcome | None
    closed_at: datetime | None
    answer: str | None
    """The reason given when it was settled."""


def disputes(*, is_open: bool | None) -> Query:
    """The open disputes, the closed ones, or all."""
    query = select(t.disputes)
    if is_open is None:
        return query
    return query.where(d.outcome.is_(None) if is_open else d.outcome.is_not(None))


_DISPUTES = select(t.disputes).where(among_ids(d.match_id)).order_by(d.match_id, d.dispute)


@short
def disputes_by_match(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, list[DisputeRow]]:
    """The disputes of matches, in order."""
    rows = snapshot.conn.execute(_DISPUTES, {"ids": list(ids)})
    return grouped(ids, ((row.match_id, row) for row in typed(DisputeRow, rows)))
