"""Events of the log, and the proof that those of a match are in it."""

from collections.abc import Sequence
from typing import Any

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError
from league.audit.head_signing import last_head
from league.audit.log_proofs import prove_events
from league.audit.signed_heads import Head, raw
from league.domain.refusals import WrongState
from league.eventlog import encoded_rows
from league.projections.queries import log as reads
from league.projections.queries.log import LogEntry
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _, spoken


async def event(info: Info, position: int) -> LogEntry | None:
    """The event at a position."""
    return await info.context.reader.load(reads.entries_by_position, position)


async def events(info: Info, stream: str) -> list[LogEntry]:
    """The events of a stream, in order."""
    return await info.context.reader.load(reads.entries_by_stream, stream) or []


async def latest_head(info: Info) -> Head | None:
    """The signed head with the highest position, by the league's key; by any key if this server has none."""
    return await info.context.reader.read(_latest_head, _keys(info))


async def proof_of_match(info: Info, match: str) -> str | None:
    """The proof of a match under the latest head; None if the head does not cover all of it. Raises RequestError."""
    try:
        return await info.context.reader.read(_proof, match, _keys(info))
    except WrongState as broken:
        raise RequestError(_("There is no proof: {why}.", why=broken.said(spoken))) from None


def _proof(snapshot: Snapshot, match: str, keys: Sequence[bytes]) -> str | None:
    conn, head = _psycopg(snapshot), _latest_head(snapshot, keys)
    found = encoded_rows.events_of(conn, stream=f"match:{match}")
    if head is None or not found or head.position < found[-1][0].position:
        return None
    return prove_events(conn, found, head).decode()


def _latest_head(snapshot: Snapshot, keys: Sequence[bytes]) -> Head | None:
    return last_head(_psycopg(snapshot), keys)


def _psycopg(snapshot: Snapshot) -> Any:  # SQLAlchemy does not type the driver's own connection
    return snapshot.conn.connection.driver_connection


def _keys(info: Info) -> list[bytes]:
    key = info.context.league.key
    return [] if key is None else [raw(key.public_key())]
