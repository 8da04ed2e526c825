"""Every drawing of a round has a row, not only the last one: exports list them, and withdrawn rounds are drawn anew."""

from __future__ import annotations

from alembic import op

revision = "20261215_tournaments_drawings"
down_revision = "20261214_rules_reviews"
branch_labels = None
depends_on = None

DRAWINGS = """
ALTER TABLE tournament_drawings ADD COLUMN IF NOT EXISTS number integer;    -- of the drawing, from 1 in each round
UPDATE tournament_drawings AS drawn SET number = (
    SELECT count(*) FROM stored_events
    WHERE originator_id = 'tournament:' || drawn.tournament_id AND topic = 'tournament-round-drawn/1'
        AND (convert_from(state, 'UTF8')::json #>> '{body,round}')::integer = drawn.round
) WHERE number IS NULL;
ALTER TABLE tournament_drawings
    ALTER COLUMN number SET NOT NULL,
    DROP CONSTRAINT IF EXISTS tournament_drawings_pkey,
    ADD CONSTRAINT tournament_drawings_pkey PRIMARY KEY (tournament_id, round, number);
"""


def upgrade() -> None:
    """Number the rows of the last drawings. A rebuild of the rows adds the earlier ones."""
    op.execute(DRAWINGS)
