"""Reviews: a row for each requested hand, the points that decisions have cost, and the consents to show them."""

from __future__ import annotations

from alembic import op

revision = "20261203_reviews"
down_revision = "20261202_tournaments"
branch_labels = None
depends_on = None

REVIEWS = """
CREATE TABLE IF NOT EXISTS hand_reviews (
    match_id text COLLATE "C" NOT NULL,
    hand integer NOT NULL,
    status text NOT NULL DEFAULT 'waiting',     -- waiting, done, impossible, failed
    version integer NOT NULL DEFAULT 0,         -- how often its hand was corrected
    moves jsonb NOT NULL DEFAULT '[]',          -- those that are reviewed, in their order
    decisions integer,                          -- how many there are
    parts jsonb,                                -- by side, what made the result
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    edition text COLLATE "C",                   -- the hash of the rules in force when it was computed
    attempts integer NOT NULL DEFAULT 0,        -- processes that were begun for it since its last move
    PRIMARY KEY (match_id, hand)
);
CREATE INDEX IF NOT EXISTS hand_reviews_waiting_idx ON hand_reviews (requested_at, match_id, hand)
    WHERE status = 'waiting';

CREATE TABLE IF NOT EXISTS review_losses (
    match_id text COLLATE "C" NOT NULL,
    hand integer NOT NULL,
    seat integer NOT NULL,
    kind text NOT NULL,                         -- what the decisions were about
    player_id text COLLATE "C" NOT NULL,        -- at the seat, as the match was recorded
    partner_id text COLLATE "C",
    decisions integer NOT NULL,                 -- turns with more than one play
    mistakes integer NOT NULL,
    lost double precision NOT NULL,             -- points
    PRIMARY KEY (match_id, hand, seat, kind)
);
CREATE INDEX IF NOT EXISTS review_losses_player_idx ON review_losses (player_id);
CREATE TABLE IF NOT EXISTS review_consents (player_id text COLLATE "C" PRIMARY KEY);

GRANT SELECT, INSERT, DELETE ON review_losses, review_consents TO league_writer;
GRANT SELECT, INSERT, UPDATE ON hand_reviews TO league_writer;
"""


def upgrade() -> None:
    """Make the tables."""
    op.execute(REVIEWS)
