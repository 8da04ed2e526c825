"""A league that `league serve --workers 2` serves: each worker can be asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
from http_clients import NO_TLS
from processes import league_command
from waiting import LIMIT, wait_until

from league.api.server.monitoring import PREFIX


class Running(NamedTuple):
    """A league that two workers serve."""

    parent: psutil.Process
    port: int

    @contextmanager
    def clients(self) -> Iterator[list[httpx.Client]]:
        """A client of each worker; it keeps its connection, and with it its worker."""
        with ExitStack() as opened:
            by_worker: dict[int, httpx.Client] = {}

            def met_both() -> bool:
                client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=LIMIT, verify=NO_TLS)
                stream = opened.enter_context(client).get("/healthz").extensions["network_stream"]
                _, port = stream.get_extra_info("client_addr")
                by_worker.setdefault(self._worker_of(port), client)
                return len(by_worker) == 2

            wait_until(met_both)
            yield list(by_worker.values())

    def _worker_of(self, port: int) -> int:
        for process in self.parent.children():
            if any(one.raddr and one.raddr.port == port for one in process.net_connections("tcp")):
                return process.pid
        raise AssertionError("no worker has the connection")


@contextmanager
def two_workers() -> Iterator[Running]:
    """The league of the environment, served."""
    with league_command("serve", "--port", "0", "--workers", "2", "--ai-processes", "0") as running:
        assert running.stderr is not None
        line = running.stderr.readline()
        assert "is served on" in line, line + running.stderr.read()
        yield Running(psutil.Process(running.pid), int(line.split("/graphql")[0].rsplit(":", 1)[1]))


def metrics_folders() -> set[Path]:
    """The folders in which processes share their figures."""
    return set(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))
