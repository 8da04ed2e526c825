"""Logs are short lines for people at a terminal, and JSON for programs that collect them."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
import structlog

from league.infra.logs import configure_logs

REQUEST = {"method": "GET", "path": "/players/ana", "status": 200, "milliseconds": 12.4, "request_id": "5b7a"}


class Terminal(StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def logged_to(error: StringIO, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Log to this standard error; afterwards structlog and logging are configured as before."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers, root.level
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", error)
        configure_logs("info")
        yield
    structlog.configure(**before)
    root.handlers = handlers
    root.setLevel(level)


def test_at_a_terminal_a_request_is_one_short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the time, the method, the path, the status and how long it took."""
    with logged_to(terminal := Terminal(), monkeypatch):
        structlog.get_logger().info("operation", operation="Player", actor=None, milliseconds=11.2, errors=0)
        structlog.get_logger().info("request", **REQUEST)
    assert re.fullmatch(r"\d\d:\d\d:\d\d GET /players/ana 200 12 ms\n", terminal.getvalue())


def test_at_a_terminal_a_warning_says_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its values, but neither the process nor the id of the request."""
    with logged_to(terminal := Terminal(), monkeypatch):
        structlog.get_logger().warning("database_away", reason="unreachable", request_id="5b7a")
        logging.getLogger("uvicorn").critical("out of memory")
    first, second = terminal.getvalue().splitlines()
    assert first[9:] == "warning: database_away reason=unreachable"
    assert second[9:] == "critical: out of memory logger=uvicorn"


def test_at_a_terminal_an_error_shows_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Line by line, below the line of the event."""
    with logged_to(terminal := Terminal(), monkeypatch):
        try:
            int("June")
        except ValueError:
            structlog.get_logger().exception("operation_failed")
    first, *trace = terminal.getvalue().splitlines()
    assert first[9:] == "error: operation_failed"
    assert trace[0].startswith("Traceback")
    assert trace[-1].startswith("ValueError: invalid literal")


def test_nobody_commands_the_terminal_by_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control characters of a path are replaced; the line stays one line."""
    with logged_to(terminal := Terminal(), monkeypatch):
        structlog.get_logger().info("request", **{**REQUEST, "path": "/\x1b[2J\n12:00:00 GET /admin"})
    shown = terminal.getvalue()[9:].replace("\N{REPLACEMENT CHARACTER}", "?")
    assert shown == "GET /?[2J?12:00:00 GET /admin 200 12 ms\n"


def test_where_the_output_is_no_terminal_each_line_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line has all that the event has. Libraries log so, too."""
    with logged_to(file := StringIO(), monkeypatch):
        structlog.get_logger().info("request", **REQUEST)
        logging.getLogger("uvicorn").warning("slow client")
    first, second = map(json.loads, file.getvalue().splitlines())
    assert {**first, **REQUEST} == first
    assert (first["event"], first["level"]) == ("request", "info")
    assert (second["event"], second["logger"]) == ("slow client", "uvicorn")
