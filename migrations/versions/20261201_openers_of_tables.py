"""The opener of each live table that is not over, since a player may have only a few at once."""

from __future__ import annotations

from alembic import op

revision = "20261201_openers_of_tables"
down_revision = "20261130_signing_in"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute('ALTER TABLE live_tables ADD COLUMN IF NOT EXISTS opened_by text COLLATE "C"')
