"""Disputes of results, and the matches that await confirmation."""

from __future__ import annotations

from alembic import op

revision = "20261129_disputes"
down_revision = "20261127_live_tables"
branch_labels = None
depends_on = None

DISPUTES = """
ALTER TABLE league ADD COLUMN IF NOT EXISTS confirmation boolean NOT NULL DEFAULT false;

CREATE TABLE IF NOT EXISTS disputes (
    match_id text COLLATE "C",
    dispute smallint,                  -- its number in the match
    player_id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    opened_at timestamptz NOT NULL,
    outcome text,                      -- null: it is open
    closed_at timestamptz,
    answer text,
    PRIMARY KEY (match_id, dispute)
);
CREATE INDEX IF NOT EXISTS disputes_open_idx ON disputes (opened_at, match_id) WHERE outcome IS NULL;

-- Matches that time decides; without those that have an open dispute.
CREATE TABLE IF NOT EXISTS pending_matches (
    match_id text COLLATE "C" PRIMARY KEY,
    due_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS pending_matches_due_idx ON pending_matches (due_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON disputes, pending_matches TO league_writer;
GRANT SELECT ON disputes TO league_reader;
"""


def upgrade() -> None:
    """Make the tables."""
    op.execute(DISPUTES)
