"""Processes forked from one that has the program imported: a kill meets work and not a start, which takes a second."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

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


def command(url: str, *arguments: str) -> BaseProcess:
    """A command of the league at a URL, as a process; what it prints is lost."""
    return started(_command, url, arguments)


def _command(url: str, arguments: tuple[str, ...]) -> None:
    os.environ["LEAGUE_DATABASE_URL"] = url
    sys.argv = ["league", *arguments]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        cli.main()
