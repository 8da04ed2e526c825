"""Queries for tournaments on the read side, with the results of a run at their tables.

The rows of tournaments are written together with their events, which raises the generation of the read side: so they
follow from its state, as all rows do that everybody reads.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import (
    Column,
    DateTime,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    select,
    text,
)

from league.audit.head_signing import head_at, prove_events
from league.domain.rules import Rulebook, Ruleset
from league.eventlog import encoded_rows
from league.projections import tables as t
from league.projections.queries.catalogue import timeline
from league.projections.queries.pages import Order, Query, among_ids
from league.projections.queries.snapshot import Snapshot, read_rulebook, short_if
from league.tournaments.domain.drawn import SeedCommitment
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import ratings_of_competitors
from league.tournaments.domain.round_tables import claims_of
from league.tournaments.domain.standing import StandingPlace
from league.tournaments.domain.state import TournamentState
from league.tournaments.match_results import read_results
from league.tournaments.seen_tournaments import SeenTournament, SeenTournaments, StoredTournament

Id = Text(collation="C")
metadata = MetaData()

tournaments = Table(
    "tournaments",
    metadata,
    Column("tournament_id", Id, primary_key=True),
    Column("planned_at", DateTime(timezone=True), nullable=False),
    Column("name", Text, nullable=False),
    Column("format", Id, nullable=False),
    Column("status", Id, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("asked_at", DateTime(timezone=True)),
)
tournament_players = Table(
    "tournament_players",
    metadata,
    Column("player_id", Id, primary_key=True),
    Column("tournament_id", Id, primary_key=True),
)
tournament_drawings = Table(
    "tournament_drawings",
    metadata,
    Column("tournament_id", Id, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("drawing", LargeBinary, nullable=False),
)
tournament_matches = Table(
    "tournament_matches",
    metadata,
    Column("match_id", Id, primary_key=True),
    Column("tournament_id", Id, nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
)


_state = lru_cache(maxsize=16)(msgspec.msgpack.Decoder(TournamentState).decode)
"""The state in these bytes. Cached: that of 1,000 competitors takes 5 ms."""

_DRAWING = msgspec.msgpack.Decoder(RoundDrawn)

_t, _p, _m, _d = tournaments.c, tournament_players.c, tournament_matches.c, tournament_drawings.c
NEWEST_FIRST = Order((_t.planned_at, _t.tournament_id), descending=True)

_BY_ID = select(_t.tournament_id, _t.planned_at, _t.state).where(among_ids(_t.tournament_id))
_NAMES = select(_t.tournament_id, _t.name).where(among_ids(_t.tournament_id))
_ALL = select(_t.tournament_id).order_by(_t.tournament_id)
_RUNNING = select(_t.tournament_id).where(_t.status == "running").order_by(_t.tournament_id)
_DRAWINGS = select(_d.tournament_id, _d.round, _d.number, _d.drawing).where(among_ids(_d.tournament_id))
_AT_TABLES = select(tournament_matches).where(among_ids(_m.match_id))

_CHANGED = text("""
    WITH streams AS (
        SELECT DISTINCT originator_id AS stream FROM stored_events WHERE position > :since AND position <= :until
    )
    SELECT substr(stream, length('tournament:') + 1) FROM streams WHERE starts_with(stream, 'tournament:')
    UNION
    SELECT tournament_id FROM tournament_matches JOIN streams ON stream = 'match:' || match_id
""")

_rt = t.ratings.c
_RATINGS = select(_rt.id, _rt.rating).where(
    _rt.run == bindparam("run", type_=_rt.run.type),
    _rt.subject == "player",
    _rt.mode == bindparam("mode"),
    among_ids(_rt.id),
)


class TournamentFilter(Struct, frozen=True):
    """Conditions on tournaments. None means any."""

    status: tuple[str, ...] | None = None
    player: str | None = None
    """The id of a player who has entered."""


class ListedTournament(NamedTuple):
    """A row of the list of tournaments, with the columns that order it."""

    tournament_id: str
    planned_at: datetime


_seen = SeenTournaments()


class TournamentTableOfMatch(Struct, frozen=True):
    """The tournament, round and table of a match."""

    tournament_id: str
    round: int
    table: int
    match_id: str


def listed(wanted: TournamentFilter) -> Query:
    """A query for the tournaments that pass a filter."""
    query = select(_t.tournament_id, _t.planned_at)
    if wanted.status is not None:
        query = query.where(_t.status.in_(wanted.status))
    if wanted.player is not None:
        query = query.where(_t.tournament_id.in_(select(_p.tournament_id).where(_p.player_id == wanted.player)))
    return query


def all_tournaments(snapshot: Snapshot) -> list[str]:
    """The ids of all tournaments, in ascending order."""
    return list(snapshot.conn.scalars(_ALL))


def changed_since(snapshot: Snapshot, position: int) -> list[str]:
    """The tournaments that have an event after a position, themselves or at one of their tables."""
    return list(snapshot.conn.scalars(_CHANGED, {"since": position, "until": snapshot.position}))


def _in_memory(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, SeenTournament]:
    """The tournaments among these ids that this process has read in the snapshot's state."""
    database = snapshot.conn.engine.url.render_as_string()
    return {id_: seen for id_ in ids if (seen := _seen.find(database, id_, snapshot.state)) is not None}


def _are_in_memory(snapshot: Snapshot, ids: Sequence[str]) -> bool:
    return len(_in_memory(snapshot, ids)) == len(ids)


@short_if(_are_in_memory)
def stored_tournaments(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, StoredTournament]:
    """The known tournaments among these ids, by id. Only those in memory come with the results of their matches."""
    found = {
        id_: StoredTournament(seen.state, seen.planned_at, seen) for id_, seen in _in_memory(snapshot, ids).items()
    }
    missing = [id_ for id_ in ids if id_ not in found]
    rows = snapshot.conn.execute(_BY_ID, {"ids": missing}) if missing else ()
    return found | {row.tournament_id: StoredTournament(_state(row.state), row.planned_at) for row in rows}


@short_if(_are_in_memory)
def tournaments_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, SeenTournament]:
    """The known tournaments among these ids, by id, with the results of the snapshot's run."""
    database, found = snapshot.conn.engine.url.render_as_string(), _in_memory(snapshot, ids)
    read = stored_tournaments(snapshot, [id_ for id_ in ids if id_ not in found]) if len(found) < len(ids) else {}
    if not read:
        return found
    known = {id_: _seen.results(database, id_) for id_ in read}
    results = read_results(snapshot, {id_: one.state for id_, one in read.items()}, known)
    for id_, one in read.items():
        state, by_round = one.state, results[id_]
        its = {match: result for of in by_round.values() for match, result in of.results.items()}
        now = SeenTournament(state, one.planned_at, _ruleset(snapshot, state), its, _ratings(snapshot, state))
        found[id_] = _seen.add(database, snapshot.state, now, by_round)
    return found


def provisional_places(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, Mapping[str, StandingPlace]]:
    """The places if each open match ended now, by tournament and competitor; none if no open match has a leading side.

    They are computed for who reads them: that takes as long as a standing, after each hand.
    """
    return {id_: seen.provisional_places for id_, seen in tournaments_by_id(snapshot, ids).items()}


Drawings = Mapping[tuple[int, int], RoundDrawn]
"""The drawings of a tournament, by the number of the round and the number of the drawing, both from 1."""


def drawings_by_tournament(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, Drawings]:
    """All drawings of each tournament."""
    found: dict[str, dict[tuple[int, int], RoundDrawn]] = {id_: {} for id_ in ids}
    for row in snapshot.conn.execute(_DRAWINGS, {"ids": list(ids)}):
        found[row.tournament_id][row.round, row.number] = _DRAWING.decode(row.drawing)
    return {**found}


def tables_by_match(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, TournamentTableOfMatch]:
    """The tournament, round and table of each match that belongs to a tournament, by match."""
    rows = snapshot.conn.execute(_AT_TABLES, {"ids": list(ids)})
    return {
        row.match_id: TournamentTableOfMatch(row.tournament_id, row.round, row.number, row.match_id) for row in rows
    }


def names_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, str]:
    """The names of the known tournaments among these ids, by id."""
    rows = snapshot.conn.execute(_NAMES, {"ids": list(ids)})
    return {row.tournament_id: row.name for row in rows}


def claims_to_decide(snapshot: Snapshot) -> int:
    """How many tables of running tournaments wait for somebody to decide who did not come."""
    running = snapshot.conn.scalars(_RUNNING).all()
    found = tournaments_by_id(snapshot, running).values() if running else ()
    tables = ((table, seen.results) for seen in found for of in seen.state.published[-1:] for table in of.tables)
    return sum(bool(claims_of(table, results)) for table, results in tables)


def has_bell(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, bool]:
    """Whether the rounds of a match's tournament are timed, by match. Matches of no tournament are left out."""
    tables = tables_by_match(snapshot, ids)
    rows = snapshot.conn.execute(_BY_ID, {"ids": sorted({at.tournament_id for at in tables.values()})})
    plans = {row.tournament_id: _state(row.state).plan for row in rows}
    timed = {id_ for id_, plan in plans.items() if plan is not None and plan.minutes is not None}
    return {match: at.tournament_id in timed for match, at in tables.items()}


def _ruleset(snapshot: Snapshot, state: TournamentState) -> Ruleset:
    """The plan's ruleset, in the edition in force when the first round was published, or else in the latest."""
    began_at = state.published[0].published_at if state.published else None
    return rules_at(snapshot, began_at).rulesets[state.known_plan.ruleset]


def rules_at(snapshot: Snapshot, at: datetime | None) -> Rulebook:
    """The edition of the rules in force at a time, or the latest one."""
    holding = [span for span in timeline(snapshot) if at is None or span.start is None or span.start <= at]
    return read_rulebook(snapshot, holding[-1].hash)


def _ratings(snapshot: Snapshot, state: TournamentState) -> dict[str, float]:
    if state.known_plan.first_round != "rating" or state.published or not state.rounds:
        return {}
    given = {"run": snapshot.run, "mode": state.known_plan.mode, "ids": sorted(state.players())}
    found = {row.id: row.rating for row in snapshot.conn.execute(_RATINGS, given)}
    return ratings_of_competitors(state, found, float(rules_at(snapshot, None).rating.start))


# ---------------------------------------------------------------- proofs for devices


_LAST_DRAWING = """
    SELECT max(position) FROM stored_events WHERE originator_id = %s AND topic = 'tournament-round-drawn/1'
"""
_COMMITMENT = """
    SELECT max(position) FROM stored_events
    WHERE originator_id = %s AND topic = 'tournament-seed-committed/1' AND position <= %s
    AND convert_from(state, 'UTF8')::json #>> '{body,competitor}' = %s
    AND convert_from(state, 'UTF8')::json #>> '{body,commitment}' = %s
"""


def last_drawing(conn: Any, stream: str) -> int | None:
    """Position of the last drawing of a tournament; None before the first. `conn`: a psycopg connection."""
    return conn.execute(_LAST_DRAWING, [stream]).fetchone()[0]  # type: ignore[no-any-return]


def proof_of_commitment(
    snapshot: Snapshot, stream: str, promised: SeedCommitment, position: int | None, key: bytes
) -> str | None:
    """The proof of the event that stored a competitor's commitment, under the head of a drawing.

    `position`: position of the drawing; None means the last one of the stream. `key`: the league's public key. Returns
    None if no head of exactly that position is signed. Raises WrongState if the log is not what was signed.
    """
    conn: Any = snapshot.conn.connection.driver_connection  # SQLAlchemy does not type it
    position = last_drawing(conn, stream) if position is None else position
    [committed] = conn.execute(_COMMITMENT, [stream, position, promised.id, promised.commitment]).fetchone()
    if position is None or committed is None:
        return None
    head = head_at(conn, key, position)
    if head is None:
        return None
    return prove_events(conn, encoded_rows.events_of(conn, position=committed), head).decode()
