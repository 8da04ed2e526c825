"""`league serve --workers N`: several processes answer on one port."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import httpx
import psutil
import pytest
from api_server import SECRET, token
from leagues import small_league
from processes import league_command
from prometheus_client.parser import text_string_to_metric_families
from waiting import LIMIT, wait_until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from league.api.server.serving import listen
from league.api.server.web_processes import web_processes
from league.application.bootstrap import CannotStart
from league.application.following import follow
from league.infra.settings import Settings

RENAME = "mutation ($input: RenamePlayerInput!) { renamePlayer(input: $input) { ... on Success { position } } }"
READ = 'query ($position: BigInt!) @readFrom(afterPosition: $position) { player(id: "ana") { name } }'


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
                client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=LIMIT)
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
    with league_command("serve", "--port", "0", "--workers", "2") as running:
        assert running.stderr is not None
        line = running.stderr.readline()
        assert "is served on" in line, line + running.stderr.read()
        yield Running(psutil.Process(running.pid), int(line.split("/graphql")[0].rsplit(":", 1)[1]))


@pytest.fixture
def workers(own_environment: None, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:  # noqa: ARG001  # by its effect
    """A league of six players, served by two workers, and projected."""
    monkeypatch.setenv("LEAGUE_SECRET", SECRET)
    monkeypatch.setenv("LEAGUE_LOG_LEVEL", "error")
    ended = threading.Event()
    with small_league(database_url) as league, two_workers() as running:
        projector = threading.Thread(target=follow, args=(league, ended.is_set))
        projector.start()
        try:
            yield running
        finally:
            ended.set()
            projector.join()


def ask(client: httpx.Client, query: str, **variables: Any) -> Any:
    """The data of an answer without errors."""
    headers = {"Authorization": f"Bearer {token('admin')}"}
    answer = client.post("/graphql", json={"query": query, "variables": variables}, headers=headers).json()
    assert "errors" not in answer, answer
    return answer["data"]


def workers_of(shown: dict[tuple[str, ...], float]) -> set[int]:
    """The processes that have figures."""
    return {int(key[1]) for key in shown if key[0] == "process_open_fds"}


def figures(client: httpx.Client) -> dict[tuple[str, ...], float]:
    """Every figure, by its name and the values of its labels."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


def test_workers_share_the_league_and_come_back(workers: Running) -> None:
    """They read what the others wrote, show one page of figures, take the place of a killed one, and stop together."""
    with workers.clients() as (first, second):
        given = {"player": "ana", "name": "Anita", "idempotencyKey": "k"}
        position = ask(first, RENAME, input=given)["renamePlayer"]["position"]
        assert ask(second, READ, position=position) == {"player": {"name": "Anita"}}
        shown = figures(first)
    assert shown["league_operation_seconds_count", "renamePlayer", "ok"] == 1
    assert shown["league_operation_seconds_count", "player", "ok"] == 1
    before = workers_of(shown)
    assert len(before) == 2

    killed = max(before)
    os.kill(killed, signal.SIGKILL)
    with workers.clients() as (first, second):
        shown = figures(second)
        assert ask(first, READ, position=position) == ask(second, READ, position=position)
    assert len(workers_of(shown)) == 2
    assert workers_of(shown) & before == before - {killed}
    assert shown["league_operation_seconds_count", "player", "ok"] == 1, "what was counted stays"

    processes = workers.parent.children()
    address = f"ws://127.0.0.1:{workers.port}/graphql"
    with connect(address, subprotocols=["graphql-transport-ws"]) as socket:  # type: ignore[list-item]
        workers.parent.terminate()
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(LIMIT)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012, "the service restarts: clients connect again"
    assert not psutil.wait_procs([workers.parent, *processes], timeout=LIMIT)[1]


def test_workers_end_with_the_process_that_started_them(workers: Running) -> None:
    """Also when it is killed: nobody would watch them, and the port would be taken."""
    processes = workers.parent.children()
    workers.parent.kill()
    assert not psutil.wait_procs(processes, timeout=LIMIT)[1]


def test_workers_that_cannot_start_end_the_command(database_url: str) -> None:
    """With the reason; they are not started again and again."""
    settings = Settings(database_url=database_url, log_level="error")
    with (
        listen("127.0.0.1", 0) as listening,
        pytest.raises(CannotStart, match="LEAGUE_SECRET"),
        web_processes(2, settings, listening),
    ):
        pytest.fail("there is no secret to check tokens with")
    assert not multiprocessing.active_children()
