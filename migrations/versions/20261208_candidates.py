"""Candidates: replays that revise rules have a title, a reason and what they revise."""

from __future__ import annotations

from alembic import op

revision = "20261208_candidates"
down_revision = "20261207_judged_reviews"
branch_labels = None
depends_on = None

CANDIDATES = """
ALTER TABLE replays
    ADD COLUMN IF NOT EXISTS title text,                     -- null: nobody has named it
    ADD COLUMN IF NOT EXISTS reason text,
    ADD COLUMN IF NOT EXISTS revises text COLLATE "C",       -- hash of the edition in force when it was requested
    ADD COLUMN IF NOT EXISTS restores bigint;                -- the position of the adoption whose timeline it restores

-- Candidates from before: the edition that they revise is the last one of their run's base.
UPDATE replays SET revises = runs.base -> -1 ->> 'hash' FROM runs
    WHERE runs.run = replays.run AND candidate IS NOT NULL;
"""


def upgrade() -> None:
    """Add the columns."""
    op.execute(CANDIDATES)
