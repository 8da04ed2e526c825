"""Processes forked from one that has the program imported: a kill meets work and not a start, which takes a second."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, NamedTuple

from waiting import LIMIT

from league import cli

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(
    ["league.application.bootstrap", "league.application.replay_folding", "league.cli", "processes"]
)


@contextmanager
def league_command(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`league ARGUMENTS` in a process group of its own, killed at the end: a test that fails does not wait for it."""
    command = [sys.executable, "-m", "league", *arguments]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, start_new_session=True) as running:
        try:
            yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def started(work: Any, *arguments: object) -> BaseProcess:
    """A process that does some work, a function of a module."""
    process = context.Process(target=work, args=arguments)
    process.start()
    return process


class Point(NamedTuple):
    """A moment in the work of a process: before or after one of its calls of a function."""

    moment: Literal["before", "after"]
    function: str
    """`module:name`, by the module in which the call finds it."""
    call: int = 1
    """Which of the calls, from 1."""


def killed(point: Point, work: Any, *arguments: object) -> None:
    """Let a process do some work, which is killed at a point that it must reach."""
    process = started(_work_until, point, work, arguments)
    process.join(LIMIT)
    assert process.exitcode == -signal.SIGKILL, (point, process.exitcode)


def _work_until(point: Point, work: Any, arguments: tuple[object, ...]) -> None:
    module, _, name = point.function.partition(":")
    owner, _, attribute = f"{module}:{name}".rpartition("." if "." in name else ":")
    call, calls = resolve_name(point.function), count(1)

    def called(*given: Any, **named: Any) -> Any:
        is_it = next(calls) == point.call
        if is_it and point.moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = call(*given, **named)
        if is_it:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    setattr(resolve_name(owner), attribute, called)
    work(*arguments)


def command(url: str, *arguments: str) -> BaseProcess:
    """A command of the league at a URL, as a process; what it prints is lost."""
    return started(league, url, *arguments)


def league(url: str, *arguments: str) -> None:
    """Run a command of the league at a URL in this process; what it prints is lost."""
    os.environ["LEAGUE_DATABASE_URL"] = url
    sys.argv = ["league", *arguments]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        cli.main()
