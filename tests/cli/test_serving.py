"""What `league serve` keeps running beside the API."""

from __future__ import annotations

import multiprocessing
from multiprocessing.process import BaseProcess

import pytest
from leagues import announced, league_at, send
from structlog.typing import EventDict
from waiting import wait_until

from league.api.server import side_processes
from league.api.server.side_processes import process_kept_running, project
from league.infra.settings import Settings

pytestmark = pytest.mark.heavy


def test_a_projector_that_dies_is_started_again(
    league_url: str, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    """Somebody kills the process that projects: another takes its place, and the end does not wait for it."""
    monkeypatch.setattr(side_processes, "PAUSE", 0.05)
    settings = Settings(database_url=league_url)
    with (
        league_at(league_url) as league,
        process_kept_running("projector", project, settings),
    ):
        head = send(league, announced("m1", ("ana", "bea"), 0))
        wait_until(lambda: league.reached() == head)
        projector().kill()
        head = send(league, announced("m2", ("ana", "bea"), 1))
        wait_until(lambda: league.reached() == head)
    assert not multiprocessing.active_children()
    assert [(line["event"], line["name"], line["exitcode"]) for line in logs] == [("process_died", "projector", -9)]


def projector() -> BaseProcess:
    (found,) = (child for child in multiprocessing.active_children() if child.name == "projector")
    return found
