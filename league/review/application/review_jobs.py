"""Jobs of reviews: dramatiq carries a match and the number of a hand to a worker, which reviews it in another process.

The row of the review says what is left to do, so a lost or repeated message does no harm.
"""

import json
import multiprocessing
import os
import resource
import signal
import threading
from multiprocessing.process import BaseProcess

import dramatiq
import psycopg
import structlog
from dramatiq.errors import BrokerConnectionError
from redis.exceptions import RedisError

from league.infra.database import connect
from league.projections.runs import Conn
from league.review.application.reviewing import review_stored_hand
from league.review.hand import JUDGE

CHANGED = """
    SELECT DISTINCT r.edition, m.edition, m.ruleset, old.document, new.document
    FROM hand_reviews AS r
    JOIN official_run ON true JOIN matches AS m ON m.run = official_run.run AND m.match_id = r.match_id
    JOIN editions AS old ON old.hash = r.edition JOIN editions AS new ON new.hash = m.edition
    WHERE r.status = 'done' AND r.edition <> m.edition
"""
# What follows is put together of texts that stand here.
OF_OLDER_JUDGES = "WHERE r.status = 'done' AND (r.judge IS NULL OR r.judge < %(judge)s)"
OF_MATCHES = """
    FROM official_run JOIN matches AS m USING (run)
    WHERE m.match_id = r.match_id AND r.status = 'done'
        AND (r.edition, m.edition, m.ruleset) = (%(old)s, %(new)s, %(ruleset)s)
"""
STAY = f"UPDATE hand_reviews AS r SET edition = m.edition {OF_MATCHES}"  # noqa: S608
BEGIN_AGAIN = """
    WITH again AS (
        UPDATE hand_reviews AS r
        SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1 {which}
        RETURNING r.match_id, r.hand
    )
    DELETE FROM review_losses USING again
    WHERE review_losses.match_id = again.match_id AND review_losses.hand = again.hand
"""
JUDGED_AGAIN = BEGIN_AGAIN.format(which=OF_OLDER_JUDGES)
RULED_AGAIN = BEGIN_AGAIN.format(which=OF_MATCHES)


def begin_outdated_again(conn: Conn) -> None:
    """Have reviews wait that an older judge made, and those whose match is scored by another ruleset now.

    All begin at once; workers get a few of them at a time. Nothing but the ruleset of an edition matters to a review.
    """
    conn.execute(JUDGED_AGAIN, {"judge": JUDGE})
    for old, new, ruleset, before, now in conn.execute(CHANGED).fetchall():
        same = json.loads(before)["rulesets"].get(ruleset) == json.loads(now)["rulesets"].get(ruleset)
        conn.execute(STAY if same else RULED_AGAIN, {"old": old, "new": new, "ruleset": ruleset})


MOST_SENT = 20
"""Hands that one search sends again."""
CPU_SECONDS = 300
"""Of a process; a hand of `cuban-150` takes about 8. Another process goes on where this one is stopped."""
NICE = 10
"""By how much a review gives way to other processes of the machine."""

# Hands of a match that was opened again would stand before all others, for as long as it stays open.
WAITING = """
    SELECT match_id, hand FROM hand_reviews AS r
    WHERE status = 'waiting' AND NOT EXISTS (
        SELECT FROM official_run JOIN matches AS m USING (run) WHERE m.match_id = r.match_id AND m.status = 'open'
    )
    ORDER BY requested_at, match_id, hand LIMIT %s
"""
WAITING_OF = "SELECT hand FROM hand_reviews WHERE match_id = %s AND status = 'waiting' ORDER BY hand"
IS_WAITING = "SELECT FROM hand_reviews WHERE match_id = %s AND hand = %s AND status = 'waiting'"

ReviewProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The process of a review: it computes for seconds, and its worker has other jobs."""

log = structlog.get_logger()


class ReviewJobs:
    """Sends hands to the workers of one league."""

    queue = "reviews"
    at_once = 1
    """A review uses a core."""

    def __init__(self, database_url: str, broker: dramatiq.Broker, _place: str | None, ending: threading.Event) -> None:
        """`ending`: the worker stops."""
        self._url, self.broker, self._ending = database_url, broker, ending
        self._is_reviewing = False
        self._actor = dramatiq.actor(broker=broker, actor_name="review_hand", queue_name=self.queue)(self._carry_out)

    def hand_out(self, match: str) -> None:
        """Send the hands of a match that wait for a review to workers."""
        try:
            with connect(self._url) as conn:
                waiting = conn.execute(WAITING_OF, (match,)).fetchall()
            for (hand,) in waiting:
                self._actor.send(match, hand)
        except (BrokerConnectionError, RedisError, psycopg.OperationalError) as error:
            # The rows exist, and workers search for such rows periodically.
            log.warning("review_not_sent", match=match, error=str(error))

    def send_unfinished_again(self) -> None:
        """Send the hands that wait for a review, those that were asked for first before others."""
        if self._is_reviewing:
            return  # rows can wait, and messages would pile up
        with connect(self._url) as conn:
            begin_outdated_again(conn)
            waiting = conn.execute(WAITING, (MOST_SENT,)).fetchall()
        for match, hand in waiting:
            self._actor.send(match, hand)

    def _carry_out(self, match: str, hand: int) -> None:
        """Review a hand, unless that is done: messages may repeat. A later attempt goes on where this one ends."""
        if self._ending.is_set():
            return
        with connect(self._url) as conn:
            if not conn.execute(IS_WAITING, (match, hand)).rowcount:
                return
        self._is_reviewing = True
        try:
            self._review_apart(match, hand)
        finally:
            self._is_reviewing = False

    def _review_apart(self, match: str, hand: int) -> None:
        process = ReviewProcess(target=_review, args=(self._url, match, hand))
        process.start()
        try:
            while process.is_alive() and not self._ending.is_set():
                process.join(0.1)
        finally:
            process.terminate()
            process.join()
        if process.exitcode != 0 and not self._ending.is_set():
            log.error("review_died", match=match, hand=hand, exitcode=process.exitcode)


def _review(url: str, match: str, hand: int) -> None:
    # Ctrl-C reaches every process of the terminal; the worker stops this one when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    os.nice(NICE)
    review_stored_hand(url, match, hand)
