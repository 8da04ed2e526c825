"""Promotion: the run that was official before, the run that each revises, and the journal of official ratings."""

from __future__ import annotations

from alembic import op

revision = "20261122_promotion"
down_revision = "20261121_series"
branch_labels = None
depends_on = None

PROMOTION = """
-- The run that was official before the last promotion: rolling back is promoting it again.
ALTER TABLE official_run ADD COLUMN previous integer;
-- The position of the event that adopted the run's rules. Until the run is folded up to it, its rules are newer.
ALTER TABLE official_run ADD COLUMN adopted bigint;
-- The run up to whose ratings the journal is written.
ALTER TABLE official_run ADD COLUMN journaled integer;

-- The timeline that was official when the run was folded. A promotion from another timeline would undo later adoptions.
ALTER TABLE runs ADD COLUMN base jsonb;
CREATE INDEX match_facts_changed_idx ON match_facts (changed_position, match_id);

-- The changes of official ratings with their causes, in order. The journal belongs to no run and is in no digest.
CREATE TABLE journal (
    entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position bigint NOT NULL,          -- of the event that moved the rating
    cause text COLLATE "C" NOT NULL,   -- match, correction, ripple, merge, adoption, promotion, rebuild
    subject text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mode text COLLATE "C" NOT NULL,
    match_id text COLLATE "C",         -- if it concerns only one match
    before double precision NOT NULL,  -- without an earlier rating: the initial one
    after double precision             -- null: no match is left that rates them
);
CREATE INDEX journal_subject_idx ON journal (subject, id, mode, entry);

GRANT SELECT, INSERT, UPDATE, DELETE ON journal TO league_writer;
GRANT SELECT ON journal TO league_reader;
GRANT SELECT, UPDATE ON SEQUENCE journal_entry_seq TO league_writer;  -- as with the runs
"""


def upgrade() -> None:
    """Add the columns, and create the journal."""
    op.execute(PROMOTION)
