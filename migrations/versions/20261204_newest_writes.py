"""An index for the newest write of an actor: with read replicas, reads of an actor wait for that write."""

from __future__ import annotations

from alembic import op

revision = "20261204_newest_writes"
down_revision = "20261203_reviews"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index."""
    op.execute("CREATE INDEX IF NOT EXISTS requests_newest_idx ON requests (actor, position)")
