"""Makes boards fast to read at any size: indexes in their order, and searchable names."""

from __future__ import annotations

from alembic import op

revision = "20261121_boards"
down_revision = "20261120_revoked_tokens"
branch_labels = None
depends_on = None

BOARDS = """
-- The edition of the latest decided match: it says how ratings and boards are shown. Null without a match.
ALTER TABLE runs ADD COLUMN shown_edition text COLLATE "C";
GRANT SELECT (shown_edition) ON runs TO league_reader;

-- Keeps a run from being removed until the transaction ends; false when it is gone already.
CREATE FUNCTION hold_run(wanted integer) RETURNS boolean LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
    EXECUTE format('LOCK TABLE runs.matches_%s IN ACCESS SHARE MODE', wanted);
    RETURN true;
EXCEPTION WHEN undefined_table THEN
    RETURN false;
END
$$;

-- The order of each board is an index: established players by value, then provisional ones by value.
DROP INDEX ratings_board_idx;
CREATE INDEX ratings_board_idx
    ON ratings (run, subject, mode, provisional, (-rating), id)
    INCLUDE (rating, matches, last_decided_at);
CREATE INDEX ratings_active_idx ON ratings (run, subject, mode, last_decided_at);

DROP INDEX achievements_capicuas_idx, achievements_viajeras_idx, achievements_pollonas_idx;
CREATE INDEX achievements_capicuas_idx ON achievements (run, (-capicuas), player_id)
    INCLUDE (capicuas, matches) WHERE capicuas > 0;
CREATE INDEX achievements_viajeras_idx ON achievements (run, (-viajeras), player_id)
    INCLUDE (viajeras, matches) WHERE viajeras > 0;
CREATE INDEX achievements_pollonas_idx ON achievements (run, (-pollonas), player_id)
    INCLUDE (pollonas, matches) WHERE pollonas > 0;
CREATE INDEX achievements_capicuas_per_hand_idx
    ON achievements (run, (-(capicuas::double precision / nullif(hands_won, 0)::double precision)), player_id)
    INCLUDE (capicuas, hands_won, matches) WHERE capicuas > 0;

-- What was decided after a moment: boards as they stood then are the current ones without it.
CREATE INDEX appearances_order_idx ON appearances (run, decided_at);

-- A text without accents, case and superfluous spaces, to be compared with others of this kind.
CREATE FUNCTION folded(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(regexp_replace(
        lower(regexp_replace(normalize(given, NFKD), '[\\u0300-\\u036f]', '', 'g')), '\\s+', ' ', 'g'
    ));
ALTER TABLE players ADD COLUMN folded_name text GENERATED ALWAYS AS (folded(name)) STORED;
ALTER TABLE players ALTER COLUMN folded_name SET STATISTICS 0;
"""


def upgrade() -> None:
    """Indexes and functions of the boards."""
    op.execute(BOARDS)
