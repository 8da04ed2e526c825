"""Views of candidates with the rules of their runs; proposals whose run is gone are not listed."""

from __future__ import annotations

from alembic import op

revision = "20261212_proposals_with_runs"
down_revision = "20261211_notices"
branch_labels = None
depends_on = None

WITH_RUNS = """
CREATE OR REPLACE VIEW candidates AS
    SELECT replay, candidate, starts_at, ends_at, requested_by, replays.title, replays.reason, revises, shown_at,
        adopted.recorded_at AS adopted_at,
        convert_from(adopted.state, 'UTF8')::jsonb #> '{body,timeline}' AS adopted,  -- null: it restores nothing
        runs.timeline -> -1 ->> 'hash' AS tried  -- the latest edition of its run; null: it has no run
    FROM replays LEFT JOIN shown_replays USING (replay)
    LEFT JOIN stored_events AS adopted ON adopted.position = replays.restores
    LEFT JOIN runs ON runs.run = replays.run AND runs.ready
    WHERE candidate IS NOT NULL OR restores IS NOT NULL;

-- After a restore a shown candidate has no run, so that nobody can read it.
CREATE OR REPLACE VIEW shown_candidates AS SELECT * FROM candidates WHERE shown_at IS NOT NULL AND tried IS NOT NULL;
"""


def upgrade() -> None:
    """Replace the views; they get a column."""
    op.execute(WITH_RUNS)
