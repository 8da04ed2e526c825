"""Tournaments: the rows that their pages read, written in the same transactions as their events."""

from __future__ import annotations

from alembic import op

revision = "20261202_tournaments"
down_revision = "20261201_openers_of_tables"
branch_labels = None
depends_on = None

TOURNAMENTS = """
CREATE TABLE IF NOT EXISTS tournaments (
    tournament_id text COLLATE "C" PRIMARY KEY,
    planned_at timestamptz NOT NULL,
    name text NOT NULL,
    format text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    state bytea NOT NULL                       -- everything that follows from its events
);
CREATE INDEX IF NOT EXISTS tournaments_planned_idx ON tournaments (planned_at, tournament_id);

CREATE TABLE IF NOT EXISTS tournament_players (
    player_id text COLLATE "C" NOT NULL,
    tournament_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (player_id, tournament_id)
);

CREATE TABLE IF NOT EXISTS tournament_matches (
    match_id text COLLATE "C" PRIMARY KEY,
    tournament_id text COLLATE "C" NOT NULL,
    round integer NOT NULL,
    number integer NOT NULL                    -- of the table
);

CREATE TABLE IF NOT EXISTS tournament_drawings (
    tournament_id text COLLATE "C" NOT NULL,
    round integer NOT NULL,
    drawing bytea NOT NULL,                    -- the last one of the round
    PRIMARY KEY (tournament_id, round)
);

-- Every change is announced, whichever process makes it.
CREATE OR REPLACE FUNCTION tell_of_tournament() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('league_tournaments', NEW.tournament_id);
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tournaments_changed AFTER INSERT OR UPDATE ON tournaments
    FOR EACH ROW EXECUTE FUNCTION tell_of_tournament();

GRANT SELECT, INSERT, UPDATE ON tournaments, tournament_drawings TO league_writer;
GRANT SELECT, INSERT ON tournament_players, tournament_matches TO league_writer;
"""


def upgrade() -> None:
    """Make the tables."""
    op.execute(TOURNAMENTS)
