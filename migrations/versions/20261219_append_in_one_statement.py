"""The function that appends events in one statement, so that the log's lock is held for one round trip."""

from __future__ import annotations

from alembic import op

revision = "20261219_append"
down_revision = "20261218_lists_by_index"
branch_labels = None
depends_on = None

# `docs/verify.md` specifies what a hash covers. `recorded_at` never repeats and never decreases, even if the server's
# clock goes back. Row counts are compared because a trigger or a rule of somebody else may drop rows without an error.
APPEND = r"""
CREATE OR REPLACE FUNCTION append_events(
    streams text[], versions bigint[], names text[], states bytea[],
    actor text, key text, input_hash text,
    unchanged text[], unchanged_versions bigint[],
    channels text[], payloads text[],
    lock_limit text
) RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last bigint;
    before bytea;
    moment timestamptz;
    event record;
    hashes bytea[] := '{}';
    stored bigint;
BEGIN
    IF lock_limit IS NOT NULL THEN
        PERFORM set_config('lock_timeout', lock_limit, true);
    END IF;
    PERFORM league.lock_event_log();
    IF cardinality(unchanged) > 0 AND EXISTS (
        SELECT FROM unnest(unchanged, unchanged_versions) AS known (stream, version)
        WHERE version <> (
            SELECT coalesce(max(originator_version), 0) FROM league.stored_events WHERE originator_id = stream
        )
    ) THEN
        RAISE unique_violation USING MESSAGE = 'a stream that was read has changed';
    END IF;
    SELECT e.position, e.hash, greatest(clock_timestamp(), e.recorded_at + interval '1 microsecond')
        INTO last, before, moment FROM league.stored_events AS e ORDER BY e.position DESC LIMIT 1;
    last := coalesce(last, 0);
    before := coalesce(before, decode(repeat('00', 32), 'hex'));
    moment := coalesce(moment, clock_timestamp());
    FOR event IN
        SELECT convert_to(new.stream, 'UTF8') AS stream, new.version, convert_to(new.name, 'UTF8') AS name,
               new.state, last + new.place AS position, moment + (new.place - 1) * interval '1 microsecond' AS time
        FROM unnest(streams, versions, names, states) WITH ORDINALITY AS new (stream, version, name, state, place)
        ORDER BY new.place
    LOOP
        before := sha256(
            '\x00'::bytea || before
            || '\x00000008'::bytea || int8send(event.position) || '\x00000008'::bytea || int8send(event.version)
            || '\x00000008'::bytea || timestamptz_send(event.time)
            || int4send(octet_length(event.stream)) || event.stream
            || int4send(octet_length(event.name)) || event.name
            || int4send(octet_length(event.state)) || event.state
        );
        hashes := hashes || before;
    END LOOP;
    INSERT INTO league.stored_events (originator_id, originator_version, topic, state, hash, position, recorded_at)
        SELECT new.stream, new.version, new.name, new.state, new.hash,
               last + new.place, moment + (new.place - 1) * interval '1 microsecond'
        FROM unnest(streams, versions, names, states, hashes)
             WITH ORDINALITY AS new (stream, version, name, state, hash, place)
        ORDER BY new.place;
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored <> cardinality(streams) THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'the database dropped events';
    END IF;
    last := last + stored;
    INSERT INTO league.requests VALUES (actor, key, input_hash, last);
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored <> 1 THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'the database dropped the record of the request';
    END IF;
    PERFORM pg_notify(channel, payload) FROM unnest(channels, payloads) AS told (channel, payload);
    RETURN last;
END $$;
REVOKE EXECUTE ON FUNCTION append_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events TO league_writer;
"""


def upgrade() -> None:
    """Create the function. It has the rights of who calls it."""
    op.execute(APPEND)
