"""The progress of each player toward the next badge."""

from __future__ import annotations

from alembic import op

revision = "20261121_badges"
down_revision = "20261121_boards"
branch_labels = None
depends_on = None

BADGES = """
ALTER TABLE achievements
    ADD COLUMN streak integer NOT NULL DEFAULT 0,  -- rated matches won in a row, up to now
    ADD COLUMN best jsonb NOT NULL DEFAULT '{}';   -- by measure of the badges, the highest value so far

-- Who holds a badge, in the order in which they earned it.
CREATE INDEX badges_holders_idx ON badges (run, badge, earned_at, player_id);
"""


def upgrade() -> None:
    """Add the columns, and an index for the holders of a badge."""
    op.execute(BADGES)
