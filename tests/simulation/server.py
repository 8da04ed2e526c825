"""The PostgreSQL of the simulation: a server of its own, which can be killed, and a database for each league."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
from psycopg import sql

from league.infra.database import migrate
from league.infra.embedded_postgres import temporary_postgres

TEMPLATE = "simulation_template"
SURVIVING = ("synchronous_commit", "full_page_writes")
"""What a server needs that is killed; `fsync` matters only where the machine goes, too."""

PUNCTUAL = {"autovacuum": "off", "deadlock_timeout": "1ms"}
"""No work at times of its own, and a deadlock ends the statement that completes it: both would differ between runs."""


class SimulationServer:
    """A server with a migrated template."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._numbers = count(1)
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(f"CREATE DATABASE {TEMPLATE}".encode())
            for setting, value in PUNCTUAL.items():
                conn.execute(f"ALTER SYSTEM SET {setting} = '{value}'".encode())
            row = conn.execute("SELECT current_setting('data_directory')").fetchone()
        assert row is not None
        self._cluster: str = row[0]
        migrate(self._of(TEMPLATE))
        self.restart()  # with the settings that survive a kill

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a migrated database."""
        name = f"simulated_{next(self._numbers)}"
        with psycopg.connect(self._url, autocommit=True) as conn:
            create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
            conn.execute(create.format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
        try:
            yield self._of(name)
        finally:
            with psycopg.connect(self._url, autocommit=True) as conn:
                conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def restart(self) -> None:
        """Kill all processes of the server, and start it again: it recovers from its log."""
        first = psutil.Process(int(Path(self._cluster, "postmaster.pid").read_text().splitlines()[0]))
        command, owner, folder = first.cmdline(), first.uids().effective, first.cwd()
        for setting in SURVIVING:
            command = [argument.replace(f"{setting}=off", f"{setting}=on") for argument in command]
        processes = [first, *first.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # it ends by itself when the first one is gone
                process.kill()
        psutil.wait_procs(processes)
        with Path(self._cluster).with_name("restarts.log").open("ab") as log:
            start = ["/bin/sh", "-c", '"$0" "$@" &', *command]
            quiet = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            subprocess.run(start, check=True, user=owner, cwd=folder, start_new_session=True, **quiet)
        self._wait()

    def _wait(self) -> None:
        while True:
            try:
                psycopg.connect(self._url).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.02)

    def _of(self, name: str) -> str:
        return urlsplit(self._url)._replace(path=f"/{name}").geturl()


@contextmanager
def simulation_server() -> Iterator[SimulationServer]:
    """A server for this context alone."""
    with temporary_postgres() as url:
        yield SimulationServer(url)
