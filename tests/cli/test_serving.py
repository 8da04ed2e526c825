"""What `league serve` keeps running beside the API."""

from __future__ import annotations

import multiprocessing
import threading
from multiprocessing.process import BaseProcess

import pytest
from leagues import announced, send, small_league
from structlog.testing import capture_logs
from waiting import LIMIT, wait_until

from league.api.server import serving
from league.api.server.serving import keep_projecting
from league.infra.settings import Settings


def test_a_projector_that_dies_is_started_again(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody kills the process that projects: another takes its place, and the end does not wait for it."""
    monkeypatch.setattr(serving, "PAUSE", 0.05)
    settings, ended = Settings(database_url=database_url), threading.Event()
    thread = threading.Thread(target=keep_projecting, args=(settings, ended))
    with small_league(database_url) as league, capture_logs() as logs:
        thread.start()
        try:
            head = league.store.head()
            wait_until(lambda: league.reached() == head)
            projector().kill()
            head = send(league, announced("m1", ("ana", "bea"), 0))
            wait_until(lambda: league.reached() == head)
        finally:
            ended.set()
            thread.join(LIMIT)
    assert not thread.is_alive()
    assert not multiprocessing.active_children()
    assert [(line["event"], line["exitcode"]) for line in logs] == [("projector_died", -9)]


def projector() -> BaseProcess:
    (found,) = (child for child in multiprocessing.active_children() if child.name == "projector")
    return found
