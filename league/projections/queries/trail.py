"""Who did what when: the events of the log that a filter leaves, found by indexes and not by reading the whole log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    ColumnClause,
    ColumnElement,
    CompoundSelect,
    Connection,
    DateTime,
    FromClause,
    LargeBinary,
    Text,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.audit_trail import SOURCES, STREAM, TokenMade
from league.domain.deciders import Event
from league.domain.match import MatchOpened
from league.domain.refusals import InvalidInput, NotFound
from league.domain.series_entry import MatchEntered
from league.eventlog import codec
from league.projections import tables as t
from league.projections.queries.log import LogEntry, StoredEvent, entry_and_body
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import typed

# Without their table: what is about a player or a match is found first, and read from there.
position = literal_column("position", BigInteger)
stream = literal_column("originator_id", Text)
topic = literal_column("topic", Text)
recorded_at = literal_column("recorded_at", DateTime(timezone=True))
state = literal_column("state", LargeBinary)
COLUMNS: tuple[ColumnClause[Any], ...] = (position, stream, topic, recorded_at, state)
events = table("stored_events", *(column(c.name, c.type) for c in COLUMNS))
e = events.c

# Written as in the migration that makes the indexes, or they would not be used.
actor = literal_column("between_marks(state, '\"actor\":', ',\"source\":')", LargeBinary)
source = literal_column("between_marks(state, ',\"source\":', ',\"key\":')", LargeBinary)
played_at = literal_column("played_at(state, recorded_at)", DateTime(timezone=True))
place = literal_column("position + 0", BigInteger)
match_entered = literal_column('behind_mark(state, \'"body":{"match":\')', LargeBinary)
token_for = literal_column("between_marks(state, ',\"sub\":', ',\"roles\":')", LargeBinary)
competitors = literal_column("(string_to_array(translate(originator_id, '+', ':'), ':'))[4:]", ARRAY(Text))
is_entry = literal_column("topic = 'match-entered/1'", Boolean)
is_token = literal_column("topic = 'token-made/1'", Boolean)
is_act = literal_column("originator_id = 'trail'", Boolean)

AFTER_ALL = literal(2**63 - 1, BigInteger)
"""A position that no event reaches."""


class TrailFilter(Struct, frozen=True):
    """Which events are wanted; None: no matter."""

    player: str | None = None
    """In their own stream, in those of their matches and series, and tokens made for them."""
    match: str | None = None
    """In its stream, and its entry into the series."""
    actor: str | None = None
    source: str | None = None
    kind: str | None = None
    """What happened, in any version: `match-voided`."""
    stream: str | None = None
    recorded_from: datetime | None = None
    """Recorded then or later."""
    recorded_before: datetime | None = None
    played_from: datetime | None = None
    """Played then or later; what has no time of play was played when it was recorded."""
    played_before: datetime | None = None

    @property
    def of_play(self) -> bool:
        """Whether a span of play is wanted."""
        return self.played_from is not None or self.played_before is not None

    @property
    def of_envelope(self) -> bool:
        """Whether something is wanted that may be frequent, and yet have happened last a long time ago."""
        return self.actor is not None or self.source is not None or self.kind is not None


class TrailEntry(Struct, frozen=True):
    """An event with what it says; sealed fields are left out."""

    log: LogEntry
    event: Event
    body: str
    """As JSON, in the shape in which it was stored."""

    @property
    def kind(self) -> str:
        """What happened, without the version."""
        return self.log.name.partition("/")[0]

    @property
    def version(self) -> int:
        """Of the shape in which it was stored."""
        return int(self.log.name.partition("/")[2])

    @property
    def match(self) -> str | None:
        """The match that it is about."""
        if isinstance(self.event, MatchEntered):
            return self.event.match
        kind, _, id_ = self.log.stream.partition(":")
        return id_ if kind == "match" else None

    def players(self, seats: Mapping[str, Sequence[str]]) -> list[str]:
        """The players whom it is about, as in `TrailFilter.player`; those of a match by `seats_of`."""
        if self.match is not None:
            return list(seats.get(self.match, ()))
        if isinstance(self.event, TokenMade):
            return [self.event.sub]
        kind, _, id_ = self.log.stream.partition(":")
        return [id_] if kind == "player" else []


def kinds() -> list[str]:
    """Everything that may happen."""
    names = (*codec.NAMES, *codec.UPCASTERS)
    return sorted({name.partition("/")[0] for name in names})


def check_known(conn: Connection, wanted: TrailFilter) -> None:
    """Raise NotFound for a player or a match of whom the log knows nothing: that is not the same as no event."""
    for kind, id_ in (("player", wanted.player), ("match", wanted.match)):
        if id_ is not None and conn.execute(_in_stream(f"{kind}:{id_}").limit(1)).first() is None:
            raise NotFound(kind, kind, id_)


def seats_of(conn: Connection, entries: Iterable[TrailEntry]) -> dict[str, Sequence[str]]:
    """Who sits in the matches that these entries are about."""
    streams = {f"match:{entry.match}" for entry in entries if entry.match is not None}
    opened = select(*COLUMNS).select_from(events).where(stream.in_(streams), topic.in_(_names_of("match-opened")))
    found = (entry_of(row) for row in typed(StoredEvent, conn.execute(opened)))
    return {entry.match: entry.event.seats for entry in found if isinstance(entry.event, MatchOpened) and entry.match}


def trail(wanted: TrailFilter) -> Query:
    """The events that a filter leaves. Raises InvalidInput for a kind or a door that there is not, or no span."""
    _check(wanted)
    found: list[FromClause] = [*_found(wanted)]
    first, *others = found or [events]
    query = select(*COLUMNS, place.label("place"), played_at.label("played_at")).select_from(first)
    for other in others:
        query = query.where(position.in_(select(other.c.position)))
    return query.where(*_conditions(wanted))


def order_of(wanted: TrailFilter, *, latest_first: bool) -> Order:
    """The order of a trail: by time of play where a span of play is wanted, else by position.

    Each has an index in which what the filter leaves stands in this order. The sum is the position, but no index of all
    positions: else the planner would walk back through the log until it meets an actor who wrote half of it, years ago.
    """
    if wanted.of_play:
        return Order((played_at.label("played_at"), position), latest_first)
    return Order((place.label("place") if wanted.of_envelope else position,), latest_first)


def entry_of(row: StoredEvent) -> TrailEntry:
    """An event of `trail`."""
    log, stored = entry_and_body(row)
    body = msgspec.json.decode(stored)
    body.update((field, None) for field in codec.private_fields(row.topic) if field in body)
    shown = msgspec.json.encode(body)
    return TrailEntry(log, codec.decode_body(row.topic, shown), shown.decode())


def every_entry(conn: Connection, wanted: TrailFilter) -> Iterator[TrailEntry]:
    """All events that a filter leaves, the oldest first, in bounded memory. Raises InvalidInput."""
    query = trail(wanted).order_by(position)
    for row in typed(StoredEvent, conn.execution_options(yield_per=1_000).execute(query)):
        yield entry_of(row)


def _check(wanted: TrailFilter) -> None:
    if wanted.source is not None and wanted.source not in SOURCES:
        raise InvalidInput("source", f"there is no {wanted.source!r}; there are {', '.join(SOURCES)}")
    for start, end in ((wanted.recorded_from, wanted.recorded_before), (wanted.played_from, wanted.played_before)):
        if start is not None and end is not None and end <= start:
            raise InvalidInput("to", "the end of the span does not lie after its start")


def _found(wanted: TrailFilter) -> Iterator[CTE]:
    """What is about a player, and what is about a match, each of its events once.

    The planner has to find it first: it would rather walk back through the log until it meets enough of it.
    """
    if wanted.player is not None:
        yield _of_player(wanted.player).cte("of_player").prefix_with("MATERIALIZED")
    if wanted.match is not None:
        entered = select(events).where(is_entry, match_entered == _json(wanted.match) + b"}}")
        in_match = union_all(_in_stream(f"match:{wanted.match}"), entered)
        yield in_match.cte("of_match").prefix_with("MATERIALIZED")


def _of_player(player: str) -> CompoundSelect[Any]:
    m = t.match_players.c
    # In the collation of the streams' index, or it would not be used.
    match = (literal("match:", Text) + m.match_id).collate("default")
    in_matches = (
        select(events).join_from(t.match_players, events, e.originator_id == match).where(m.player_id == player)
    )
    in_series = select(events).where(is_entry, competitors.contains(literal([player], ARRAY(Text))))
    tokens = select(events).where(is_token, token_for == _json(player))
    return union_all(_in_stream(f"player:{player}"), in_matches, in_series, tokens)


def _in_stream(name: str) -> Query:
    return select(events).where(e.originator_id == name)


def _conditions(wanted: TrailFilter) -> Iterator[ColumnElement[bool]]:
    for said, value in ((actor, wanted.actor), (source, wanted.source)):
        if value is not None:
            yield said == _json(value)
    if wanted.kind is not None:
        yield topic.in_(_names_of(wanted.kind))
    if wanted.stream is not None:
        yield is_act if wanted.stream == STREAM else stream == wanted.stream
    at = place if wanted.of_envelope else position
    for condition in (
        None if wanted.recorded_from is None else at >= _first_recorded(wanted.recorded_from),
        None if wanted.recorded_before is None else at < _first_recorded(wanted.recorded_before),
        None if wanted.played_from is None else played_at >= wanted.played_from,
        None if wanted.played_before is None else played_at < wanted.played_before,
    ):
        if condition is not None:
            yield condition


def _names_of(kind: str) -> Sequence[str]:
    names = [n for n in (*codec.NAMES, *codec.UPCASTERS) if n.partition("/")[0] == kind]
    if not names:
        raise InvalidInput("kind", f"there is no {kind!r}; there are {', '.join(kinds())}")
    return names


def _first_recorded(moment: datetime) -> ColumnElement[int]:
    """The position of the first event recorded then or later; in the order of the log, so no other span is read."""
    other = events.alias("other").c
    first = select(other.position).where(other.recorded_at >= moment).order_by(other.recorded_at).limit(1)
    return func.coalesce(first.scalar_subquery(), AFTER_ALL)


def _json(text: str) -> bytes:
    return msgspec.json.encode(text)
