"""Rights for a rebuild to make rows again that are written with their events, and to remove rows without events."""

from __future__ import annotations

from alembic import op

revision = "20261205_rows_again"
down_revision = "20261204_newest_writes"
branch_labels = None
depends_on = None

ROWS_AGAIN = """
GRANT DELETE ON
    photos, tournaments, tournament_players, tournament_matches, tournament_drawings, hand_reviews
TO league_writer;

-- In an order that follows from the events.
UPDATE live_tables SET guests = ARRAY(SELECT guest FROM unnest(guests) AS guest ORDER BY guest COLLATE "C");
"""


def upgrade() -> None:
    """Grant the rights, and sort the guests."""
    op.execute(ROWS_AGAIN)
