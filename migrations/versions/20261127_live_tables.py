"""Live tables: a row for each open table with the next deadline of the clock and the AIs; signs of life; mutes."""

from __future__ import annotations

from alembic import op

revision = "20261127_live_tables"
down_revision = "20261126_trail"
branch_labels = None
depends_on = None

LIVE_TABLES = """
CREATE TABLE IF NOT EXISTS live_tables (
    -- These columns follow from the table's events.
    table_id text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    phase text NOT NULL,
    opened_at timestamptz NOT NULL,
    ruleset text NOT NULL,
    mode text NOT NULL,
    listed boolean NOT NULL,
    practice boolean NOT NULL,
    free_seats integer NOT NULL,
    players text[] NOT NULL,           -- those who have a seat
    guests text[] NOT NULL,            -- who opened it, and who is invited
    due_at timestamptz,
    due text,
    ai_seat integer,
    ai_level text,
    present text[] NOT NULL,           -- players who play their seats and are there
    away text[] NOT NULL,              -- players whose connection is lost
    away_after_seconds integer,        -- the rules: how long a player may be silent
    return_seconds integer,            -- the rules: how long all have to return after a standstill

    -- These columns are bookkeeping of the clock keepers.
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    leased_until timestamptz,          -- a process is about to meet the deadline
    ai_leased_until timestamptz,       -- a process is about to play for the AI
    silence_from timestamptz,          -- silence counts from the beginning of play, or the end of the last standstill
    stood_since timestamptz,           -- a span in which no server was alive, until the table has noted it
    stood_until timestamptz
);
CREATE INDEX IF NOT EXISTS live_tables_due_idx ON live_tables (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS live_tables_ai_idx ON live_tables (practice, changed_at) WHERE ai_seat IS NOT NULL;

-- Signs of life of players at tables. They are worth nothing after a crash.
CREATE UNLOGGED TABLE IF NOT EXISTS live_presence (
    table_id text COLLATE "C",
    player_id text COLLATE "C",
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (table_id, player_id)
) WITH (fillfactor = 50);

-- One row that the clock keepers renew. A gap means that none of them was alive.
CREATE TABLE IF NOT EXISTS live_heartbeat (beat_at timestamptz NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS live_heartbeat_idx ON live_heartbeat ((true));
INSERT INTO live_heartbeat VALUES (clock_timestamp()) ON CONFLICT DO NOTHING;

-- Mutes: a player does not want to hear another player at a table.
CREATE TABLE IF NOT EXISTS table_mutes (
    table_id text COLLATE "C",
    player_id text COLLATE "C",
    muted_id text COLLATE "C",
    PRIMARY KEY (table_id, player_id, muted_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON live_tables, live_presence TO league_writer;
GRANT SELECT, INSERT, DELETE ON table_mutes TO league_writer;
GRANT SELECT, UPDATE ON live_heartbeat TO league_writer;
"""


def upgrade() -> None:
    """Make the tables."""
    op.execute(LIVE_TABLES)
