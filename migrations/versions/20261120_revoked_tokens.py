"""Tokens that were revoked before they expired. A row may be deleted once its token has expired."""

from __future__ import annotations

from alembic import op

revision = "20261120_revoked_tokens"
down_revision = "20261120_jobs"
branch_labels = None
depends_on = None

REVOKED_TOKENS = """
CREATE TABLE revoked_tokens (
    jti text PRIMARY KEY,
    revoked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz             -- null: not known, so the row is not deleted
);
GRANT SELECT, INSERT, DELETE ON revoked_tokens TO league_writer;
"""


def upgrade() -> None:
    """Create the table, owned by the owner and open to the writer."""
    op.execute(REVOKED_TOKENS)
