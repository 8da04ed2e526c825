"""Names are compared without invisible characters, as `name_key` does: names that differ only in these are twins."""

from __future__ import annotations

from alembic import op

revision = "20261205_twins"
down_revision = "20261205_rows_again"
branch_labels = None
depends_on = None

TWINS = r"""
-- A text without format characters (Cf), joiners of marks and selectors; what is drawn as a blank is a space.
CREATE OR REPLACE FUNCTION seen(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(given,
        '[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u17b4\u17b5\u180b-\u180f\u200b-\u200f'
        '\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd'
        '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f'
        '\U000e0100-\U000e01ef]', '', 'g'),
        '[\u115f\u1160\u2800\u3164\uffa0]', ' ', 'g');

CREATE OR REPLACE FUNCTION folded(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(regexp_replace(
        lower(regexp_replace(seen(normalize(given, NFKD)), '[\u0300-\u036f]', '', 'g')), '\s+', ' ', 'g'
    ));

-- Computes the generated column again for rows whose value has changed.
UPDATE players SET name = name WHERE folded_name <> folded(name);
"""


def upgrade() -> None:
    """Change the function, and compute folded names again."""
    op.execute(TWINS)
