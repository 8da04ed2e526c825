"""Turns: the commands of one process on the same subject wait for each other, in the order in which they came.

Each of them would otherwise be overtaken by the others, and be decided again and again.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """The queues of one process, one for each subject. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queues: dict[str, deque[threading.Event]] = {}

    @contextmanager
    def turn(self, subject: str) -> Iterator[None]:
        """Wait for the turn on a subject, which lasts as long as this context.

        Who needs several takes them in the order of their names, so that no two wait for each other.
        """
        mine = threading.Event()
        with self._lock:
            queue = self._queues.setdefault(subject, deque())
            queue.append(mine)
            queue[0].set()
        try:
            mine.wait()
            yield
        finally:
            with self._lock:
                queue.remove(mine)
                if queue:
                    queue[0].set()
                else:
                    del self._queues[subject]
