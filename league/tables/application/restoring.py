"""What a restored league does with the hands that were running when it was backed up."""

from typing import Any

import psycopg

from league.tables.domain.events import HandDropped

RUNNING_HANDS = """
    SELECT table_stream, (convert_from(state, 'UTF8')::jsonb -> 'body' ->> 'hand')::int,
        (SELECT max(originator_version) FROM stored_events WHERE originator_id = table_stream)
    FROM (
        SELECT DISTINCT ON (originator_id) originator_id AS table_stream, topic, state FROM stored_events
        WHERE topic IN ('table-shuffle-committed/1', 'table-hand-ended/1', 'table-hand-dropped/1', 'table-closed/1')
        ORDER BY originator_id, originator_version DESC
    ) AS newest
    WHERE topic = 'table-shuffle-committed/1'
    ORDER BY table_stream
"""


def dropped_hands(conn: psycopg.Connection[Any]) -> list[tuple[str, int, HandDropped]]:
    """The running hands are dropped: after the backup their secrets may have been published. The clock deals them anew.

    Each event with its stream and its version there.
    """
    running = conn.execute(RUNNING_HANDS).fetchall()
    return [(stream, version + 1, HandDropped(hand)) for stream, hand, version in running]
