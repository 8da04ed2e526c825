"""The audit trail: the events that pass a filter, found by indexes without reading the whole log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

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
    any_,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.audit_trail import SOURCES, STREAM, TokenMade
from league.domain.deciders import Event
from league.domain.match import MatchOpened
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput, NotFound, ResourceKind
from league.domain.sentences import say
from league.domain.series import MatchEntered
from league.eventlog import codec
from league.projections import tables as t
from league.projections.queries.log import EVENTS, LogEntry, StoredEvent, entry_and_body, logged
from league.projections.queries.pages import Order, Query, typed
from league.projections.queries.snapshot import Snapshot
from league.projections.writers.play_metrics import played_hands

# Queried without a table: events about a player or a match are found first and read from that result.
position = literal_column("position", BigInteger)
stream = literal_column("originator_id", Text)
topic = literal_column("topic", Text)
recorded_at = literal_column("recorded_at", DateTime(timezone=True))
state = literal_column("state", LargeBinary)
COLUMNS: tuple[ColumnClause[Any], ...] = (position, stream, topic, recorded_at, state)
events = table("stored_events", *(column(c.name, c.type) for c in COLUMNS))
e = events.c

# Must be written exactly as in the migration that creates the indexes, or PostgreSQL does not use them.
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

NUMBER_OF_EVENTS = select(func.coalesce(func.max(position), 0)).select_from(events)
"""The number of all events: positions are dense."""
# Quotes inside a value are escaped, so that no value looks like this mark.
_LATEST_EXPORT = text(
    f"{EVENTS} originator_id = :stream AND topic LIKE 'rows-exported/%' AND position(:mark IN state) > 0"
    " ORDER BY originator_version DESC LIMIT 1"
)
_HASHES = text("SELECT position, hash FROM stored_events WHERE position IN (:at - 1, :at)")

AFTER_ALL = literal(2**63 - 1, BigInteger)
"""A position that no event reaches."""


class TrailFilter(Struct, frozen=True):
    """Conditions on events; None: any."""

    player: str | None = None
    """Only events in the player's stream and in the streams of their matches and series, and tokens made for them."""
    match: str | None = None
    """Only events in the match's stream, and its entry into the series."""
    actor: str | None = None
    source: str | None = None
    kind: str | None = None
    """The kind of event, in any version: `match-voided`."""
    stream: str | None = None
    recorded_from: datetime | None = None
    """Recorded at or after this time."""
    recorded_before: datetime | None = None
    played_from: datetime | None = None
    """Played at or after this time; an event without a time of play counts as played when it was recorded."""
    played_before: datetime | None = None

    merged: tuple[str, ...] = ()
    """Ids that were merged into the player."""

    @property
    def of_play(self) -> bool:
        """Whether the filter has a span of play time."""
        return self.played_from is not None or self.played_before is not None

    @property
    def of_envelope(self) -> bool:
        """Whether the filter has a condition that many events may meet, though perhaps none for a long time."""
        return self.actor is not None or self.source is not None or self.kind is not None


class TrailEvent(Struct, frozen=True):
    """An event with its content; sealed fields are left out."""

    log: LogEntry
    event: Event
    body: str
    """The content as JSON, in its stored shape."""

    @property
    def kind(self) -> str:
        """The kind of event, without the version."""
        return self.log.name.partition("/")[0]

    @property
    def version(self) -> int:
        """The version of the stored shape."""
        return int(self.log.name.partition("/")[2])

    @property
    def match(self) -> str | None:
        """The match that the event is about."""
        if isinstance(self.event, MatchEntered):
            return self.event.match
        kind, _, id_ = self.log.stream.partition(":")
        return id_ if kind == "match" else None

    @property
    def played_in(self) -> str | None:
        """The match in which the event happened: the one that it is about or names, or that of its live table."""
        kind, _, id_ = self.log.stream.partition(":")
        if kind in (played.kind for played in played_hands().values()):
            return id_
        named: str | None = getattr(self.event, "match", None)
        return self.match or named

    def players(self, openings: Mapping[str, MatchOpened]) -> list[str]:
        """The players that the event is about, as in `TrailFilter.player`. `openings` comes from `openings_of`."""
        if self.match is not None:
            return list(openings[self.match].seats) if self.match in openings else []
        if isinstance(self.event, TokenMade):
            return [self.event.sub]
        kind, _, id_ = self.log.stream.partition(":")
        return [id_] if kind == "player" else []


class HashedEvent(NamedTuple):
    """A row of the log with its place in the hash chain."""

    event: StoredEvent
    hash: bytes
    before: bytes | None
    """The hash of the event before; None: it is the first."""


def event_at(conn: Connection, at: int) -> HashedEvent | None:
    """The event at a position; None where the log has none."""
    hashes = {row.position: row.hash for row in conn.execute(_HASHES, {"at": at})}
    if at not in hashes:
        return None
    [event] = typed(StoredEvent, conn.execute(select(*COLUMNS).select_from(events).where(position == at)))
    return HashedEvent(event, hashes[at], hashes.get(at - 1))


def latest_export(snapshot: Snapshot, what: str) -> LogEntry | None:
    """The event of the latest export of this kind, such as `backup`; None: there is none."""
    mark = b'"body":{"what":"%s"' % what.encode()
    found = logged(snapshot, _LATEST_EXPORT, stream=STREAM, mark=mark)
    return found[0][0] if found else None


def kinds() -> list[str]:
    """Every kind of event."""
    names = (*codec.NAMES, *codec.UPCASTERS)
    return sorted({name.partition("/")[0] for name in names})


def check_known(conn: Connection, wanted: TrailFilter) -> None:
    """Raise NotFound for a player or a match that the log does not know, as opposed to one without matching events."""
    named: tuple[tuple[ResourceKind, str | None], ...] = (("player", wanted.player), ("match", wanted.match))
    for kind, id_ in named:
        if id_ is not None and conn.execute(_in_stream(f"{kind}:{id_}").limit(1)).first() is None:
            raise NotFound(kind, kind, id_)


def openings_of(conn: Connection, entries: Iterable[TrailEvent]) -> dict[str, MatchOpened]:
    """The opening events, by match, of the matches in which these entries happened."""
    streams = {f"match:{entry.played_in}" for entry in entries if entry.played_in is not None}
    opened = select(*COLUMNS).select_from(events).where(stream.in_(streams), topic.in_(_names_of("match-opened")))
    found = (entry_of(row) for row in typed(StoredEvent, conn.execute(opened)))
    return {entry.match: entry.event for entry in found if isinstance(entry.event, MatchOpened) and entry.match}


def trail(wanted: TrailFilter) -> Query:
    """The events that pass a filter. Raises InvalidInput for an unknown kind or source, or an empty span."""
    _check(wanted)
    found: list[FromClause] = [*_found(wanted)]
    first, *others = found or [events]
    query = select(*COLUMNS, place.label("place"), played_at.label("played_at")).select_from(first)
    for other in others:
        query = query.where(position.in_(select(other.c.position)))
    return query.where(*_conditions(wanted))


def order_of(wanted: TrailFilter, *, latest_first: bool) -> Order:
    """The order of a trail: by time of play if the filter has a span of play, else by position.

    Each filter has an index in this order. The sum equals the position but matches no index of all positions: with one,
    the planner would scan the log backward for an actor who wrote half of it years ago.
    """
    if wanted.of_play:
        return Order((played_at.label("played_at"), position), latest_first)
    return Order((place.label("place") if wanted.of_envelope else position,), latest_first)


def entry_of(row: StoredEvent) -> TrailEvent:
    """The entry of an event that `trail` found."""
    log, stored = entry_and_body(row)
    body = msgspec.json.decode(stored)
    sealed = (*codec.private_fields(row.topic), *codec.hand_secrets(row.topic))
    body.update((field, None) for field in sealed if field in body)
    shown = msgspec.json.encode(body)
    return TrailEvent(log, codec.decode_body(row.topic, shown), shown.decode())


def every_entry(conn: Connection, wanted: TrailFilter) -> Iterator[TrailEvent]:
    """All events that pass a filter, oldest first, in bounded memory. Raises InvalidInput."""
    query = trail(wanted).order_by(position)
    for row in typed(StoredEvent, conn.execution_options(yield_per=1_000).execute(query)):
        yield entry_of(row)


def _check(wanted: TrailFilter) -> None:
    if wanted.source is not None and wanted.source not in SOURCES:
        known = there_are(wanted.source, SOURCES)
        raise InvalidInput("source", say("there is no {source!r}; {there_are}", source=wanted.source, there_are=known))
    for start, end in ((wanted.recorded_from, wanted.recorded_before), (wanted.played_from, wanted.played_before)):
        if start is not None and end is not None and end <= start:
            raise InvalidInput("to", say("the end of the span does not lie after its start"))


def _found(wanted: TrailFilter) -> Iterator[CTE]:
    """The events about a player or a match, each once.

    Materialized first: the planner would otherwise scan the log backward until it finds enough of them.
    """
    if wanted.player is not None:
        yield _of_player(wanted.player, wanted.merged).cte("of_player").prefix_with("MATERIALIZED")
    if wanted.match is not None:
        entered = select(events).where(is_entry, match_entered == _json(wanted.match) + b"}}")
        in_match = union_all(_in_stream(f"match:{wanted.match}"), entered)
        yield in_match.cte("of_match").prefix_with("MATERIALIZED")


def _of_player(player: str, merged: Sequence[str]) -> CompoundSelect[Any]:
    m = t.match_players.c
    # In the collation of the streams' index; with another one PostgreSQL does not use it.
    match = (literal("match:", Text) + m.match_id).collate("default")
    # An array, not a join: with old statistics the planner would read the whole log for a join.
    matches = func.array(select(match).where(m.player_id == player).scalar_subquery(), type_=ARRAY(Text))
    in_matches = select(events).where(e.originator_id == any_(matches))
    theirs = [
        part
        for id_ in (player, *merged)
        for part in (
            _in_stream(f"player:{id_}"),
            select(events).where(is_entry, competitors.contains(literal([id_], ARRAY(Text)))),
            select(events).where(is_token, token_for == _json(id_)),
        )
    ]
    return union_all(in_matches, *theirs)


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
        # A long message loses its middle, so what was probably meant comes first.
        likely = sorted(kinds(), key=lambda known: (kind not in known, known))
        raise InvalidInput(
            "kind", say("there is no {kind!r}; {there_are}", kind=kind, there_are=there_are(kind, likely))
        )
    return names


def _first_recorded(moment: datetime) -> ColumnElement[int]:
    """The position of the first event recorded at or after a time; reads no other part of the log."""
    other = events.alias("other").c
    first = select(other.position).where(other.recorded_at >= moment).order_by(other.recorded_at).limit(1)
    return func.coalesce(first.scalar_subquery(), AFTER_ALL)


def _json(value: str) -> bytes:
    return msgspec.json.encode(value)
