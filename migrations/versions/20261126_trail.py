"""The audit trail: indexes by actor, kind and time, so that it is found without reading the whole log."""

from __future__ import annotations

from alembic import op

revision = "20261126_trail"
down_revision = "20261124_chain"
branch_labels = None
depends_on = None

TRAIL = """
-- The JSON after a mark in an event's document, up to the end or to the next such mark; empty if there are no such
-- marks. Unlike a cast to jsonb it accepts all bytes, so its index never keeps an event from being stored or checked.
-- Marks contain quotes, which are escaped in texts that people wrote.
CREATE OR REPLACE FUNCTION behind_mark(state bytea, before bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE position(before IN state)
        WHEN 0 THEN ''::bytea
        ELSE substring(state FROM position(before IN state) + octet_length(before))
    END;
CREATE OR REPLACE FUNCTION between_marks(state bytea, before bytea, after bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    substring(behind_mark(state, before) FOR greatest(0, position(after IN behind_mark(state, before)) - 1));

-- The time of play; without a readable one, the time of recording. A time in the log has an offset, so it does not
-- depend on the settings of a session.
CREATE OR REPLACE FUNCTION played_at(state bytea, recorded_at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    said text := encode(league.between_marks(state, ',"played_at":', ',"body":'), 'escape');
BEGIN
    RETURN CASE said WHEN 'null' THEN recorded_at ELSE btrim(said, '"')::timestamptz END;
EXCEPTION WHEN data_exception THEN
    RETURN recorded_at;
END $$;

-- The actor, the source and the kind of event, in log order; and the time. The sum is the position: it keeps the
-- planner from the index of all positions (see `order_of` in `league.projections.queries.trail`).
CREATE INDEX IF NOT EXISTS stored_events_actor_idx
    ON stored_events (between_marks(state, '"actor":', ',"source":'), (position + 0));
CREATE INDEX IF NOT EXISTS stored_events_source_idx
    ON stored_events (between_marks(state, ',"source":', ',"key":'), (position + 0));
CREATE INDEX IF NOT EXISTS stored_events_topic_idx ON stored_events (topic, (position + 0));
CREATE INDEX IF NOT EXISTS stored_events_played_idx ON stored_events (played_at(state, recorded_at), position);
-- The stream of administrative acts grows as long as the league exists.
CREATE INDEX IF NOT EXISTS stored_events_trail_idx ON stored_events (position) WHERE originator_id = 'trail';
-- The series streams of a player (their parts, without mode and month), and of a match; tokens by subject.
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
