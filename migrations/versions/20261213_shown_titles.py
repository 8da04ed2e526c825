"""The title and the reason of a shown candidate, in the row that is written with the event of its showing."""

from __future__ import annotations

from alembic import op

revision = "20261213_shown_titles"
down_revision = "20261212_proposals_with_runs"
branch_labels = None
depends_on = None

TITLES = """
ALTER TABLE shown_replays ADD COLUMN IF NOT EXISTS title text, ADD COLUMN IF NOT EXISTS reason text;
UPDATE shown_replays SET title = said.body ->> 'title', reason = said.body ->> 'reason'
FROM (SELECT recorded_at, convert_from(state, 'UTF8')::jsonb -> 'body' AS body
      FROM stored_events WHERE topic = 'replay-shown/1') AS said
WHERE (said.body ->> 'replay')::integer = shown_replays.replay AND said.recorded_at = shown_replays.shown_at;

-- While a candidate is shown, its title and its reason are what its event says; a draft has them in `replays`.
CREATE OR REPLACE VIEW candidates AS
    SELECT replays.replay, candidate, starts_at, ends_at, requested_by,
        CASE WHEN shown_at IS NULL THEN replays.title ELSE shown.title END AS title,
        CASE WHEN shown_at IS NULL THEN replays.reason ELSE shown.reason END AS reason, revises, shown_at,
        adopted.recorded_at AS adopted_at,
        convert_from(adopted.state, 'UTF8')::jsonb #> '{body,timeline}' AS adopted,  -- null: it restores nothing
        runs.timeline -> -1 ->> 'hash' AS tried  -- the latest edition of its run; null: it has no run
    FROM replays LEFT JOIN shown_replays AS shown USING (replay)
    LEFT JOIN stored_events AS adopted ON adopted.position = replays.restores
    LEFT JOIN runs ON runs.run = replays.run AND runs.ready
    WHERE candidate IS NOT NULL OR restores IS NOT NULL;
"""


def upgrade() -> None:
    """Add the columns, fill them from the log, and replace the view."""
    op.execute(TITLES)
