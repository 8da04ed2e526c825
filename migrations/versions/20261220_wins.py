"""How many matches each player has won, and the index of the board of wins."""

from __future__ import annotations

from alembic import op

revision = "20261220_wins"
down_revision = "20261219_append"
branch_labels = None
depends_on = None

WINS = """
ALTER TABLE achievements ADD COLUMN IF NOT EXISTS wins integer NOT NULL DEFAULT 0;  -- matches of any kind that were won
CREATE INDEX IF NOT EXISTS achievements_wins_idx ON achievements (run, (-wins), player_id)
    INCLUDE (wins, matches) WHERE wins > 0;
"""


def upgrade() -> None:
    """Add the column, which the next fold fills, and the index."""
    op.execute(WINS)
