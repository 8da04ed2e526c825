"""Tournaments are part of the state of the read side: answers about them are cached, as all others."""

from __future__ import annotations

from alembic import op

revision = "20261216_tournaments_read_by_all"
down_revision = "20261215_tournaments_drawings"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let cacheable answers read the tables."""
    op.execute(
        "GRANT SELECT ON tournaments, tournament_players, tournament_matches, tournament_drawings TO league_reader"
    )
