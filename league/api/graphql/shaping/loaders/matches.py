"""Matches with their hands, rating changes and disputes; the events of the log; seasons."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError
from league.audit.head_signing import last_head, prove_events
from league.audit.signed_heads import LogHead, raw
from league.domain.hand import HandFacts
from league.domain.play import WholeHand
from league.domain.refusals import WrongState
from league.domain.sentences import say
from league.eventlog import encoded_rows
from league.projections.queries import catalogue
from league.projections.queries.catalogue import SeasonRow
from league.projections.queries.log import LogEntry, entries_by_position, entries_by_stream, whole_hands
from league.projections.queries.matches import (
    ChangeRow,
    DisputeRow,
    HandRow,
    MatchRow,
    PositionedFacts,
    changes_by_match,
    disputes_by_match,
    facts_by_id,
    hands_by_match,
    matches_by_id,
)
from league.projections.queries.snapshot import Snapshot
from league.wording.language import spoken


class LoadedHand(Struct, frozen=True):
    """A hand of a match: its facts, the position of their event, and its score; None in a voided match."""

    match_id: str
    number: int
    facts: HandFacts
    position: int
    score: HandRow | None


async def match(info: Info, id_: str) -> MatchRow | None:
    """The match with this id in the league."""
    return await info.context.reader.load(matches_by_id, id_)


async def facts(info: Info, match_id: str) -> PositionedFacts | None:
    """The facts of a match."""
    return await info.context.reader.load(facts_by_id, match_id)


async def disputes(info: Info, match_id: str) -> list[DisputeRow]:
    """The disputes of a match, in order."""
    return await info.context.reader.load(disputes_by_match, match_id) or []


async def hands(info: Info, match_id: str) -> list[LoadedHand]:
    """The hands of a match, in order."""
    found = await facts(info, match_id)
    if found is None or found.state.played is None:
        return []
    state, played = found.state, found.state.played
    scores = {row.hand: row for row in await info.context.reader.load(hands_by_match, match_id) or []}
    return [
        LoadedHand(match_id, number, hand, position, scores.get(number))
        for number, (hand, position) in enumerate(zip(played.hands, state.hand_positions, strict=True), 1)
    ]


async def hand(info: Info, match_id: str, number: int) -> LoadedHand | None:
    """One hand of a match."""
    return next((hand for hand in await hands(info, match_id) if hand.number == number), None)


async def transcripts(info: Info, match_id: str) -> dict[int, WholeHand]:
    """The hands of a match whose every turn is known, by number, without hands whose facts were corrected.

    They were recorded turn by turn, or played at the live table with the match's id.
    """
    store = info.context.league.store

    def read(_: Snapshot, ids: Sequence[str]) -> dict[str, dict[int, WholeHand]]:
        return whole_hands(store, ids)

    return await info.context.reader.load(read, match_id, kind="transcripts") or {}


async def changes(info: Info, match_id: str) -> list[ChangeRow]:
    """The rating changes that a match caused: players first, then pairs."""
    return await info.context.reader.load(changes_by_match, match_id) or []


async def change(info: Info, match_id: str, competitor_id: str) -> ChangeRow | None:
    """The rating change that a match caused for a player or a pair."""
    return next((row for row in await changes(info, match_id) if row.id == competitor_id), None)


async def season(info: Info, id_: str) -> SeasonRow | None:
    """The season with this id in the league."""
    rows = await info.context.reader.once(catalogue.all_seasons)
    return next((row for row in rows if row.season_id == id_), None)


async def event(info: Info, position: int) -> LogEntry | None:
    """The event at a position."""
    return await info.context.reader.load(entries_by_position, position)


async def events(info: Info, stream: str) -> list[LogEntry]:
    """The events of a stream, in order."""
    return await info.context.reader.load(entries_by_stream, stream) or []


async def latest_head(info: Info) -> LogHead | None:
    """The signed head with the highest position, by the league's key; by any key if this server has none."""
    return await info.context.reader.read(_latest_head, _keys(info))


async def proof_of_match(info: Info, match: str) -> str | None:
    """The proof of a match under the latest head; None if the head does not cover all of it. Raises RequestError."""
    try:
        return await info.context.reader.read(_proof, match, _keys(info))
    except WrongState as broken:
        raise RequestError(say("There is no proof: {why}.", why=broken.said(spoken))) from None


def _proof(snapshot: Snapshot, match: str, keys: Sequence[bytes]) -> str | None:
    conn, head = _psycopg(snapshot), _latest_head(snapshot, keys)
    found = encoded_rows.events_of(conn, stream=f"match:{match}")
    if head is None or not found or head.position < found[-1][0].position:
        return None
    return prove_events(conn, found, head).decode()


def _latest_head(snapshot: Snapshot, keys: Sequence[bytes]) -> LogHead | None:
    return last_head(_psycopg(snapshot), keys)


def _psycopg(snapshot: Snapshot) -> Any:  # SQLAlchemy does not type the driver's own connection
    return snapshot.conn.connection.driver_connection


def _keys(info: Info) -> list[bytes]:
    key = info.context.league.key
    return [] if key is None else [raw(key.public_key())]
