"""The event log, the keys of sealed fields, and the record of requests.

The log is forward only: no migration drops or changes a stored event, so there is no downgrade.
"""

from __future__ import annotations

from alembic import op

revision = "20261120_event_log"
down_revision = None
branch_labels = None
depends_on = None

EVENT_LOG = """
-- The recorder of the `eventsourcing` library expects this table, its index and this type. `position` and `recorded_at`
-- are ours. Positions are dense; both columns are assigned under the lock that every writer takes.
CREATE TABLE stored_events (
    originator_id text NOT NULL,
    originator_version bigint NOT NULL,
    topic text NOT NULL,
    state bytea NOT NULL,
    notification_id bigserial NOT NULL,
    position bigint NOT NULL CHECK (position > 0),
    recorded_at timestamptz NOT NULL CHECK (recorded_at >= '0001-01-01Z' AND recorded_at < '9999-12-31Z'),
    PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_enabled = true,
    autovacuum_vacuum_threshold = 100000000,
    autovacuum_vacuum_scale_factor = 0.5,
    autovacuum_analyze_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.01
);
CREATE UNIQUE INDEX stored_events_notification_id_idx ON stored_events (notification_id);
CREATE UNIQUE INDEX stored_events_position_idx ON stored_events (position);
-- The events that the projector reads: all except those of live tables, which would outnumber them
-- (docs/decisions/tables-are-not-folded.md). The sum equals the position. It stops the planner from using the index of
-- all positions, which it would do until the log is analyzed.
CREATE VIEW followed_events AS
    SELECT position + 0 AS position, originator_id, originator_version, topic, recorded_at, state
    FROM stored_events WHERE NOT starts_with(originator_id, 'table:');
CREATE UNIQUE INDEX stored_events_followed_idx ON stored_events ((position + 0))
    WHERE NOT starts_with(originator_id, 'table:');
CREATE TYPE stored_event_text AS (originator_id text, originator_version bigint, topic text, state bytea);

-- One key for each stream of a player or a member. The personal fields of its events can be read while the key exists.
CREATE TABLE sealing_keys (
    stream text PRIMARY KEY,
    key bytea NOT NULL CHECK (octet_length(key) = 32)
);
-- ANALYZE copies values of a column into pg_statistic, where they outlive the row.
ALTER TABLE sealing_keys ALTER COLUMN key SET STATISTICS 0;

-- An accepted request by its idempotency key: the hash of its input, and the position of its last event.
CREATE TABLE requests (
    actor text NOT NULL,
    key text NOT NULL,
    input_hash text NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (actor, key)
);

-- Every writer takes this lock, so the order of positions is the order of commits. PostgreSQL gives the lock only to
-- roles that may update or delete. This function gives the writer the lock without these rights.
CREATE FUNCTION lock_event_log() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ BEGIN LOCK TABLE league.stored_events IN EXCLUSIVE MODE; END $$;
REVOKE EXECUTE ON FUNCTION lock_event_log() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION lock_event_log() TO league_writer;
GRANT SELECT, INSERT ON stored_events, requests TO league_writer;
GRANT SELECT ON followed_events TO league_writer;
GRANT SELECT, INSERT, DELETE ON sealing_keys TO league_writer;
GRANT USAGE ON SEQUENCE stored_events_notification_id_seq TO league_writer;
GRANT SELECT ON alembic_version TO league_writer;
"""


def upgrade() -> None:
    """Create the tables as their owner and let the writer only append."""
    op.execute(EVENT_LOG)
