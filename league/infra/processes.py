"""Spreads work over processes and yields the results in order."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")

AHEAD = 8
"""Number of items for each process that may be worked on before their results are read."""


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(processes: int) -> ProcessPoolExecutor:
    """A pool of processes that share no memory with this one. They ignore Ctrl-C, and end if this process is killed."""
    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=_begin)


def spread(work: Callable[[A], T], items: Iterable[A], processes: int) -> Generator[T, None, None]:
    """The results of `work` for each item, in order. Close the generator to end the processes."""
    if processes == 1:
        yield from map(work, items)
        return
    with process_pool(processes) as pool:
        try:
            yield from in_order(pool, work, items, AHEAD * processes)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def in_order(pool: Executor, work: Callable[[A], T], items: Iterable[A], ahead: int) -> Generator[T, None, None]:
    """The results of `work` for each item, in order. At most `ahead` items are in the pool or have unread results."""
    waiting = deque[Future[T]]()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) == ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _begin() -> None:
    """Initialise a process of a pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_the_parent()


def end_with_the_parent() -> None:
    """End this process as soon as the process that started it is gone, whatever it is doing then."""
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it started this process"
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)  # whatever it is doing
