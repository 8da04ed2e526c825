"""Processes that a server keeps running beside itself."""

import multiprocessing
import signal
from multiprocessing.connection import wait

import pytest

from league.api.server import side_processes
from league.api.server.side_processes import process_kept_running


def test_a_process_that_ignores_signals_is_killed_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is started while Ctrl-C ends the server inherits that signals are ignored."""
    monkeypatch.setattr(side_processes, "PATIENCE", 0.1)
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with process_kept_running("waits", wait, []):  # type: ignore[arg-type]  # waits as many seconds as our process id
            while not any(process.name == "waits" for process in multiprocessing.active_children()):
                pass
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not any(process.name == "waits" for process in multiprocessing.active_children())
