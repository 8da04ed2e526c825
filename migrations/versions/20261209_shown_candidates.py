"""Candidates that everybody may read, and views of candidates with the timeline that each restores."""

from __future__ import annotations

from alembic import op

revision = "20261209_shown_candidates"
down_revision = "20261208_candidates"
branch_labels = None
depends_on = None

SHOWN = """
-- Written with the events that show and withdraw a candidate, or promote it.
CREATE TABLE IF NOT EXISTS shown_replays (
    replay integer PRIMARY KEY,
    shown_at timestamptz NOT NULL
);

DROP VIEW IF EXISTS shown_candidates, candidates;
CREATE VIEW candidates AS
    SELECT replay, candidate, starts_at, ends_at, requested_by, replays.title, replays.reason, revises, shown_at,
        adopted.recorded_at AS adopted_at,
        convert_from(adopted.state, 'UTF8')::jsonb #> '{body,timeline}' AS adopted  -- null: it restores nothing
    FROM replays LEFT JOIN shown_replays USING (replay)
    LEFT JOIN stored_events AS adopted ON adopted.position = replays.restores
    WHERE candidate IS NOT NULL OR restores IS NOT NULL;

-- What public queries read of candidates. Whatever changes it raises the generation.
CREATE VIEW shown_candidates AS SELECT * FROM candidates WHERE shown_at IS NOT NULL;

GRANT SELECT, INSERT, DELETE ON shown_replays TO league_writer;
GRANT SELECT ON candidates, shown_candidates TO league_writer;
GRANT SELECT ON shown_candidates TO league_reader;
"""


def upgrade() -> None:
    """Make the table and the views."""
    op.execute(SHOWN)
