"""An index by time of request for drawings that wait for random bytes of devices."""

from __future__ import annotations

from alembic import op

revision = "20261206_tournaments_bytes"
down_revision = "20261205_twins"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column and its index."""
    op.execute("ALTER TABLE tournaments ADD COLUMN IF NOT EXISTS asked_at timestamptz")
    op.execute("CREATE INDEX IF NOT EXISTS tournaments_asked_idx ON tournaments (asked_at) WHERE asked_at IS NOT NULL")
