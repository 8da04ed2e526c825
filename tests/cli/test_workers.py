"""`league serve --workers N`: several processes answer on one port."""

from __future__ import annotations

import multiprocessing
import os
import signal
from functools import partial
from pathlib import Path, PosixPath
from typing import Any

import httpx
import psutil
import pytest
from api_server import SECRET, token
from http_clients import NO_TLS
from processes import started
from prometheus_client.parser import text_string_to_metric_families
from served_by_workers import Running, metrics_folders
from starlette.applications import Starlette
from waiting import LIMIT, wait_until

from league.api.server.app import create_app
from league.api.server.monitoring import metrics_folder
from league.api.server.serving import LONGEST_PAUSE, PAUSE, SOON, listen, pause_after, web_processes
from league.application.bootstrap import CannotStart, League
from league.application.jobs import Jobs
from league.infra.processes import process_pool
from league.infra.settings import Settings

pytestmark = pytest.mark.heavy

RENAME = "mutation ($input: RenamePlayerInput!) { renamePlayer(input: $input) { ... on Success { position } } }"
READ = 'query ($position: BigInt!) @readFrom(afterPosition: $position) { player(id: "ana") { name } }'


def ask(client: httpx.Client, query: str, **variables: Any) -> Any:
    """The data of an answer without errors."""
    headers = {"Authorization": f"Bearer {token('admin')}"}
    answer = client.post("/graphql", json={"query": query, "variables": variables}, headers=headers).json()
    assert "errors" not in answer, answer
    return answer["data"]


def workers_of(shown: dict[tuple[str, ...], float]) -> set[int]:
    """The processes that have metrics."""
    return {int(key[1]) for key in shown if key[0] == "process_open_fds"}


def figures(client: httpx.Client) -> dict[tuple[str, ...], float]:
    """Every metric, by its name and the values of its labels."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


def test_workers_share_the_league_and_come_back(workers: Running) -> None:
    """They read what the others wrote, show one page of figures, and take the place of a killed one.

    They end even if the process that started them is killed. The next start removes the files of their metrics.
    `tests/cli/test_log_lines.py` stops them by SIGTERM. Their fixture stops by Ctrl-C those that a test leaves running.
    """
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
    (folder,) = metrics_folders()
    with metrics_folder():
        assert len(metrics_folders()) == 2, "the folder of processes that run is left alone"
    workers.parent.kill()
    assert not psutil.wait_procs([workers.parent, *processes], timeout=LIMIT)[1]
    with metrics_folder():
        assert folder not in metrics_folders()


class Unreadable(PosixPath):
    """A path that cannot be read, and fails without a message."""

    def is_file(self) -> bool:
        """Whether there is a file."""
        raise RuntimeError


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"secret": None}, "LEAGUE_SECRET"), ({"secret": SECRET, "documents": Unreadable("x")}, "RuntimeError")],
)
def test_workers_that_cannot_start_end_the_command(database_url: str, settings: dict[str, Any], reason: str) -> None:
    """The command says why, and does not start them again and again."""
    given = Settings(database_url=database_url, log_level="error", **settings)
    with (
        listen("127.0.0.1", 0) as listening,
        pytest.raises(CannotStart, match=reason),
        web_processes(1, create_app, given, listening),
    ):
        pytest.fail("it cannot serve")
    assert not multiprocessing.active_children()


def in_a_process_of_its_own(folder: Path, league: League, settings: Settings, jobs: Jobs) -> Starlette:
    """The app of a worker that first leaves work to another process, as the draw of a large field does."""
    with process_pool(1) as pool:
        (folder / str(pool.submit(os.getppid).result())).touch()
    return create_app(league, settings, jobs)


def test_a_worker_may_leave_work_to_a_process(league_url: str, tmp_path: Path) -> None:
    """The pairing of a large field is done in one, whatever the number of workers."""
    given = Settings(database_url=league_url, secret=SECRET)
    with (
        listen("127.0.0.1", 0) as listening,
        web_processes(1, partial(in_a_process_of_its_own, tmp_path), given, listening),
    ):
        assert [int(one.name) for one in tmp_path.iterdir()] == [one.pid for one in multiprocessing.active_children()]


def test_pauses_double_while_workers_die_soon() -> None:
    """Pauses grow up to a limit. After a worker that lived long, the pause is short again."""
    pauses = [0.0]
    for lived in (1, 1, 1, 1, 1, 1, 1, SOON):
        pauses.append(pause_after(lived, pauses[-1]))
    assert pauses[1:4] == [PAUSE, 2 * PAUSE, 4 * PAUSE]
    assert pauses[-2:] == [LONGEST_PAUSE, PAUSE]


def one_at_a_time(folder: Path, league: League, settings: Settings, jobs: Jobs) -> Starlette:
    """The app. The first worker gets it at once, the others when the test creates a file in the folder."""
    try:
        (folder / "first").mkdir()
    except FileExistsError:
        (folder / f"waits-{os.getpid()}").touch()
        wait_until((folder / "go").exists)
    return create_app(league, settings, jobs)


def serve_with_two(url: str, port: int, folder: Path) -> None:
    """Serve as `league serve --workers 2` does."""
    given = Settings(database_url=url, secret=SECRET)
    create = partial(one_at_a_time, folder)
    with listen("127.0.0.1", port) as listening, web_processes(2, create, given, listening) as keep_running:
        keep_running()


def test_a_worker_that_is_killed_before_it_serves_is_started_again(league_url: str, tmp_path: Path) -> None:
    """The other worker serves on: the command ends only if no worker starts."""
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    parent = started(serve_with_two, league_url, port, tmp_path)
    try:
        waiting: list[Path] = []
        wait_until(lambda: bool(waiting.extend(tmp_path.glob("waits-*")) or waiting))
        killed = int(waiting[0].name.removeprefix("waits-"))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT, verify=NO_TLS) as client:
            wait_until(lambda: client.get("/healthz").status_code == 200)
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: len(list(tmp_path.glob("waits-*"))) == 2)
            (tmp_path / "go").touch()
            assert client.get("/healthz").status_code == 200
            assert parent.is_alive()
    finally:
        processes = psutil.Process(parent.pid).children()
        parent.kill()
        parent.join()
        with metrics_folder():
            pass  # removes the folder of the killed process
        assert not psutil.wait_procs(processes, timeout=LIMIT)[1]
