"""Work that is spread over processes."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from operator import neg
from pathlib import Path

import psutil
import pytest
from processes import started
from waiting import LIMIT, wait_until

from league.infra.processes import in_order, process_pool, spread


def test_results_come_in_the_order_of_the_items() -> None:
    """The number of items may be below or above the pool's limit."""
    with ThreadPoolExecutor(2) as pool:
        for count in range(6):
            assert list(in_order(pool, neg, range(count), 3)) == [-n for n in range(count)]
    assert list(spread(neg, range(4), 1)) == [0, -1, -2, -3]


def wait_in_a_process(folder: Path) -> None:
    """Leave work to a process, note which one it is, and wait for ever."""
    with process_pool(1) as pool:
        (folder / str(pool.submit(os.getpid).result())).touch()
        threading.Event().wait()


@pytest.mark.heavy
def test_a_process_of_a_pool_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """Nothing else would end it: it waits for work."""
    parent = started(wait_in_a_process, tmp_path)
    found: list[Path] = []
    wait_until(lambda: bool(found.extend(tmp_path.iterdir()) or found))
    process = psutil.Process(int(found[0].name))
    parent.kill()
    parent.join()
    assert not psutil.wait_procs([process], timeout=LIMIT)[1]
