"""Photos: a row for each, with the work that is left to do."""

from __future__ import annotations

from alembic import op

revision = "20261128_photos"
down_revision = "20261129_disputes"
branch_labels = None
depends_on = None

PHOTOS = """
CREATE TABLE IF NOT EXISTS photos (
    -- These columns follow from the photo's events.
    photo_id text COLLATE "C" PRIMARY KEY,
    match_id text COLLATE "C" NOT NULL,
    hand integer NOT NULL,
    sha256 text COLLATE "C" NOT NULL,          -- of the stored picture
    to_count boolean NOT NULL DEFAULT true,    -- the computer has not proposed a count yet
    erased boolean NOT NULL DEFAULT false,

    -- These columns are bookkeeping of the workers.
    to_remove boolean NOT NULL DEFAULT false,  -- erased, but its picture may still be stored
    attempts integer NOT NULL DEFAULT 0        -- counts that were begun
);
CREATE INDEX IF NOT EXISTS photos_match_idx ON photos (match_id, hand);
CREATE INDEX IF NOT EXISTS photos_sha256_idx ON photos (sha256);
CREATE INDEX IF NOT EXISTS photos_to_do_idx ON photos (photo_id) WHERE to_count OR to_remove;

-- Every write to the table is announced, whichever process makes it.
CREATE OR REPLACE FUNCTION tell_of_photo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('league_photos', '');
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER photos_changed AFTER INSERT OR UPDATE ON photos
    FOR EACH ROW EXECUTE FUNCTION tell_of_photo();

GRANT SELECT, INSERT, UPDATE ON photos TO league_writer;
"""


def upgrade() -> None:
    """Make the table."""
    op.execute(PHOTOS)
