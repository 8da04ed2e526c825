"""The background work of the laboratory: a worker reviews the league's own rules after a month was closed.

The row of a review says what is left to do, so a lost or repeated message does no harm.
"""

import multiprocessing
import os
import resource
import signal
import threading
from importlib.util import find_spec
from multiprocessing.process import BaseProcess

import dramatiq
import structlog

from league.application.work_part import JobSettings, WorkPart, run_job
from league.infra.database import connect
from league.lab.stored_rules_reviews import ClosedMonth, ReviewStatus, begin, end, is_waiting, note_death, one_waits

CPU_SECONDS = 60
"""Limit on the CPU time of a review. The system stops the process then."""
NICE = 10
"""The niceness of a review, so that it gives way to other processes of the machine."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Keeps the libraries of a review to one core."""

RulesReviewProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The process of a review, which computes for seconds while its worker does other jobs."""

log = structlog.get_logger()


def has_lab() -> bool:
    """Whether the extra `lab` is installed."""
    return find_spec("numba") is not None and find_spec("cmaes") is not None


class RulesReviewJobs:
    """Sends the closing of a month to workers, and reviews the league's rules in the worker."""

    queue = "rules_reviews"
    channels: tuple[str, ...] = ()
    at_once = 1
    """Reviews that a worker does at the same time. Each uses a core."""

    def __init__(
        self, database_url: str, broker: dramatiq.Broker, settings: JobSettings, ending: threading.Event
    ) -> None:
        """`ending`: set when the worker stops."""
        self._url, self.broker, self._ending = database_url, broker, ending
        self._reviews_rules = settings.reviews_rules
        self._is_reviewing, self._is_starting = False, True
        self._actor = dramatiq.actor(broker=broker, actor_name="review_rules", queue_name=self.queue)(self._carry_out)

    def send_unfinished_again(self) -> bool:
        """Send the month that was closed last to workers, unless it is reviewed or was sent some minutes ago.

        Returns whether its review waits.
        """
        if self._is_reviewing:
            return True
        again: list[ReviewStatus] = ["off"] if self._reviews_rules else []
        if has_lab():
            again.append("no_lab")
        with connect(self._url) as conn:
            closed = begin(conn, again=again, at_start=self._is_starting)
            self._is_starting = False
            if closed is not None and not self._reviews_rules:
                end(conn, closed, "off")
                return False
            waits = closed is not None or one_waits(conn)
        if closed is not None:
            self._actor.send(closed.month, closed.position)
        return waits

    def _carry_out(self, month: str, position: int) -> None:
        """Review the rules after a closing, unless that is done, since messages may repeat."""
        if self._ending.is_set() or not self._reviews_rules:
            return
        closed = ClosedMonth(month, position)
        with connect(self._url) as conn:
            if not is_waiting(conn, closed):
                return
        self._is_reviewing = True
        try:
            exitcode = run_job(RulesReviewProcess(target=_review, args=(self._url, closed)), self._ending)
            if exitcode is not None:
                self.note_end(closed, exitcode)
        finally:
            self._is_reviewing = False

    def note_end(self, closed: ClosedMonth, exitcode: int) -> None:
        """Note that the process of a review ended without a result."""
        log.error("rules_review_died", month=closed.month, exitcode=exitcode)
        with connect(self._url) as conn:
            if exitcode == -signal.SIGXCPU:
                end(conn, closed, "not_ended")
            else:
                note_death(conn, closed)


def _review(url: str, closed: ClosedMonth) -> None:
    # Ctrl-C reaches every process of the terminal. The worker stops this process when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    os.nice(NICE)
    os.environ.update(ONE_THREAD)
    from league.lab.make_rules_review import review_rules_after  # noqa: PLC0415  # numpy reads these variables

    review_rules_after(url, closed, has_lab=has_lab())


WORK = WorkPart(jobs=RulesReviewJobs)
