"""Streaming replicas of an embedded server, made by `pg_basebackup` as an operator makes them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import psutil
import psycopg

from league.infra.embedded_postgres import MOST_CONNECTIONS, temporary_postgres

QUICK = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"


class ReplicaServer:
    """One replica of a server; `url` leads to the same database as the URL of the primary."""

    def __init__(self, primary: str, folder: Path) -> None:
        self._primary, self.folder, self.cluster = primary, folder, folder / "cluster"
        owner = Path(self._socket_of(primary)).stat()
        self._as_owner: dict[str, Any] = {"user": owner.st_uid, "group": owner.st_gid} if os.geteuid() == 0 else {}
        os.chown(folder, owner.st_uid, owner.st_gid)
        with psycopg.connect(primary) as connection:
            row = connection.execute("SELECT setting FROM pg_config() WHERE name = 'BINDIR'").fetchone()
        assert row is not None
        self._binaries = Path(row[0])

    @property
    def url(self) -> str:
        """URL of the primary's database on the replica."""
        parts = urlsplit(self._primary)
        query = parts.query.replace(quote(self._socket_of(self._primary), safe=""), quote(str(self.folder), safe=""))
        assert query != parts.query
        return parts._replace(query=query).geturl()

    def make(self) -> None:
        """Copy the primary, and start to follow it."""
        shutil.rmtree(self.cluster, ignore_errors=True)
        host = self._socket_of(self._primary)
        self._run(
            "pg_basebackup", "-D", str(self.cluster), "-R", "-X", "stream", "-c", "fast", "-h", host, "-U", "postgres"
        )
        self.start()

    def start(self) -> None:
        """Start the server."""
        # A replica needs room for as many connections as its primary.
        room = f"-c max_connections={MOST_CONNECTIONS}"
        options = f"{room} -c listen_addresses='' -c unix_socket_directories='{self.folder}' {QUICK}"
        log = str(self.folder / "postgres.log")
        self._run("pg_ctl", "-D", str(self.cluster), "-l", log, "-w", "-o", options, "start")

    def kill(self) -> None:
        """Kill the server with all its processes, as a power failure does."""
        for process in self._processes():
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(self._processes(), timeout=10)

    def freeze(self) -> None:
        """Stop its processes: it answers nothing, and closes nothing."""
        for process in self._processes():
            with suppress(psutil.Error):
                process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the processes go on."""
        for process in self._processes():
            with suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Do not replay what comes from the primary meanwhile."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            try:
                yield
            finally:
                connection.execute("SELECT pg_wal_replay_resume()")

    def _processes(self) -> list[psutil.Process]:
        try:
            first = psutil.Process(int((self.cluster / "postmaster.pid").read_text().split("\n", 1)[0]))
            return [first, *first.children(recursive=True)]
        except (FileNotFoundError, psutil.Error):
            return []

    def _run(self, program: str, *arguments: str) -> None:
        with tempfile.TemporaryFile() as output:
            command = [str(self._binaries / program), *arguments]
            done = subprocess.run(
                command, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder,
                **self._as_owner,
            )  # fmt: skip
            output.seek(0)
            assert done.returncode == 0, output.read().decode(errors="replace")

    @staticmethod
    def _socket_of(url: str) -> str:
        return parse_qs(urlsplit(url).query)["host"][0]


@contextmanager
def replica_of(primary: str) -> Iterator[ReplicaServer]:
    """A replica of a server on this machine, for this context alone."""
    with tempfile.TemporaryDirectory(prefix="league-replica-") as folder:
        server = ReplicaServer(primary, Path(folder))
        server.make()
        try:
            yield server
        finally:
            server.thaw()
            server.kill()


@contextmanager
def own_server() -> Iterator[str]:
    """A server for tests that make replicas of it: nothing else is replicated."""
    with temporary_postgres() as url:
        with psycopg.connect(url) as connection:
            # Without it replicas receive what was committed up to 0.2 seconds later.
            connection.execute("ALTER ROLE postgres SET synchronous_commit = on")
        yield url
