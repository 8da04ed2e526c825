"""The trail: who did what when is found without reading the whole log."""

from __future__ import annotations

from alembic import op

revision = "20261126_trail"
down_revision = "20261124_chain"
branch_labels = None
depends_on = None

TRAIL = """
-- What stands behind a mark of an event's document, as JSON, up to the end or to the next such mark; empty where there
-- are no such marks. Unlike a cast to jsonb it refuses no bytes, so no event fails to be stored, or to be checked, for
-- its index. Marks have quotes, and in what people wrote quotes are escaped.
CREATE OR REPLACE FUNCTION behind_mark(state bytea, before bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE position(before IN state)
        WHEN 0 THEN ''::bytea
        ELSE substring(state FROM position(before IN state) + octet_length(before))
    END;
CREATE OR REPLACE FUNCTION between_marks(state bytea, before bytea, after bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    substring(behind_mark(state, before) FOR greatest(0, position(after IN behind_mark(state, before)) - 1));

-- When it happened at the table; what has no such time, or none that can be read, when it was recorded. A time in the
-- log has an offset, so it says the same whatever the settings of a session are.
CREATE OR REPLACE FUNCTION played_at(state bytea, recorded_at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    said text := encode(league.between_marks(state, ',"played_at":', ',"body":'), 'escape');
BEGIN
    RETURN CASE said WHEN 'null' THEN recorded_at ELSE btrim(said, '"')::timestamptz END;
EXCEPTION WHEN data_exception THEN
    RETURN recorded_at;
END $$;

-- Who wrote it, by which door, what happened, in the order of the log; and when. The sum is the position: it keeps the
-- planner from the index of all positions (see `order_of` in the reads of the trail).
CREATE INDEX IF NOT EXISTS stored_events_actor_idx
    ON stored_events (between_marks(state, '"actor":', ',"source":'), (position + 0));
CREATE INDEX IF NOT EXISTS stored_events_source_idx
    ON stored_events (between_marks(state, ',"source":', ',"key":'), (position + 0));
CREATE INDEX IF NOT EXISTS stored_events_topic_idx ON stored_events (topic, (position + 0));
CREATE INDEX IF NOT EXISTS stored_events_played_idx ON stored_events (played_at(state, recorded_at), position);
-- The stream of what is no event of play grows as long as the league is there.
CREATE INDEX IF NOT EXISTS stored_events_trail_idx ON stored_events (position) WHERE originator_id = 'trail';
-- The series streams of a player (their parts, without mode and month), and of a match; tokens for somebody.
CREATE INDEX IF NOT EXISTS stored_events_competitors_idx
    ON stored_events USING gin (((string_to_array(translate(originator_id, '+', ':'), ':'))[4:]))
    WHERE topic = 'match-entered/1';
CREATE INDEX IF NOT EXISTS stored_events_entered_idx
    ON stored_events (behind_mark(state, '"body":{"match":')) WHERE topic = 'match-entered/1';
CREATE INDEX IF NOT EXISTS stored_events_token_idx
    ON stored_events (between_marks(state, ',"sub":', ',"roles":')) WHERE topic = 'token-made/1';
"""


def upgrade() -> None:
    """Make the functions and the indexes."""
    op.execute(TRAIL)
