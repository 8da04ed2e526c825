"""The trail: who did what when is found without reading the whole log."""

from __future__ import annotations

from alembic import op

revision = "20261126_trail"
down_revision = "20261125_erasure"
branch_labels = None
depends_on = None

TRAIL = """
-- What stands between two marks of an event's document, as JSON; empty where they do not follow each other.
-- Unlike a cast to jsonb it refuses no bytes, so no event fails to be stored, or to be checked, for its index.
CREATE OR REPLACE FUNCTION between_marks(state bytea, before bytea, after bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(
        state FROM position(before IN state) + octet_length(before)
        FOR greatest(0, position(after IN state) - position(before IN state) - octet_length(before))
    )
$$;

-- Who wrote it.
CREATE INDEX IF NOT EXISTS stored_events_actor_idx
    ON stored_events (between_marks(state, '"actor":', ',"source":'), position);
-- What happened.
CREATE INDEX IF NOT EXISTS stored_events_topic_idx ON stored_events (topic, position);
-- The series streams of a player (their parts, without mode and month), and of a match.
CREATE INDEX IF NOT EXISTS stored_events_competitors_idx
    ON stored_events USING gin (((string_to_array(translate(originator_id, '+', ':'), ':'))[4:]))
    WHERE topic = 'match-entered/1';
CREATE INDEX IF NOT EXISTS stored_events_entered_idx
    ON stored_events (between_marks(state, '"body":{"match":', '}')) WHERE topic = 'match-entered/1';
"""


def upgrade() -> None:
    """Make the indexes."""
    op.execute(TRAIL)
