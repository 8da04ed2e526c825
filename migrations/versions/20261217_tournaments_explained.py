"""Why tables of tournaments came about, which a worker computes once for each round and people read as rows."""

from __future__ import annotations

from alembic import op

revision = "20261217_tournaments_explained"
down_revision = "20261216_tournaments_read_by_all"
branch_labels = None
depends_on = None

EXPLAINED = """
CREATE TABLE IF NOT EXISTS tournament_explanations (
    tournament_id text COLLATE "C" NOT NULL,
    round integer NOT NULL,
    drawing integer NOT NULL,                   -- the last one of the round
    explainer integer NOT NULL,                 -- version of the code that explains
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deaths smallint NOT NULL DEFAULT 0,         -- processes that died while they explained it
    searched boolean,                           -- whether it has the next best rounds
    input text COLLATE "C",                     -- the hash of what it was computed from; null: a worker has to
    PRIMARY KEY (tournament_id, round),
    CHECK ((searched IS NULL) = (input IS NULL))
);
CREATE INDEX IF NOT EXISTS tournament_explanations_waiting_idx
    ON tournament_explanations (asked_at, tournament_id, round) WHERE input IS NULL;

CREATE TABLE IF NOT EXISTS tournament_choices (
    tournament_id text COLLATE "C" NOT NULL,
    round integer NOT NULL,
    number integer NOT NULL,                    -- of the table
    choices jsonb NOT NULL,
    PRIMARY KEY (tournament_id, round, number)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON tournament_explanations TO league_writer;
GRANT SELECT, INSERT, DELETE ON tournament_choices TO league_writer;
GRANT SELECT ON tournament_explanations, tournament_choices TO league_reader;
"""


def upgrade() -> None:
    """Make the tables. Rounds that are published already are explained when somebody asks."""
    op.execute(EXPLAINED)
