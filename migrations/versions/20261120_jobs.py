"""Jobs: work that outlives a request. A message to a worker carries only the id; the row says everything."""

from __future__ import annotations

from alembic import op

revision = "20261120_jobs"
down_revision = "20261120_read_tables"
branch_labels = None
depends_on = None

JOBS = """
CREATE TABLE replays (
    replay integer PRIMARY KEY DEFAULT nextval('runs_run_seq'),  -- its run gets the same number
    candidate bytea NOT NULL,          -- the edition, as canonical JSON
    starts_at timestamptz,             -- matches that began within [starts_at, ends_at) are played under it
    ends_at timestamptz,
    requested_by text NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    run integer CHECK (run = replay),  -- once it is done
    failure text,
    attempts smallint NOT NULL DEFAULT 0,  -- folds that were begun
    done integer NOT NULL DEFAULT 0,   -- matches scored
    total integer NOT NULL DEFAULT 0
);

GRANT SELECT, INSERT, UPDATE, DELETE ON replays TO league_writer;
"""


def upgrade() -> None:
    """Create the table of replays."""
    op.execute(JOBS)
