"""The basis of a review: the hash of its hand, and the version of the code that judged it."""

from __future__ import annotations

from alembic import op

revision = "20261207_judged_reviews"
down_revision = "20261206_tournaments_bytes"
branch_labels = None
depends_on = None

JUDGED = """
ALTER TABLE hand_reviews
    ADD COLUMN IF NOT EXISTS judge integer,           -- null: it was reviewed before this was noted
    ADD COLUMN IF NOT EXISTS input text COLLATE "C";  -- the hash of the hand that was reviewed
"""


def upgrade() -> None:
    """Add the columns."""
    op.execute(JUDGED)
