"""Explains rounds in a worker, each in a process with limits, after they are published or when somebody first asks.

The row of an explanation says what is left to do, so a lost or repeated message does no harm.
"""

import multiprocessing
import threading
import time
from multiprocessing.process import BaseProcess

import dramatiq
import psycopg
import structlog
from dramatiq.errors import BrokerConnectionError
from redis.exceptions import RedisError

from league.application.work_part import JobSettings, WorkPart, run_job
from league.infra.database import connect
from league.tournaments.apart import MEGABYTES, limit_this_process
from league.tournaments.drawing import TOURNAMENTS, working
from league.tournaments.explained_rounds import (
    RoundKey,
    ask_for_explanation,
    explain_stored_round,
    is_waiting,
    note_death,
    waiting_rounds,
)

MOST_SENT = 20
"""Limit on rounds that one search sends again."""
CPU_SECONDS = 3_600
"""Limit on the CPU time of an explanation. For 256 competitors rustworkx takes 10 s, networkx 200 s and more."""
NICE = 10
"""The niceness of an explanation, so that it gives way to drawings and to whoever answers requests."""
ASK_AGAIN = 60.0
"""Seconds after which this process asks again for an explanation that it has asked for."""
MOST_ASKED = 1_000
"""Limit on the rounds of which this process remembers that it has asked."""
TELL = "SELECT pg_notify(%s, %s)"
"""A message may be lost. Then a worker that hears of the row sends it."""
LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"

ExplainingProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The process of an explanation, which computes for seconds while its worker does other jobs."""

log = structlog.get_logger()


class ExplanationJobs:
    """Sends rounds of one league to workers, and explains them in the worker."""

    queue = "explanations"
    channels: tuple[str, ...] = (TOURNAMENTS,)
    at_once = 1
    """Explanations that a worker computes at the same time. Each uses a core."""

    def __init__(
        self, database_url: str, broker: dramatiq.Broker, _settings: JobSettings, ending: threading.Event
    ) -> None:
        """`ending`: set when the worker stops."""
        self._url, self.broker, self._ending = database_url, broker, ending
        self._is_explaining = False
        self._asked: dict[RoundKey, float] = {}
        """The drawings that this process has asked for, and when it did, by the monotonic clock."""
        self._actor = dramatiq.actor(broker=broker, actor_name="explain_round", queue_name=self.queue)(self._carry_out)

    def is_first_to_ask(self, key: RoundKey) -> bool:
        """Whether nobody in this process has asked for the explanation of a drawing just now. The caller has to."""
        now = time.monotonic()
        if now < self._asked.get(key, -ASK_AGAIN) + ASK_AGAIN:
            return False
        if len(self._asked) >= MOST_ASKED:
            self._asked.clear()
        self._asked[key] = now
        return True

    def ask(self, key: RoundKey) -> None:
        """Let a drawing wait for its explanation, and send its round to workers. Blocks."""
        try:
            with connect(self._url) as conn:
                ask_for_explanation(conn, *key)
                conn.execute(TELL, (TOURNAMENTS, key.tournament))
            self.hand_out(key.tournament, key.round)
        except psycopg.OperationalError as error:
            # Nothing is lost: whoever asks next does so again.
            log.warning("explanation_not_asked_for", tournament=key.tournament, round=key.round, error=str(error))

    def hand_out(self, tournament: str, number: int) -> None:
        """Send a round that waits to workers."""
        try:
            self._actor.send(tournament, number)
        except (BrokerConnectionError, RedisError) as error:
            # The row exists, and the database announced it: workers search for such rows then.
            log.warning("explanation_not_sent", tournament=tournament, round=number, error=str(error))

    def send_unfinished_again(self) -> bool:
        """Send rounds that wait to workers, those asked for first at the beginning.

        Returns whether some wait, or one is explained.
        """
        if self._is_explaining:
            return True  # rows can wait, and messages would pile up
        with connect(self._url) as conn:
            waiting = waiting_rounds(conn, MOST_SENT)
        for tournament, number in waiting:
            self._actor.send(tournament, number)
        return bool(waiting)

    def _carry_out(self, tournament: str, number: int) -> None:
        """Explain a round unless that is done, since messages may repeat."""
        if self._ending.is_set():
            return
        with connect(self._url) as conn:
            if not is_waiting(conn, tournament, number):
                return
        self._is_explaining = True
        try:
            began = time.monotonic()
            exitcode = run_job(ExplainingProcess(target=_explain, args=(self._url, tournament, number)), self._ending)
            seconds = round(time.monotonic() - began, 3)
            log.info("round_explained", tournament=tournament, round=number, seconds=seconds, exitcode=exitcode)
        finally:
            self._is_explaining = False
        if exitcode is not None:
            log.error("explanation_died", tournament=tournament, round=number, exitcode=exitcode)
            with connect(self._url) as conn:
                note_death(conn, tournament, number)


def _explain(url: str, tournament: str, number: int) -> None:
    limit_this_process(CPU_SECONDS, MEGABYTES, NICE)
    explain_round(url, tournament, number)


def explain_round(url: str, tournament: str, number: int) -> None:
    """Explain a round that waits, unless another process is doing so."""
    with connect(url, autocommit=True) as conn:
        locked = conn.execute(LOCK, [f"explanation:{tournament}:{number}"]).fetchone()
        if locked is not None and locked[0]:
            explain_stored_round(conn, tournament, number)


WORK = WorkPart(jobs=ExplanationJobs, working=working)
