"""Stop signals for processes that run until they are stopped."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from league.domain.sentences import say
from league.infra.settings import BadSetting

TOUCHED_EVERY = 1.0
"""Seconds between two touches of the file that shows that a process works."""


@contextmanager
def stop_on_signal(alive: Path | None = None) -> Iterator[Callable[[], bool]]:
    """A function that returns whether this process was asked to stop (by SIGINT or SIGTERM).

    `alive`: a file that each call touches, at most once a second. While the loop that asks hangs, it grows old. Raises
    BadSetting if it cannot be written.
    """
    asked, touched_at = False, time.monotonic()
    if alive is not None:
        try:
            alive.touch()
        except OSError as error:
            raise BadSetting("LEAGUE_ALIVE_FILE", say("cannot be written: {error}", error=error)) from error

    def is_asked() -> bool:
        nonlocal touched_at
        if alive is not None and time.monotonic() >= touched_at + TOUCHED_EVERY:
            with suppress(OSError):  # a full disk stops nothing; that the file grows old tells of it
                alive.touch()
            touched_at = time.monotonic()
        return asked

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, ask)
    yield is_asked


def exit_when_stopped() -> None:
    """Let SIGTERM and Ctrl-C end this process with exit code 0, after everything that is open was closed."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _exit)


def _exit(*_: object) -> None:
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # once: what is being closed is not interrupted
    sys.exit(0)
