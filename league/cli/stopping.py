"""Stop signals for processes that run until they are stopped."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signal() -> Iterator[Callable[[], bool]]:
    """A function that returns whether this process was asked to stop (by SIGINT or SIGTERM)."""
    asked = False

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, ask)
    yield lambda: asked
