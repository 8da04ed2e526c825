"""The figures of several web processes: each writes its own to a folder, and whichever is asked reads them all."""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus_client keeps the figures of a process. It reads the variable when it is imported."""

PREFIX = "league-metrics-"

_OF_A_LIVING_PROCESS = re.compile(r"gauge_livesum_(\d+)\.db")


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Processes that start inside this context share their figures."""
    _remove_folders_of_killed_processes()
    with TemporaryDirectory(prefix=PREFIX) as folder, _locked(Path(folder)):
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


def _remove_folders_of_killed_processes() -> None:
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        # Another process has it locked, or it is another user's.
        with suppress(OSError), _locked(folder):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The system takes the lock back when the process ends, however it ends. Raises OSError if another one has it."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def without_figures_of(pid: int | None) -> None:
    """Forget what a process that died had open. What it counted stays."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]  # prometheus_client does not type it


def registry_to_show(counted: CollectorRegistry) -> CollectorRegistry:
    """What Prometheus is shown: what this process counted, or, if it shares its figures, what all of them did."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        ProcessCollector(registry=counted)
        return counted
    of_all = CollectorRegistry()
    MultiProcessCollector(of_all)  # type: ignore[no-untyped-call]  # as above
    of_all.register(ProcessesCollector(Path(folder)))
    return of_all


class ProcessesCollector(Collector):
    """The figures `process_…` of each living process, by the label `pid`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        """Read them from the system."""
        found: dict[str, Metric] = {}
        for file in sorted(self._folder.iterdir()):
            if process := _OF_A_LIVING_PROCESS.fullmatch(file.name):
                pid = process[1]
                for metric in ProcessCollector(pid=partial(str, pid), registry=None).collect():
                    shown = found.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
                    for sample in metric.samples:
                        shown.add_sample(sample.name, {"pid": pid}, sample.value)
        yield from found.values()
