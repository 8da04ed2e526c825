"""Reviews of the league's own rules, which a worker makes after a month is closed."""

from __future__ import annotations

from alembic import op

revision = "20261214_rules_reviews"
down_revision = "20261213_shown_titles"
branch_labels = None
depends_on = None

RULES_REVIEWS = """
CREATE TABLE IF NOT EXISTS rules_reviews (
    month text COLLATE "C" PRIMARY KEY,      -- the closed month
    closed_by bigint NOT NULL,               -- the position of the event that closed it
    status text NOT NULL DEFAULT 'waiting',
    attempts smallint NOT NULL DEFAULT 0,    -- processes of the review that died
    position bigint,                         -- it has read the log up to there
    matches integer,                         -- rated matches up to the end of the month
    sent_at timestamptz,                     -- when it was last sent to workers; null: not yet, or its process died
    found bytea,                             -- the review, as JSON; only if the status is done
    CHECK ((status = 'done') = (found IS NOT NULL))
);

GRANT SELECT, INSERT, UPDATE, DELETE ON rules_reviews TO league_writer;
"""


def upgrade() -> None:
    """Make the table."""
    op.execute(RULES_REVIEWS)
