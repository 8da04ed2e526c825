"""Proofs that the signed root of a drawing has a commitment: a device asks for one before it gives its bytes."""

from typing import Any

from league.audit.head_signing import head_at
from league.audit.log_proofs import prove_events
from league.eventlog import encoded_rows
from league.projections.queries.snapshot import Snapshot
from league.tournaments.domain.drawn import Commitment

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
    """The position of the last drawing of a tournament. `conn`: of psycopg."""
    return conn.execute(_LAST_DRAWING, [stream]).fetchone()[0]  # type: ignore[no-any-return]


def proof_of_commitment(
    snapshot: Snapshot, stream: str, promised: Commitment, position: int | None, key: bytes
) -> str | None:
    """The proof of the event that stored a competitor's commitment, under the head of a drawing.

    `position`: of the drawing; None: the last one of the stream. `key`: the league's public key. None where no head of
    exactly that position is signed. Raises WrongState if the log is not what was signed.
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
