"""Work spread over processes, whose results come in order."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import count
from typing import TypeVar

T = TypeVar("T")

AHEAD = 8
"""How many numbers each process may be ahead of the one whose result is read."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[int], T], processes: int) -> Generator[T, None, None]:
    """`work` of 0, 1, 2, and so on without end, in this order. Close it to end the processes."""
    if processes == 1:
        yield from map(work, count())
        return
    # Ctrl-C ends this process, which ends the others.
    started = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, started, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        numbers, waiting = count(), deque[Future[T]]()
        try:
            while True:
                while len(waiting) < AHEAD * processes:
                    waiting.append(pool.submit(work, next(numbers)))
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
