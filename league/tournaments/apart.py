"""Pairs a large round in a process with limits, which a crash of it or of its parent leaves without any trace.

The process gets the inputs and writes the tables into a file. It stores nothing: whoever started it does, in one save.
"""

import multiprocessing
import os
import resource
import signal
import threading
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from league.application.work_part import run_job
from league.infra.decoding import LIMITS_MEMORY, MB
from league.infra.processes import end_with_the_parent
from league.tournaments.domain.drawn import RoundPairings, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.pairing import pair

CPU_SECONDS = 1_200
"""Limit on the CPU time of a drawing. For 1,000 competitors rustworkx takes 20 s, networkx some 600 s."""
MEGABYTES = 1_000
"""Limit on the memory of a drawing, where the system has one."""
NICE = 5
"""The niceness of a drawing, so that it gives way to whoever answers requests on this machine."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""Keeps numpy, which comes with rustworkx, to one core."""

DrawingProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The process that pairs a round."""


class DrawingDied(Exception):
    """The process of a drawing failed, was killed, or reached a limit."""

    def __init__(self, exitcode: int) -> None:
        """`exitcode`: of the process; a negative one is the number of the signal that ended it."""
        super().__init__(f"the process of the drawing ended with {exitcode}")
        self.exitcode = exitcode


class Stopped(Exception):
    """This process stops, and so it has ended the process of the drawing."""


def pair_within_limits(
    plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule, ending: threading.Event
) -> RoundPairings:
    """The tables that follow from a drawing, as `pair` gives them. Blocks.

    Raises DrawingDied, and Stopped if `ending` was set meanwhile.
    """
    with TemporaryDirectory(prefix="league-drawing-") as folder:
        tables = Path(folder, "tables")
        process = DrawingProcess(target=_pair, args=(plan, drawing, seed, schedule, tables))
        exitcode = run_job(process, ending)
        if exitcode is not None:
            raise DrawingDied(exitcode)
        if ending.is_set():
            raise Stopped  # the file may lack a part
        return msgspec.msgpack.decode(tables.read_bytes(), type=RoundPairings)


def _pair(plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule, tables: Path) -> None:
    limit_this_process(CPU_SECONDS, MEGABYTES, NICE)
    tables.write_bytes(msgspec.msgpack.encode(pair(plan, drawing, seed, schedule)))


def limit_this_process(cpu_seconds: int, megabytes: int, niceness: int) -> None:
    """Bound what this process may take. It ends with its parent, and computes on one core."""
    # Ctrl-C reaches every process of the terminal. The parent stops this process when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_the_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    if LIMITS_MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MB, megabytes * MB))
    os.nice(niceness)
    os.environ.update(ONE_THREAD)
