"""A login that may only be the writer plants code; no superuser and no owner ever runs it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import NamedTuple

import psycopg
import pytest
from leagues import announced, catch_up, league_at, rebuild, send
from psycopg.conninfo import make_conninfo

from league.application.bootstrap import League
from league.infra.database import ACT_AS_WRITER, UntrustedSchema, connect, migrate

pytestmark = pytest.mark.also_on_server

BEFORE_NEWEST = "20261124_chain"
"""A revision from which the newest migration can be run once more."""


class Attack(NamedTuple):
    """A league, and a login that is a member of `league_writer` and of nothing else."""

    league: League
    superuser: str
    login: str

    def plant(self, *statements: str) -> None:
        """Do as much of this as the login may, each statement in a transaction of its own."""
        url = make_conninfo(self.superuser, user=self.login, password="p")  # noqa: S106  # of this test's login
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(ACT_AS_WRITER)
            for statement in statements:
                try:
                    conn.execute(statement.replace("{login}", self.login).encode())
                except (psycopg.errors.InsufficientPrivilege, psycopg.errors.DuplicateObject):
                    continue

    def migrate_again(self) -> None:
        """Run the newest migration once more, as the superuser, as an upgrade would."""
        with connect_as_superuser(self.superuser) as conn:
            conn.execute("UPDATE alembic_version SET version_num = %s::varchar", (BEFORE_NEWEST,))
        migrate(self.superuser)

    def is_superuser(self) -> bool:
        """Whether the login has become a superuser."""
        with psycopg.connect(self.superuser) as conn:
            row = conn.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", (self.login,)).fetchone()
        assert row is not None
        return bool(row[0])


def connect_as_superuser(url: str) -> psycopg.Connection:
    """A superuser's connection that reads the tables of the league and nothing that is planted elsewhere."""
    conn = psycopg.connect(url)
    conn.execute("SET search_path = league, runs, pg_temp")
    return conn


@pytest.fixture
def attack(league_url: str) -> Iterator[Attack]:
    login = f"hostile_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(league_url, autocommit=True) as superuser:
        superuser.execute(f"CREATE ROLE {login} LOGIN PASSWORD 'p' IN ROLE league_writer".encode())
        try:
            with league_at(league_url) as league:
                send(league, announced("m0", ("ana", "bea"), 0))
                catch_up(league)
                yield Attack(league, league_url, login)
        finally:
            superuser.execute(f"DROP OWNED BY {login}".encode())
            superuser.execute(f"DROP ROLE {login}".encode())


GRAB = """
    IF session_user = 'postgres' THEN
        RESET ROLE;
        ALTER ROLE {login} SUPERUSER;
    END IF;
"""
OPERATOR = (
    f"""CREATE FUNCTION public.grab(a varchar, b varchar) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN {GRAB} RETURN a::text OPERATOR(pg_catalog.=) b::text; END $$""",
    "CREATE OPERATOR public.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = public.grab)",
)
TRIGGER_FUNCTION = f"""
    CREATE FUNCTION {{}}.grab() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {GRAB} RETURN new; END $$
"""


def test_an_operator_that_it_plants_is_not_run_by_migrate(attack: Attack) -> None:
    """`migrate` compares the revision, a varchar, with a literal: an operator for two varchars fits exactly."""
    attack.plant(*OPERATOR)
    attack.migrate_again()
    assert not attack.is_superuser()


def test_an_operator_is_not_run_where_everybody_may_create_in_public(attack: Attack) -> None:
    """A database that was upgraded from PostgreSQL 14 is like that. `migrate` takes the right back."""
    with psycopg.connect(attack.superuser) as conn:
        conn.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    attack.plant(*OPERATOR)
    attack.migrate_again()
    assert not attack.is_superuser()
    with psycopg.connect(attack.superuser) as conn:
        conn.execute("DROP OPERATOR public.= (varchar, varchar)")
        query = "SELECT has_schema_privilege('league_writer', 'public', 'CREATE')"
        assert conn.execute(query).fetchone() == (False,)


def test_a_trigger_that_it_plants_on_a_table_is_not_run(attack: Attack) -> None:
    """An UPDATE by the superuser does not run it, nor one for which the superuser becomes the writer."""
    with connect(attack.superuser) as conn:
        tables = [name for (name,) in conn.execute(TABLES)]
    plant = "CREATE TRIGGER grab BEFORE UPDATE OR INSERT ON {} FOR EACH ROW EXECUTE FUNCTION {}.grab()"
    for schema in ("pg_temp", "public"):
        attack.plant(TRIGGER_FUNCTION.replace("{}", schema), *(plant.format(table, schema) for table in tables))
    for become in ("SET ROLE league_writer", "RESET ROLE"):
        with connect_as_superuser(attack.superuser) as conn:
            conn.execute(become.encode())
            conn.execute("UPDATE runs SET code = code")
            conn.execute("UPDATE players SET name = name")
            conn.execute("UPDATE journal SET cause = cause")
            conn.execute("UPDATE ratings SET rating = rating")
            conn.execute("UPDATE official_run SET previous = previous")
    attack.migrate_again()
    assert not attack.is_superuser()


def test_a_function_that_it_replaces_is_not_run(attack: Attack) -> None:
    """Functions of the schema are the owner's: of a trigger, of a generated column, and the one that holds a run."""
    attack.plant(
        f"CREATE OR REPLACE FUNCTION tell_of_replay() RETURNS trigger LANGUAGE plpgsql AS $$"
        f" BEGIN {GRAB} RETURN new; END $$",
        f"CREATE FUNCTION public.grab() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {GRAB} END $$",
        # What is not volatile may not change a role, but may call what is.
        "CREATE OR REPLACE FUNCTION folded(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$"
        " BEGIN PERFORM public.grab(); RETURN given; END $$",
        f"CREATE OR REPLACE FUNCTION hold_run(wanted integer) RETURNS boolean LANGUAGE plpgsql STRICT AS $$"
        f" BEGIN {GRAB} RETURN true; END $$",
    )
    with connect_as_superuser(attack.superuser) as conn:
        conn.execute("INSERT INTO replays (requested_by) VALUES ('x')")
        conn.execute("UPDATE players SET name = 'x'")
        conn.execute("SELECT hold_run(1)")
    attack.migrate_again()
    assert not attack.is_superuser()


def test_it_owns_nothing_and_may_create_nothing(attack: Attack) -> None:
    """After projections, a rebuild and an attempt to create: so there is nothing of its own that others could run."""
    attack.plant(
        *(f"CREATE TABLE {schema}.mine (run integer)" for schema in ("league", "runs", "public")),
        "CREATE SCHEMA mine",
        "ALTER TABLE runs.matches_1 ADD CHECK (match_id <> '')",
        "CREATE INDEX mine ON runs.matches_1 ((match_id || ''))",
        "CREATE RULE mine AS ON UPDATE TO runs.matches_1 DO ALSO SELECT 1",
        "CREATE POLICY mine ON runs.matches_1 USING (true)",
        "CREATE STATISTICS mine ON (match_id || '') FROM runs.matches_1",
        "ALTER TABLE runs.matches_1 ALTER status SET DEFAULT 'x'",
        "ALTER TABLE league.matches DETACH PARTITION runs.matches_1",
        "ALTER FUNCTION league.make_run(integer) RESET search_path",
        "CREATE CAST (varchar AS integer) WITH INOUT AS IMPLICIT",
        "CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION league.only_appended()",
    )
    rebuild(attack.league)
    with psycopg.connect(attack.superuser) as conn:
        assert conn.execute(OWNED, {"roles": ["league_writer", attack.login]}).fetchall() == []
        assert conn.execute(CREATES).fetchall() == []
        assert conn.execute(PLANTABLE).fetchall() == []


def test_there_is_nothing_of_the_league_in_public(attack: Attack) -> None:
    """Whatever else a database has there, no statement of the program finds it."""
    with psycopg.connect(attack.superuser) as conn:
        assert conn.execute(IN_PUBLIC).fetchall() == []


def test_functions_with_the_rights_of_the_owner_pin_their_search_path(attack: Attack) -> None:
    """Nobody but the writer may call them."""
    with psycopg.connect(attack.superuser) as conn:
        found = conn.execute(DEFINERS).fetchall()
    assert {name for name, *_ in found} == {"lock_event_log", "make_run", "attach_run", "analyze_run", "drop_run"}
    assert {owner for _, owner, *_ in found} == {"league_owner"}
    assert {path for _, _, path, _ in found} == {"search_path=pg_catalog, pg_temp"}
    assert not any(anybody for *_, anybody in found)


def test_the_functions_of_runs_use_no_table_that_it_plants(attack: Attack) -> None:
    """A temporary table of the same name as a parent is neither copied nor attached nor dropped."""
    url = make_conninfo(attack.superuser, user=attack.login, password="p")  # noqa: S106  # of this test's login
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(ACT_AS_WRITER)
        for name in ("matches", "matches_77", "pg_class"):
            conn.execute(f"CREATE TEMP TABLE {name} (run integer)".encode())
        conn.execute("SET search_path = pg_temp, league, runs, pg_catalog")
        conn.execute("SELECT make_run(77), attach_run(77), analyze_run(77)")
        query = """
            SELECT relispartition, relpersistence, relowner::regrole::text FROM pg_catalog.pg_class
            WHERE relname = 'matches_77' ORDER BY relispartition
        """
        planted, made = (False, "t", "league_writer"), (True, "p", "league_owner")
        assert conn.execute(query).fetchall() == [planted, made]
        conn.execute("SELECT drop_run(77)")
        assert conn.execute(query).fetchall() == [planted]


@pytest.mark.parametrize("schema", ["league", "runs"])
def test_migrate_refuses_a_schema_that_is_not_the_owners(database_url: str, schema: str) -> None:
    """Somebody else made it first, or may create in it: the migrations could run what is there."""
    with psycopg.connect(database_url, autocommit=True) as superuser:
        superuser.execute(f"GRANT CREATE ON SCHEMA {schema} TO league_writer".encode())
        superuser.execute("UPDATE league.alembic_version SET version_num = '20261124_chain'")
        with pytest.raises(UntrustedSchema, match=schema) as refused:
            migrate(database_url)
        assert (refused.value.schema, refused.value.roles) == (schema, "league_writer")
        superuser.execute("DROP OWNED BY league_owner, league_writer")
        superuser.execute(f"CREATE SCHEMA {schema}".encode())
        with pytest.raises(UntrustedSchema) as refused:
            migrate(database_url)
        assert (refused.value.schema, refused.value.roles) == (schema, "postgres")


OWNED = """
    SELECT classid::regclass::text, objid FROM pg_shdepend
    JOIN pg_roles AS r ON refclassid = 'pg_authid'::regclass AND refobjid = r.oid
    WHERE deptype = 'o' AND rolname = ANY(%(roles)s)
      AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
CREATES = """
    SELECT nspname FROM pg_namespace
    WHERE nspname NOT LIKE 'pg\\_%' AND has_schema_privilege('league_writer', oid, 'CREATE')
"""
PLANTABLE = """
    SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text IN ('league', 'runs')
      AND relkind IN ('r', 'p') AND has_table_privilege('league_writer', oid, 'TRIGGER, REFERENCES')
"""
IN_PUBLIC = """
    SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace
    UNION ALL SELECT oprname FROM pg_operator WHERE oprnamespace = 'public'::regnamespace
"""
DEFINERS = """
    SELECT proname, proowner::regrole::text, proconfig[1], has_function_privilege('public', oid, 'EXECUTE')
    FROM pg_proc WHERE prosecdef AND pronamespace = 'league'::regnamespace
"""
TABLES = """
    SELECT format('%I.%I', relnamespace::regnamespace, relname) FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text IN ('league', 'runs', 'public')
"""
