"""Programs at a pseudo-terminal of 80 columns, and lines typed to commands in this process."""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from waiting import LIMIT

PATIENCE = 10  # seconds between two presses of Ctrl-C
STARTED = """
import signal
from league import cli
signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of a test run ignore it, and what they start does
cli.main()
"""


class Keyboard(io.StringIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let a command in this process read these lines from a terminal."""
    monkeypatch.setattr(sys, "stdin", Keyboard("".join(f"{line}\n" for line in lines)))


class Terminal:
    """A command at a pseudo-terminal, and all that it has printed."""

    def __init__(self, *arguments: str) -> None:
        self.end, theirs = pty.openpty()
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONPATH": os.pathsep.join(sys.path)}
        self.program = subprocess.Popen(
            [sys.executable, "-c", STARTED, *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.printed = b""

    def read_until(self, wanted: bytes) -> bool:
        """Read until the program has printed this; False when it ends before."""
        start = len(self.printed)
        while wanted not in self.printed[start:]:
            ready, _, _ = select.select([self.end], [], [], LIMIT)
            assert ready, f"no more came of {self.text}"
            try:
                more = os.read(self.end, 65_536)
            except OSError:  # Linux says so when the other end is closed
                return False
            if not more:
                return False
            self.printed += more
        return True

    def type(self, keys: bytes) -> None:
        os.write(self.end, keys)

    def interrupt(self) -> None:
        """Press Ctrl-C until the program reacts: Python misses a signal between its prompt and its read.

        Read the whole prompt first: what is left of it would be taken for the reaction.
        """
        for _ in range(round(LIMIT / PATIENCE)):
            os.killpg(self.program.pid, signal.SIGINT)  # the pseudo-terminal has no foreground group to send it to
            if select.select([self.end], [], [], PATIENCE)[0]:
                return

    def close(self) -> None:
        """End the program."""
        with suppress(ProcessLookupError):
            os.killpg(self.program.pid, signal.SIGKILL)
        self.program.wait(LIMIT)
        os.close(self.end)

    @property
    def text(self) -> str:
        return self.printed.decode().replace("\r\n", "\n")
