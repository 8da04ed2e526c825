"""Erasure: the planner keeps no samples of names and keys."""

from __future__ import annotations

from alembic import op

revision = "20261125_erasure"
down_revision = "20261124_chain"
branch_labels = None
depends_on = None

NO_SAMPLES = """
-- ANALYZE copies values of a column into pg_statistic, where they outlive the row: a name, or the key that seals it.
ALTER TABLE player_keys ALTER COLUMN key SET STATISTICS 0;

SET LOCAL ROLE league_writer;
ALTER TABLE players ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN folded_name SET STATISTICS 0;
SET LOCAL ROLE league_owner;
"""


def upgrade() -> None:
    """Take no samples from now on."""
    op.execute(NO_SAMPLES)
