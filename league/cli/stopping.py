"""How processes that run until they are stopped learn that they should stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signal() -> Iterator[Callable[[], bool]]:
    """A function that says whether this process was asked to end (by SIGINT or SIGTERM)."""
    asked = False

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, ask)
    yield lambda: asked
