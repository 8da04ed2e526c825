"""Boards as of a day, and the drift of ratings, read the ledger from the index of its key alone."""

from __future__ import annotations

from alembic import op

revision = "20261222_ledger_index"
down_revision = "20261221_look_of_the_club"
branch_labels = None
depends_on = None

# The index of a primary key of another width has to be made anew, in each run.
LEDGER = """
ALTER TABLE changes
    DROP CONSTRAINT changes_pkey,
    ADD PRIMARY KEY (run, subject, id, decided_at, match_id) INCLUDE (mode, before, after, matches_before);
"""


def upgrade() -> None:
    """Make the index wider."""
    op.execute(LEDGER)
