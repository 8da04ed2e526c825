"""`league verify` of a database that somebody has touched: each fault is named, and one does not hide another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from databases import copy_of
from leagues import CUBAN_SEASON, UNGUARDED, announced, league_at, send
from msgspec.structs import replace
from signed_leagues import SEED, signed_league

from league.application.bootstrap import League
from league.audit.database_checks import EXPECTED, schema_faults
from league.audit.make_schema_facts import facts_of_migrations
from league.audit.signed_heads import read_private_key
from league.cli.verify import verify_league
from league.eventlog import encoded_rows
from league.eventlog.recorder import NotStored
from league.infra.database import connect
from league.infra.league_version import shipped
from league.wording.verdicts import VerificationFindings

pytestmark = [pytest.mark.heavy, pytest.mark.slow]


def done_to(league: League, *statements: str) -> VerificationFindings:
    """What verify finds when a superuser has done this."""
    with psycopg.connect(league.database.url) as superuser:
        superuser.execute(UNGUARDED)
        for statement in statements:
            superuser.execute(statement.encode())
    return verify_league(league, [], [], rebuild=True)


FLIP = "UPDATE stored_events SET {0} = set_byte({0}, 3, get_byte({0}, 3) # 1) WHERE position = {1}"


@contextmanager
def cuban(server: str) -> Iterator[League]:
    """The recorded season, 13,000 events, with a signed head."""
    with copy_of(server, CUBAN_SEASON) as url, league_at(url) as league:
        signing = replace(league, key=read_private_key(SEED))
        signing.sign_head()
        yield signing


def test_stopping_inside_the_log_leaves_the_transaction_usable(embedded_server: str) -> None:
    """The server is still sending the rest of the log when its reader has seen enough."""
    with cuban(embedded_server) as league, connect(league.database.url) as conn:
        rows = encoded_rows.rows(conn)
        next(rows)
        rows.close()
        assert encoded_rows.head_of(conn) > 10_000


def test_faults_everywhere_in_a_season_are_all_named(embedded_server: str) -> None:
    """Faults at the beginning, in the middle and at the end, in keys, requests, heads and rows are all named."""
    with cuban(embedded_server) as league:
        assert verify_league(league, [], [], rebuild=False).faults == []
        head = league.store.head()
        found = done_to(
            league,
            *(FLIP.format("state", place) for place in (25, 300, 5_000, head)),
            FLIP.format("hash", 12_000),
            "DELETE FROM stored_events WHERE position = 9000",
            "DELETE FROM sealing_keys WHERE stream = (SELECT min(stream) FROM sealing_keys)",
            "UPDATE requests SET position = position - 1 WHERE position = (SELECT max(position) FROM requests)",
            "UPDATE signed_heads SET signature = set_byte(signature, 0, get_byte(signature, 0) # 1)",
        )
        named = {(fault.kind, fault.position) for fault in found.faults}
        places = {("hash", 25), ("hash", 300), ("hash", 5_000), ("missing", 9_000), ("hash", 12_000), ("hash", head)}
        assert places <= named
        assert found.log.events == 24
        assert {fault.part for fault in found.faults} >= {"log", "heads", "keys", "requests", "tables"}
        assert all(fault.stream for fault in found.faults if fault.kind == "hash")


def test_an_altered_edition_is_named(embedded_server: str) -> None:
    """An altered edition is named, both its event in the log and the document that readers get."""
    with signed_league(embedded_server) as league:
        (position,) = league_position(league, "rulebook")
        found = done_to(league, FLIP.format("state", position))
        assert ("hash", position, "rulebook") in {(f.kind, f.position, f.stream) for f in found.faults}
    with signed_league(embedded_server) as league:
        document = (
            "UPDATE editions SET document = convert_to(replace(convert_from(document, 'UTF8'), '40', '41'), 'UTF8')"
        )
        found = done_to(league, document)
        assert any(fault.kind == "run" and "table editions" in fault.says for fault in found.faults)


def league_position(league: League, stream: str) -> tuple[int, ...]:
    """The position of the first event of a stream."""
    with connect(league.database.url) as conn:
        row = conn.execute("SELECT min(position) FROM stored_events WHERE originator_id = %s", [stream]).fetchone()
        assert row is not None
        return row


@pytest.mark.also_on_server
def test_the_facts_of_the_migrations_are_up_to_date(database_url: str) -> None:
    """`make schema` writes them; each version of PostgreSQL that the program knows gives the same."""
    with psycopg.connect(database_url) as conn:
        assert facts_of_migrations(conn) == shipped(EXPECTED).read_text(encoding="utf-8")


TRAP = "CREATE FUNCTION league.trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
PROGRAM = "CREATE ROLE the_program LOGIN IN ROLE league_writer"
SCHEMA_CHANGES = (
    (f"{TRAP}; CREATE TRIGGER t BEFORE INSERT ON stored_events FOR EACH ROW EXECUTE FUNCTION league.trap()",
     "trigger t on league.stored_events", "function league.trap()"),
    ("ALTER TABLE stored_events DISABLE TRIGGER only_appended", "trigger only_appended on league.stored_events"),
    ("ALTER TABLE signed_heads ENABLE REPLICA TRIGGER only_appended", "trigger only_appended on league.signed_heads"),
    ("DROP TRIGGER only_appended ON stored_events", "trigger only_appended on league.stored_events is missing"),
    ("GRANT UPDATE ON stored_events TO league_writer", "rights of league_writer on table league.stored_events"),
    ("GRANT UPDATE (state) ON stored_events TO league_writer", "on column league.stored_events.state"),
    ("GRANT TRUNCATE ON requests TO PUBLIC", "rights of PUBLIC on table league.requests"),
    ("REVOKE SELECT ON ratings FROM league_reader", "rights of league_reader on table league.ratings is missing"),
    ("CREATE RULE r AS ON INSERT TO requests DO INSTEAD NOTHING", "rule r on league.requests"),
    ("ALTER TABLE players ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON players USING (false)",
     "policy p on league.players", "table league.players"),
    ("ALTER TABLE players ALTER COLUMN region SET DEFAULT 'x'", "column league.players.region"),
    ("ALTER TABLE stored_events OWNER TO league_writer", "table league.stored_events"),
    ("ALTER TABLE stored_events DROP CONSTRAINT stored_events_hash_check", "constraint stored_events_hash_check"),
    ("ALTER TABLE stored_events ALTER COLUMN hash DROP NOT NULL", "column league.stored_events.hash"),
    ("ALTER TABLE stored_events ADD CONSTRAINT c CHECK (position < 1000000)", "constraint c on league.stored_events"),
    ("DROP INDEX stored_events_position_idx", "index league.stored_events_position_idx is missing"),
    (("CREATE OR REPLACE VIEW followed_events AS SELECT position + 0 AS position, originator_id, originator_version, "
     "topic, recorded_at, state FROM stored_events WHERE position < 5"), "view league.followed_events"),
    ("CREATE OR REPLACE FUNCTION only_appended() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
     "function league.only_appended()"),
    ("CREATE TABLE public.more () INHERITS (requests)", "table public.more under league.requests"),
    (("CREATE FUNCTION public.e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; "
     "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION public.e()"), "event trigger e"),
    (("CREATE FUNCTION league.eq(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'; "
     "CREATE OPERATOR league.= (FUNCTION = league.eq, LEFTARG = text, RIGHTARG = text)"),
     "operator league.=(text,text)"),
    ("ALTER DEFAULT PRIVILEGES FOR ROLE league_owner IN SCHEMA runs GRANT UPDATE ON TABLES TO PUBLIC",
     "default rights of objects of league_owner in runs"),
    ("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role=replica', current_database()); END $$",
     "setting session_replication_role in this database"),
    ("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path=public, league', current_database()); END $$",
     "setting search_path in this database"),
    (("DO $$ BEGIN EXECUTE format('ALTER ROLE league_writer IN DATABASE %I SET row_security=off', current_database()); "
     "END $$"), "setting row_security of role league_writer in this database"),
    ("ALTER ROLE ALL SET search_path = public", "setting search_path"),
    (f"{PROGRAM}; ALTER ROLE the_program SET search_path = public", "setting search_path of role the_program"),
    (f"{PROGRAM}; ALTER ROLE the_program SET session_replication_role = 'replica'",
     "setting session_replication_role of role the_program"),
    ("DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO league_writer', current_database()); END $$",
     "rights of league_writer on the database"),
    ("DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO PUBLIC', current_database()); END $$",
     "rights of PUBLIC on the database"),
    ((f"{PROGRAM}; CREATE ROLE those; GRANT those TO the_program; "
     "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO those', current_database()); END $$"),
     "rights of those on the database"),
    (f"{PROGRAM}; DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO the_program', current_database()); END $$",
     "owner the_program of the database"),
    (("DO $$ BEGIN EXECUTE (SELECT format('GRANT TRUNCATE ON runs.%I TO PUBLIC', min(relname)) FROM pg_class "
     "WHERE relnamespace = 'runs'::regnamespace AND relkind = 'r'); END $$"), "rights of PUBLIC on table runs."),
    (("DO $$ BEGIN EXECUTE (SELECT format('ALTER TABLE runs.%I ADD CHECK (true)', min(relname)) FROM pg_class "
     "WHERE relnamespace = 'runs'::regnamespace AND relkind = 'r'); END $$"), "constraint on runs."),
)  # fmt: skip


# As docs/operations/database.md says where there is no superuser; and a role of something else.
MIGRATES = """
    CREATE ROLE migrates LOGIN IN ROLE league_owner, league_writer;
    CREATE ROLE of_another_program LOGIN;
    ALTER ROLE of_another_program SET search_path = public;
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I OWNER TO migrates', current_database());
        EXECUTE format('GRANT CREATE ON DATABASE %I TO of_another_program', current_database());
    END $$
"""


def test_each_change_of_the_schema_is_named(database_url: str) -> None:
    """Each change of the schema is named with its object; what the migrations and the projector make is no fault."""
    with signed_league(database_url) as league, psycopg.connect(league.database.url, autocommit=True) as superuser:
        schema = schema_found(league)
        assert schema == []
        superuser.execute("CREATE TABLE public.mine (a int DEFAULT 1)")
        superuser.execute("CREATE SCHEMA mine; CREATE FUNCTION mine.f() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        assert schema_found(league) == []

        superuser.autocommit = False
        superuser.execute(MIGRATES.encode())
        assert list(schema_faults(superuser)) == []
        superuser.rollback()
        for statement, *names in SCHEMA_CHANGES:
            superuser.execute(statement.encode())
            schema = list(schema_faults(superuser))
            superuser.rollback()
            for name in names:
                assert any(name in says for says in schema), (statement, schema)
            assert len(schema) <= 6, (statement, schema)


def test_a_deviation_of_the_schema_is_a_fault(embedded_server: str) -> None:
    """`league verify` ends with an error because of the schema, though the log holds."""
    with signed_league(embedded_server) as league:
        found = done_to(league, "GRANT UPDATE ON stored_events TO league_writer")
        assert [(fault.part, found.verdicts["schema"].ok) for fault in found.faults] == [("schema", False)]
        assert found.verdicts["log"].ok


def test_a_publication_is_a_note(database_url: str) -> None:
    """A publication changes nothing but lets others read the league: a note names it. Others' tables are ignored."""
    with signed_league(database_url) as league:
        found = done_to(
            league,
            "CREATE TABLE public.mine (a int)",
            "CREATE PUBLICATION of_mine FOR TABLE public.mine",
            "CREATE PUBLICATION watched FOR TABLE league.stored_events",
            "CREATE PUBLICATION everything FOR ALL TABLES",
        )
        assert found.faults == []
        (note,) = (note for note in found.notes if "publications" in note)
        assert "everything, watched" in note
        assert "of_mine" not in note


DROPPING = (
    f"{TRAP}; CREATE TRIGGER t BEFORE INSERT ON stored_events FOR EACH ROW EXECUTE FUNCTION league.trap()",
    (
        f"{TRAP}; CREATE TRIGGER t BEFORE INSERT ON stored_events FOR EACH ROW WHEN (new.originator_version > 1) "
        "EXECUTE FUNCTION league.trap()"
    ),
    f"{TRAP}; CREATE TRIGGER t BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION league.trap()",
    "ALTER TABLE stored_events ADD CONSTRAINT c CHECK (originator_version < 2) NOT VALID",
)


@pytest.mark.also_on_server
@pytest.mark.parametrize("statement", DROPPING)
def test_an_append_that_the_database_drops_is_refused_as_a_whole(database_url: str, statement: str) -> None:
    """If the database drops events or the record of a request, nothing is stored, and the error says where to look."""
    with signed_league(database_url) as league, psycopg.connect(league.database.url) as superuser:
        superuser.execute(statement.encode())
        superuser.commit()
        before = counts(superuser)
        superuser.commit()
        with pytest.raises(NotStored, match=r"nothing was stored.*league verify"):
            send(league, announced("late", ("ana", "bea"), 20))
        assert counts(superuser) == before


def counts(conn: psycopg.Connection) -> object:
    """How many events and records of requests there are."""
    return conn.execute("SELECT (SELECT count(*) FROM stored_events), (SELECT count(*) FROM requests)").fetchone()


def schema_found(league: League) -> list[str]:
    """What verify says of the schema."""
    faults = verify_league(league, [], [], rebuild=False).faults
    return [fault.says for fault in faults if fault.kind == "schema"]
