"""Leagues of other versions, and places where a league should be: every command says which it is and what to do."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import psycopg
import pytest
from api_server import SECRET
from commands import League, runner
from psycopg import sql

from league.application.bootstrap import open_league
from league.infra.database import connect, migrate, open_database
from league.infra.embedded_postgres import (
    NOTE,
    ClusterOfAnotherVersion,
    DatabaseElsewhere,
    EmbeddedDatabaseFailed,
    _known_home,
    holds_a_database,
)
from league.infra.league_version import Age, date_of, known_migrations, newest_migration
from league.infra.settings import Settings

COMMANDS = (
    ("migrate",), ("board", "1v1"), ("verify",), ("digest",), ("rules", "show"), ("serve", "--port", "0"), ("project",),
    ("worker",), ("import", "season"), ("demo", "--no-serve"), ("init", "--name", "New", "--time-zone", "UTC"),
    ("backup", "league.backup"), ("export", "log"), ("token", "kim", "--role", "admin"),
)  # fmt: skip
"""One of each way to open a league."""
IN_PUBLIC = """
    CREATE TABLE public.alembic_version (version_num varchar(32) PRIMARY KEY);
    INSERT INTO public.alembic_version VALUES ('20261126_trail');
    CREATE TABLE public.stored_events (position bigint);
    CREATE TABLE public.player_keys (player_id text)
"""
AT = "UPDATE league.alembic_version SET version_num = {}"


@pytest.fixture
def league(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> League:
    """Run a command in this process."""
    for name in [name for name in os.environ if name.startswith("LEAGUE_") and "TEST" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LEAGUE_DATABASE_URL", database_url)
    monkeypatch.setenv("LEAGUE_SECRET", SECRET)
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def change(url: str, *statements: str) -> None:
    """Change the database as its superuser."""
    with psycopg.connect(url, autocommit=True) as superuser:
        for statement in statements:
            superuser.execute(statement.encode())


def everything_in(url: str) -> list[tuple[str, int]]:
    """The tables of a database, and how many rows they have."""
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "SELECT relnamespace::regnamespace::text, relname FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) "
            "AND NOT starts_with(relnamespace::regnamespace::text, 'pg_') ORDER BY 1, 2"
        ).fetchall()
        count = sql.SQL("SELECT count(*) FROM {}")
        rows = [conn.execute(count.format(sql.Identifier(*table))).fetchone() for table in tables]
    return [(".".join(table), row[0]) for table, row in zip(tables, rows, strict=True) if row]


NEWER = "29991231_later"
GONE = "20261125_erasure"
"""A revision of early builds that is there no more."""
OTHERS: dict[str, tuple[tuple[str, ...], Age, str, str]] = {
    "older build in public": (
        ("DROP OWNED BY league_owner, league_writer, league_reader", IN_PUBLIC), "older build", "'public'",
        "20261126_trail of 2026-11-26",
    ),
    "older build beside empty tables": ((IN_PUBLIC,), "older build", "'public'", "20261126_trail of 2026-11-26"),
    "older build whose version is gone": (
        (
            "DROP OWNED BY league_owner, league_writer, league_reader",
            "CREATE TABLE public.stored_events (position bigint)",
        ),
        "older build", "'public'", "does not say its migration",
    ),
    "older build without its log": (
        (
            "CREATE SCHEMA old", "CREATE TABLE old.alembic_version (version_num varchar(32))",
            f"INSERT INTO old.alembic_version VALUES ('{GONE}')",  # noqa: S608  # a constant
        ),
        "older build", "'old'", f"{GONE} of 2026-11-25",
    ),
    "a revision that is there no more": ((AT.format(f"'{GONE}'"),), "older build", "'league'", f"{GONE} of 2026-11-25"),
    "a revision that was another one": (
        ("ALTER TABLE league.sealing_keys RENAME TO player_keys", AT.format("'20261128_photos'")),
        "older build", "'league'", "20261128_photos of 2026-11-28",
    ),
    "no revision": (("DELETE FROM league.alembic_version",), "older build", "'league'", "does not say its migration"),
    "newer": ((AT.format(f"'{NEWER}'"),), "newer", "'league'", f"{NEWER} of 2999-12-31"),
    "not migrated": (
        (AT.format("'20261130_signing_in'"),), "not migrated", "'league'", "20261130_signing_in of 2026-11-30",
    ),
}  # fmt: skip
WHAT_TO_DO: dict[Age, str] = {
    "older build": "Back it up with the program that made it, and restore that backup into an empty database",
    "newer": "Use the newer program, or restore a backup from before",
    "not migrated": "then run `league migrate`",
}


@pytest.mark.parametrize("other", OTHERS)
def test_every_command_says_which_version_it_is_and_what_to_do(league: League, database_url: str, other: str) -> None:
    """With the schema, the migration and its date; and nothing is changed, nor begun beside it."""
    made, age, schema, revision = OTHERS[other]
    change(database_url, *made)
    before = everything_in(database_url)
    for command in COMMANDS:
        if (age, command) == ("not migrated", ("migrate",)):
            continue
        said = league(*command)
        assert (said.code, said.out) == (1, ""), command
        for part in (f"in the schema {schema}", revision, WHAT_TO_DO[age], "version 0.1.0", newest_migration()):
            assert part in said.err, (command, part, said.err)
    assert everything_in(database_url) == before


@pytest.mark.also_on_server
def test_what_another_program_keeps_beside_it_is_no_league(league_url: str) -> None:
    """Alembic's table of another program does not keep a league from being begun, nor do events once it has some."""
    change(
        league_url,
        "CREATE TABLE public.alembic_version (version_num varchar(32))",
        "INSERT INTO public.alembic_version VALUES ('ae1027a6acf')",
    )
    change(league_url, "CREATE TABLE public.stored_events (position bigint)")
    with open_league(Settings(database_url=league_url)) as league:
        assert league.exists()


@pytest.mark.also_on_server
def test_reading_the_version_runs_nothing_that_was_planted(database_url: str) -> None:
    """A view in the place of Alembic's table is not read: its functions would run as the superuser who migrates."""
    change(
        database_url,
        "CREATE FUNCTION public.planted() RETURNS varchar LANGUAGE plpgsql AS $$ BEGIN RAISE 'it ran'; END $$",
        "CREATE VIEW public.alembic_version AS SELECT public.planted() AS version_num",
    )
    migrate(database_url)
    with open_league(Settings(database_url=database_url)) as league:
        assert not league.exists()


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_an_empty_database_has_no_league(league: League, database_url: str) -> None:
    """Commands that need one say so, and make no table; `init` makes the tables and the league."""
    change(database_url, "DROP OWNED BY league_owner, league_writer, league_reader")
    for command in (("board", "1v1"), ("verify",), ("serve", "--port", "0"), ("project",), ("worker",)):
        said = league(*command)
        assert (said.code, "there is no league in the database" in said.err) == (2, True), said.err
    assert everything_in(database_url) == []
    assert league("init", "--name", "Liga", "--time-zone", "UTC").code == 0


def test_a_league_is_migrated_by_migrate_alone(league: League, database_url: str) -> None:
    """It says from which migration to which."""
    migrations = "ALTER TABLE league.live_tables DROP COLUMN opened_by"
    change(database_url, migrations, AT.format("'20261130_signing_in'"))
    said = league("migrate")
    assert (said.code, said.out) == (0, f"Migrated the league from 20261130_signing_in to {newest_migration()}.\n")
    assert league("migrate").out == "The database is up to date.\n"
    with connect(database_url) as conn:
        conn.execute("SELECT opened_by FROM live_tables")


def test_the_newest_migration_has_the_latest_date() -> None:
    """An older program recognises a newer league by this date."""
    assert max(map(date_of, known_migrations())) == date_of(newest_migration())
    assert all(re.fullmatch(r"\d{8}_\w+", revision) for revision in known_migrations())


# ---------------------------------------------------------------- data folders

OPENS = (("board", "1v1"), ("serve", "--port", "0"), ("project",), ("worker",), ("verify",), ("migrate",), ("digest",))


@pytest.fixture
def local(league: League, monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> League:
    """Commands with a data folder of their own."""
    monkeypatch.delenv("LEAGUE_DATABASE_URL")
    monkeypatch.delenv("LEAGUE_SECRET")
    monkeypatch.setenv("LEAGUE_DATA_DIR", str(data_dir))
    return league


@pytest.mark.parametrize("command", OPENS)
def test_an_empty_folder_stays_empty(local: League, data_dir: Path, command: tuple[str, ...]) -> None:
    """A disk that is not mounted, for one: only what creates a league makes a database."""
    said = local(*command)
    assert (said.code, f"there is no league in the folder {data_dir}" in said.err) == (2, True), said.err
    assert list(data_dir.iterdir()) == []


@pytest.mark.parametrize("left", ["secret", "table-secret", "signing-key", "postgres.log", "PG_VERSION"])
@pytest.mark.parametrize("command", [("init", "--name", "Liga", "--time-zone", "UTC"), ("demo", "--no-serve"), *OPENS])
def test_no_league_is_begun_where_one_was(local: League, data_dir: Path, command: tuple[str, ...], left: str) -> None:
    """A file beside a missing database shows that there was one."""
    (data_dir / left).write_text("x" * 40)
    said = local(*command)
    assert (said.code, f"had one, of which this is left: {data_dir / left}." in said.err) == (1, True), said.err
    assert "mount it" in said.err
    assert sorted(file.suffix for file in data_dir.iterdir() if file.name != left) in ([], [".lock", ".lock"])


@pytest.mark.heavy
def test_a_league_that_is_back_is_opened(migrated_data_dir: Path) -> None:
    """Its cluster is away, as with a disk that is not mounted, and comes back."""
    settings = Settings(data_dir=migrated_data_dir)
    with open_league(settings) as league:
        league.create("Liga", "UTC", "test")
    home = _known_home(migrated_data_dir)
    assert home is not None
    (home / "cluster").rename(home / "away")
    for prepare in (False, True):
        with pytest.raises(DatabaseElsewhere), open_league(settings, prepare=prepare):
            pass
    (home / "away").rename(home / "cluster")
    with open_league(settings) as league:
        assert league.exists()


@pytest.mark.heavy
@pytest.mark.skipif(os.geteuid() != 0, reason="only root keeps a cluster elsewhere")
def test_a_folder_that_lost_its_note_does_not_begin_anew(data_dir: Path) -> None:
    """The database names its folder, so an empty folder in its place is recognised."""
    settings = Settings(data_dir=data_dir)
    with open_league(settings, prepare=True) as league:
        league.create("Liga", "UTC", "test")
    away = data_dir.with_name(data_dir.name + "-away")
    data_dir.rename(away)
    try:
        data_dir.mkdir()
        for prepare in (False, True):
            with pytest.raises(DatabaseElsewhere) as raised, open_league(settings, prepare=prepare):
                pass
        assert raised.value.found == [Path((away / NOTE).read_text().splitlines()[-1])]
        shutil.rmtree(data_dir)
    finally:
        away.rename(data_dir)
    with open_league(settings) as league:
        assert league.exists()


def test_a_cluster_of_another_postgresql_is_named(migrated_data_dir: Path) -> None:
    """Instead of what its log would say: which version made it, and how to move the league."""
    home = _known_home(migrated_data_dir)
    assert home is not None
    (home / "cluster" / "PG_VERSION").write_text("17\n")
    with pytest.raises(
        ClusterOfAnotherVersion, match=r"PostgreSQL 17 made the database in .*brings PostgreSQL 18"
    ) as raised:
        open_database(Settings(data_dir=migrated_data_dir)).__enter__()
    assert raised.value.version == "17"


def test_a_note_without_its_folder_is_told_by_every_command(local: League, data_dir: Path) -> None:
    """The disk of the database is not mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root keeps a cluster elsewhere")
    (data_dir / NOTE).write_text("/var/lib/league-not-mounted\n")
    with pytest.raises(EmbeddedDatabaseFailed, match="is gone"):
        holds_a_database(data_dir)
    for command in OPENS:
        said = local(*command)
        assert (said.code, "/var/lib/league-not-mounted is gone" in said.err) == (1, True), said.err


def test_commands_that_are_not_listed_open_the_league_the_same_way() -> None:
    """Every command reaches the database through `open_league`, or is one that is named here."""
    program = Path(__file__).parents[2] / "league"
    opens = {file.stem for file in program.rglob("cli/*.py") if "open_database(" in file.read_text(encoding="utf-8")}
    # `league restore` stands in backup.py, `league migrate` in processes.py.
    assert opens == {"processes", "backup"}, "the others go through `open_league`"
