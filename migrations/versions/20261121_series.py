"""The monthly series: its games, what pairs hold of each other, standings, and the lists that were published."""

from __future__ import annotations

from alembic import op

revision = "20261121_series"
down_revision = "20261121_badges"
branch_labels = None
depends_on = None

SERIES = """
SET LOCAL ROLE league_writer;

SET LOCAL ROLE league_owner;
"""


def upgrade() -> None:
    """Create the tables."""
    op.execute(SERIES)
