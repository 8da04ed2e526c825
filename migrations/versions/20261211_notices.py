"""Adoptions, what promotions moved, and notices, which tell for a while why ratings moved."""

from __future__ import annotations

from alembic import op

revision = "20261211_notices"
down_revision = "20261210_fitted_rules"
branch_labels = None
depends_on = None

NOTICES = """
-- Which timeline of the rules was adopted when. The timeline is that of the event.
CREATE TABLE IF NOT EXISTS adoptions (
    position bigint PRIMARY KEY,
    adopted_at timestamptz NOT NULL,
    timeline jsonb NOT NULL
);
INSERT INTO adoptions (position, adopted_at, timeline)
SELECT position, recorded_at, convert_from(state, 'UTF8')::jsonb #> '{body,timeline}'
FROM stored_events WHERE topic = 'edition-adopted/1'
ON CONFLICT DO NOTHING;

-- The figures of a promotion or a rollback: the official run before it against the promoted run. A promotion is known
-- by the position up to which both runs are folded: it is smaller than that of any later adoption.
CREATE TABLE IF NOT EXISTS promotions (
    folded_to bigint PRIMARY KEY,
    position bigint NOT NULL UNIQUE,   -- of the event that adopted the rules of the promoted run
    players_moved integer NOT NULL,
    teams_moved integer NOT NULL,
    largest_move double precision NOT NULL,
    median_move double precision NOT NULL,
    mean_move double precision NOT NULL,
    mean_before double precision,
    mean_after double precision,
    matches_changed integer NOT NULL,
    hands_changed integer NOT NULL,
    standings_changed integer NOT NULL,
    encounters_changed integer NOT NULL,
    badges_gained integer NOT NULL,
    badges_lost integer NOT NULL,
    badges_earned_otherwise integer NOT NULL
);

-- The ratings that a promotion moved, with the ranks and with what each rating is made of in both runs: the rating at
-- the beginning, and the sums of K times S, of K times E with a minus, and of K times M over all matches. An overall
-- rating is made of none.
CREATE TABLE IF NOT EXISTS promotion_moves (
    folded_to bigint NOT NULL,
    subject text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mode text COLLATE "C" NOT NULL,
    before double precision,
    after double precision,
    rank_before integer,
    rank_after integer,
    matches_before integer,
    matches_after integer,
    start_before double precision,
    start_after double precision,
    outcome_before double precision,
    outcome_after double precision,
    expected_before double precision,
    expected_after double precision,
    modifier_before double precision,
    modifier_after double precision,
    PRIMARY KEY (folded_to, subject, id, mode)
);

-- What everybody is told for a while. A background task removes what has run out.
CREATE TABLE IF NOT EXISTS notices (
    notice bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,    -- promotion, rollback, adoption, correction
    position bigint NOT NULL UNIQUE,   -- of the event that it tells of
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    body jsonb NOT NULL                -- what the sentences are made of
);
CREATE INDEX IF NOT EXISTS notices_until_idx ON notices (until);
CREATE TABLE IF NOT EXISTS notice_players (
    notice bigint NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    moves jsonb NOT NULL,              -- each rating of the player that moved
    PRIMARY KEY (notice, player_id)
);
CREATE INDEX IF NOT EXISTS notice_players_player_idx ON notice_players (player_id, notice);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON adoptions, promotions, promotion_moves, notices, notice_players TO league_writer;
GRANT SELECT ON adoptions, promotions, promotion_moves, notices, notice_players TO league_reader;
GRANT SELECT, UPDATE ON SEQUENCE notices_notice_seq TO league_writer;  -- as with the journal
"""


def upgrade() -> None:
    """Create the tables."""
    op.execute(NOTICES)
