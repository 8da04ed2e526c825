"""Replays can be cancelled and limited to events recorded up to a time; each change is announced."""

from __future__ import annotations

from alembic import op

revision = "20261123_replays"
down_revision = "20261122_promotion"
branch_labels = None
depends_on = None

REPLAYS = """
-- Events are looked up by the time of their recording.
CREATE UNIQUE INDEX stored_events_recorded_idx ON stored_events (recorded_at);

ALTER TABLE replays ALTER COLUMN candidate DROP NOT NULL;  -- null: the rules that held
ALTER TABLE replays ADD COLUMN known_at timestamptz;       -- only what was recorded by then; null: everything
ALTER TABLE replays ADD COLUMN cancelled_at timestamptz;
ALTER TABLE replays ADD COLUMN unfinished boolean NOT NULL
    GENERATED ALWAYS AS (run IS NULL AND failure IS NULL AND cancelled_at IS NULL) STORED;

-- Every write to the table is announced, whichever process makes it.
CREATE FUNCTION tell_of_replay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('league_replays', '');
    RETURN NULL;
END $$;
CREATE TRIGGER replays_changed AFTER INSERT OR UPDATE ON replays
    FOR EACH ROW EXECUTE FUNCTION tell_of_replay();
"""


def upgrade() -> None:
    """Add the columns, the index of the log and the trigger."""
    op.execute(REPLAYS)
