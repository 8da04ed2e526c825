"""The monthly series: its games, the accounts of pairs, standings, and published lists."""

from __future__ import annotations

from alembic import op

revision = "20261121_series"
down_revision = "20261121_badges"
branch_labels = None
depends_on = None

SERIES = """
-- Every decided match of two players or two pairs, in the month in which it began. a < b.
CREATE TABLE series_games (
    run integer NOT NULL,
    mode text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,   -- 2026-03, where the league is
    a text COLLATE "C" NOT NULL,       -- a player, or a pair joined by +
    b text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    a_won boolean NOT NULL,
    counts_zero text COLLATE "C",      -- the reason why the game gives no points; null: it counts
    edition text COLLATE "C" NOT NULL,
    PRIMARY KEY (run, mode, month, a, b, decided_at, match_id)
) PARTITION BY LIST (run);
CREATE INDEX series_games_order_idx ON series_games (run, decided_at, match_id);
CREATE INDEX series_games_other_idx ON series_games (run, mode, month, b);

-- The account between two competitors; b has the negative of a's points.
CREATE TABLE series_pairs (
    run integer NOT NULL,
    mode text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    a text COLLATE "C" NOT NULL,
    b text COLLATE "C" NOT NULL,
    entered_at timestamptz NOT NULL,   -- when their first game was decided, and which it was
    entered_match text COLLATE "C" NOT NULL,
    start integer NOT NULL,            -- the entry points of either, if this was the first game of their month
    a_wins integer NOT NULL,
    b_wins integer NOT NULL,
    ignored integer NOT NULL,          -- games beyond the limit
    a_series_points integer NOT NULL,
    a_game_points integer NOT NULL,
    locked boolean NOT NULL,
    stake integer NOT NULL,            -- the difference between winning and losing the next game
    PRIMARY KEY (run, mode, month, a, b)
) PARTITION BY LIST (run);
CREATE INDEX series_pairs_other_idx ON series_pairs (run, mode, month, b);

CREATE TABLE standings (
    run integer NOT NULL,
    mode text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    wins integer NOT NULL,
    losses integer NOT NULL,
    series_points integer NOT NULL,
    total integer NOT NULL,            -- start, series points, and the points of the games
    PRIMARY KEY (run, mode, month, id)
) PARTITION BY LIST (run);
CREATE INDEX standings_board_idx ON standings (run, mode, month, (-total), id);

-- Closed months, and the lists that were published when they were closed. No run changes these lists.
CREATE TABLE closed_months (
    month text COLLATE "C" PRIMARY KEY,
    ends_at timestamptz NOT NULL,
    closed_at timestamptz NOT NULL,
    position bigint NOT NULL           -- of the event that closed it: the list is what the log said up to there
);
CREATE TABLE published_standings (
    month text COLLATE "C" NOT NULL REFERENCES closed_months ON DELETE CASCADE,
    mode text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    rank integer NOT NULL,
    wins integer NOT NULL,
    losses integer NOT NULL,
    series_points integer NOT NULL,
    total integer NOT NULL,
    PRIMARY KEY (month, mode, id)
);
CREATE INDEX published_standings_rank_idx ON published_standings (month, mode, rank, id);

-- Players who were first in a closed month, and players who lost no match in it.
CREATE TABLE honours (
    run integer NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    measure text COLLATE "C" NOT NULL, -- month_won, unbeaten_month
    month text COLLATE "C" NOT NULL,
    mode text COLLATE "C",             -- null: over both modes
    UNIQUE NULLS NOT DISTINCT (run, player_id, measure, month, mode)
) PARTITION BY LIST (run);

-- A badge of a month depends on the event that closed the month, not on a match.
ALTER TABLE badges ALTER COLUMN match_id DROP NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON series_games, series_pairs, standings, closed_months,
    published_standings, honours TO league_writer;
GRANT SELECT ON series_games, series_pairs, standings, closed_months, published_standings, honours TO league_reader;

-- The streams by name, for any collation of the database. The streams of a month are found without knowing their pairs.
CREATE INDEX stored_events_streams_idx ON stored_events (originator_id COLLATE "C") WHERE originator_version = 1;
"""


def upgrade() -> None:
    """Create the tables."""
    op.execute(SERIES)
