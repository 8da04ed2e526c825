"""Signing in: members, the links that sign people in, and the sessions of browsers."""

from __future__ import annotations

from alembic import op

revision = "20261130_signing_in"
down_revision = "20261128_photos"
branch_labels = None
depends_on = None

SIGNING_IN = """
-- What follows from the events of members. They are written with the events, so that a role that is taken away is gone
-- at once.
CREATE TABLE IF NOT EXISTS members (
    member_id text COLLATE "C" PRIMARY KEY,
    subject text COLLATE "C" NOT NULL UNIQUE,  -- as whom they sign in; an erasure deletes the row
    name text,                                 -- what their identity provider calls them
    player_id text COLLATE "C",
    roles text[] NOT NULL,
    standing text NOT NULL CHECK (standing IN ('member', 'waiting', 'declined')),
    since timestamptz NOT NULL                 -- when they were added, or asked
);
-- ANALYZE copies values of a column into pg_statistic, where they outlive the row.
ALTER TABLE members ALTER COLUMN subject SET STATISTICS 0;
ALTER TABLE members ALTER COLUMN name SET STATISTICS 0;

-- A link signs one browser in, once. What stands in the link is stored as a hash only.
CREATE TABLE IF NOT EXISTS sign_in_links (
    hash bytea PRIMARY KEY,
    token_id text NOT NULL UNIQUE,             -- of the session that it begins
    member_id text COLLATE "C",                -- null: whoever opens it gets this `sub` and these roles
    sub text NOT NULL,
    roles text[] NOT NULL,
    expires_at timestamptz NOT NULL,
    session_expires_at timestamptz NOT NULL,
    used_at timestamptz
);

-- The browsers that are signed in. What stands in the cookie is stored as a hash only.
CREATE TABLE IF NOT EXISTS web_sessions (
    hash bytea PRIMARY KEY,
    token_id text NOT NULL UNIQUE,             -- which `revokeToken` takes back
    member_id text COLLATE "C",                -- null: the next two; else those of the member at the time
    sub text NOT NULL,
    roles text[] NOT NULL,
    browser text NOT NULL,                     -- as it calls itself
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS web_sessions_sub_idx ON web_sessions (sub);

GRANT SELECT, INSERT, UPDATE, DELETE ON members, sign_in_links, web_sessions TO league_writer;
"""


def upgrade() -> None:
    """Make the tables."""
    op.execute(SIGNING_IN)
