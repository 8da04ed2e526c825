"""The chain: a hash in each event, protection of events against changes, and signed heads."""

from __future__ import annotations

from alembic import op

revision = "20261124_chain"
down_revision = "20261123_replays"
branch_labels = None
depends_on = None

CHAIN = """
ALTER TABLE stored_events ADD COLUMN hash bytea;

-- Existing events, hashed as `league.eventlog.encoded_rows` does.
DO $$
DECLARE
    event record;
    last bytea := decode(repeat('00', 32), 'hex');
BEGIN
    FOR event IN SELECT * FROM stored_events ORDER BY position LOOP
        last := sha256(
            '\\x00'::bytea || last
            || int4send(8) || int8send(event.position) || int4send(8) || int8send(event.originator_version)
            || int4send(8) || timestamptz_send(event.recorded_at)
            || int4send(octet_length(convert_to(event.originator_id, 'UTF8')))
            || convert_to(event.originator_id, 'UTF8')
            || int4send(octet_length(convert_to(event.topic, 'UTF8'))) || convert_to(event.topic, 'UTF8')
            || int4send(octet_length(event.state)) || event.state
        );
        UPDATE stored_events SET hash = last
        WHERE originator_id = event.originator_id AND originator_version = event.originator_version;
    END LOOP;
END $$;

ALTER TABLE stored_events ALTER COLUMN hash SET NOT NULL;
ALTER TABLE stored_events ADD CONSTRAINT stored_events_hash_check CHECK (octet_length(hash) = 32);

-- The state of the log when it was signed. A copy that is stored elsewhere reveals a rewritten suffix.
CREATE TABLE signed_heads (
    position bigint NOT NULL CHECK (position > 0),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),           -- of the event at this position
    root bytea NOT NULL CHECK (octet_length(root) = 32),           -- of the Merkle tree over all events up to it
    signed_at timestamptz NOT NULL CHECK (signed_at >= '0001-01-01Z' AND signed_at < '9999-12-31Z'),
    key bytea NOT NULL CHECK (octet_length(key) = 32),             -- Ed25519, the public one
    signature bytea NOT NULL CHECK (octet_length(signature) = 64),
    -- Peaks of the tree, one for each power of two in the position: with them the tree grows without being rebuilt.
    peaks bytea NOT NULL CHECK (octet_length(peaks) = 32 * bit_count(int8send(position))),
    -- A forged head does not prevent a genuine one from being stored.
    PRIMARY KEY (position, signature)
);
GRANT SELECT, INSERT ON signed_heads TO league_writer;

-- Missing rights prevent the program from changing events. This trigger also stops the owner and superusers, unless
-- they set session_replication_role on purpose.
CREATE FUNCTION only_appended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER only_appended BEFORE UPDATE OR DELETE OR TRUNCATE ON stored_events
    FOR EACH STATEMENT EXECUTE FUNCTION only_appended();
CREATE TRIGGER only_appended BEFORE UPDATE OR DELETE OR TRUNCATE ON signed_heads
    FOR EACH STATEMENT EXECUTE FUNCTION only_appended();
"""


def upgrade() -> None:
    """Give each event its hash, protect events against changes, and create the table of signed heads."""
    op.execute(CHAIN)
