"""The colours and the logo of the club: what the settings say, and the picture itself."""

from __future__ import annotations

from alembic import op

revision = "20261221_look_of_the_club"
down_revision = "20261220_wins"
branch_labels = None
depends_on = None

LOOK = """
ALTER TABLE league ADD COLUMN IF NOT EXISTS colour text,  -- such as #b3261e
    ADD COLUMN IF NOT EXISTS second_colour text,
    ADD COLUMN IF NOT EXISTS logo text;                   -- the SHA-256 of the picture

-- No part of the log, so that a picture that is removed is gone. Only the logo in use is stored.
CREATE TABLE IF NOT EXISTS logos (
    sha256 text COLLATE "C" PRIMARY KEY,
    content bytea NOT NULL,  -- a PNG
    CONSTRAINT logos_are_whole CHECK (sha256 = encode(sha256(content), 'hex'))
);

GRANT SELECT, INSERT, DELETE ON logos TO league_writer;
"""


def upgrade() -> None:
    """Add the columns, which stay empty until somebody chooses, and the table."""
    op.execute(LOOK)
