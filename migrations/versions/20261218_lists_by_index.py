"""Lists that a page asks for are read from an index, however many matches the league has."""

from __future__ import annotations

from alembic import op

revision = "20261218_lists_by_index"
down_revision = "20261217_tournaments_explained"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the indexes."""
    op.execute(
        "CREATE INDEX IF NOT EXISTS matches_unfinished_idx ON matches (run, status, began_at, match_id)"
        " WHERE status IN ('open', 'pending')"
    )
    op.execute("CREATE INDEX IF NOT EXISTS matches_position_idx ON matches (run, position) WHERE position IS NOT NULL")
    for number in (1, 2):
        op.execute(
            f"CREATE INDEX IF NOT EXISTS ratings_partner_{number}_idx ON ratings (run, split_part(id, '+', {number}))"
            " WHERE subject = 'team'"
        )
