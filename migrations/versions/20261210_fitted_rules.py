"""Rules of ratings that were fitted to the history of the league, and the months that the fit has read."""

from __future__ import annotations

from alembic import op

revision = "20261210_fitted_rules"
down_revision = "20261209_shown_candidates"
branch_labels = None
depends_on = None

FITTED_RULES = """
CREATE TABLE IF NOT EXISTS fitted_rules (
    rating text COLLATE "C" PRIMARY KEY,  -- the hash of the section `rating` of the rules
    first_month text NOT NULL,            -- such as 2026-03; the fit has read the matches of these months
    last_month text NOT NULL,
    held_out bytea NOT NULL,              -- the verdict on months that the search had not read, as JSON
    fitted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

GRANT SELECT, INSERT, UPDATE, DELETE ON fitted_rules TO league_writer;
"""


def upgrade() -> None:
    """Make the table."""
    op.execute(FITTED_RULES)
