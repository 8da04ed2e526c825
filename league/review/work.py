"""The background work of reviews. A worker reviews each hand in a separate process, under a lock.

The row of a review says what is left to do, so a lost or repeated message does no harm. Each move is stored once it is
reviewed.
"""

import json
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from typing import Any

import dramatiq
import msgspec
import psycopg
import structlog
from dramatiq.errors import BrokerConnectionError
from msgspec import Struct
from redis.exceptions import RedisError

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.application.work_part import JobSettings, WorkPart, run_job
from league.domain.refusals import NotFound
from league.domain.wrong_states import MatchIsOpen, MatchIsVoided
from league.eventlog import codec
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections.runs import Conn
from league.review.commands import hands_to_review
from league.review.decisions import TranscribedHand, decisions
from league.review.hand import JUDGE, ReviewedMove, input_hash, parts_of, review_moves
from league.review.rows import ATTEMPTS, CHANNEL, SEED, write_losses

CHANGED = """
    SELECT DISTINCT r.edition, m.edition, m.ruleset, old.document, new.document
    FROM hand_reviews AS r
    JOIN official_run ON true JOIN matches AS m ON m.run = official_run.run AND m.match_id = r.match_id
    JOIN editions AS old ON old.hash = r.edition JOIN editions AS new ON new.hash = m.edition
    WHERE r.status = 'done' AND r.edition <> m.edition
"""
# S608: these statements are composed of constants.
OF_OLDER_JUDGES = "WHERE r.status = 'done' AND (r.judge IS NULL OR r.judge < %(judge)s)"
OF_MATCHES = """
    FROM official_run JOIN matches AS m USING (run)
    WHERE m.match_id = r.match_id AND r.status = 'done'
        AND (r.edition, m.edition, m.ruleset) = (%(old)s, %(new)s, %(ruleset)s)
"""
STAY = f"UPDATE hand_reviews AS r SET edition = m.edition {OF_MATCHES}"  # noqa: S608
BEGIN_OUTDATED = """
    WITH again AS (
        UPDATE hand_reviews AS r
        SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1 {which}
        RETURNING r.match_id, r.hand
    )
    DELETE FROM review_losses USING again
    WHERE review_losses.match_id = again.match_id AND review_losses.hand = again.hand
"""
JUDGED_AGAIN = BEGIN_OUTDATED.format(which=OF_OLDER_JUDGES)
RULED_AGAIN = BEGIN_OUTDATED.format(which=OF_MATCHES)


def begin_outdated_again(conn: Conn) -> None:
    """Reset reviews made by an older version of the judging code, and reviews whose match has another ruleset now.

    All of them wait again at once; workers get a few at a time. Only the ruleset of an edition matters to a review.
    """
    conn.execute(JUDGED_AGAIN, {"judge": JUDGE})
    for old, new, ruleset, before, now in conn.execute(CHANGED).fetchall():
        same = json.loads(before)["rulesets"].get(ruleset) == json.loads(now)["rulesets"].get(ruleset)
        conn.execute(STAY if same else RULED_AGAIN, {"old": old, "new": new, "ruleset": ruleset})


MOST_SENT = 20
"""Limit on hands that one search sends again."""
CPU_SECONDS = 300
"""Limit on the CPU time of one process. A hand of `cuban-150` takes about 8 seconds. If the process is stopped, another
process continues the review."""
NICE = 10
"""The niceness of a review, so that it gives way to other processes of the machine."""

# Hands of a match that was opened again are left out. They would stay at the head of the queue while it is open.
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
"""The process of a review, which computes for seconds while its worker does other jobs."""

log = structlog.get_logger()


class ReviewJobs:
    """Sends hands of one league to workers, and reviews them in the worker."""

    queue = "reviews"
    channels: tuple[str, ...] = (CHANNEL,)
    at_once = 1
    """Reviews that a worker does at the same time. Each uses a core."""

    def __init__(
        self, database_url: str, broker: dramatiq.Broker, _settings: JobSettings, ending: threading.Event
    ) -> None:
        """`ending`: set when the worker stops."""
        self._url, self.broker, self._ending = database_url, broker, ending
        self._is_reviewing = False
        self._actor = dramatiq.actor(broker=broker, actor_name="review_hand", queue_name=self.queue)(self._carry_out)

    def hand_out(self, match: str) -> None:
        """Send the waiting hands of a match to workers."""
        try:
            with connect(self._url) as conn:
                waiting = conn.execute(WAITING_OF, (match,)).fetchall()
            for (hand,) in waiting:
                self._actor.send(match, hand)
        except (BrokerConnectionError, RedisError, psycopg.OperationalError) as error:
            # The rows exist, and the database announced them: workers search for such rows then.
            log.warning("review_not_sent", match=match, error=str(error))

    def send_unfinished_again(self) -> bool:
        """Send waiting hands to workers, the earliest requests first. Returns whether some wait or one is reviewed."""
        if self._is_reviewing:
            return True  # rows can wait, and messages would pile up
        with connect(self._url) as conn:
            begin_outdated_again(conn)
            waiting = conn.execute(WAITING, (MOST_SENT,)).fetchall()
        for match, hand in waiting:
            self._actor.send(match, hand)
        return bool(waiting)

    def _carry_out(self, match: str, hand: int) -> None:
        """Review a hand unless that is done, since messages may repeat. A later attempt continues this one."""
        if self._ending.is_set():
            return
        with connect(self._url) as conn:
            if not conn.execute(IS_WAITING, (match, hand)).rowcount:
                return
        process = ReviewProcess(target=_review, args=(self._url, match, hand))
        self._is_reviewing = True
        try:
            exitcode = run_job(process, self._ending)
        finally:
            self._is_reviewing = False
        if exitcode is not None:
            log.error("review_died", match=match, hand=hand, exitcode=exitcode)


def _review(url: str, match: str, hand: int) -> None:
    # Ctrl-C reaches every process of the terminal. The worker stops this process when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    os.nice(NICE)
    review_stored_hand(url, match, hand)


LOCK_SPACE = 7_120_436
"""First key of the advisory locks. Only one process at a time reviews a hand."""

LOCK = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
# Moves reviewed by another version of the judging code, or of another hand, are dropped.
ATTEMPT = """
    UPDATE hand_reviews SET attempts = attempts + 1, edition = %(edition)s, judge = %(judge)s, input = %(input)s,
        moves = CASE WHEN (judge, input) = (%(judge)s, %(input)s) THEN moves ELSE '[]' END
    WHERE match_id = %(match)s AND hand = %(hand)s AND status = 'waiting'
    RETURNING version, moves::text, attempts
"""
ADD_MOVE = """
    UPDATE hand_reviews SET moves = moves || %s::jsonb, decisions = %s, attempts = 1
    WHERE match_id = %s AND hand = %s AND version = %s
"""
TELL = "SELECT pg_notify(%s, %s)"
END = "UPDATE hand_reviews SET status = %s, parts = %s::jsonb WHERE match_id = %s AND hand = %s AND version = %s"


class ReviewAttempt(Struct, frozen=True):
    """A review that a process begins or continues."""

    match: str
    number: int
    """Number of the hand, from 1."""
    version: int
    """Version of the row. A correction of the hand raises it; results for an older version are not stored."""
    moves: list[ReviewedMove]
    """The moves that are already reviewed."""


def review_stored_hand(url: str, match: str, number: int) -> None:
    """Review a hand, unless it is reviewed already or another process is reviewing it."""
    with connect(url, autocommit=True) as conn, EventStore(url, codec) as store:
        locked = conn.execute(LOCK, (LOCK_SPACE, f"{match} {number}")).fetchone()
        if locked is None or not locked[0]:
            return
        try:
            seats, hand, edition = _hand(match, number, StreamStates(store, clock()))
        except MatchIsOpen:
            return  # the match was opened again; the row waits until it is over
        judged = {"edition": edition, "judge": JUDGE, "input": None if hand is None else input_hash(hand)}
        row = conn.execute(ATTEMPT, {"match": match, "hand": number, **judged}).fetchone()
        if row is None:
            return
        version, moves, attempts = row
        attempt = ReviewAttempt(match, number, version, msgspec.json.decode(moves, type=list[ReviewedMove]))
        if attempts > ATTEMPTS:
            _end(conn, attempt, "failed")
            return
        if hand is None:
            _end(conn, attempt, "impossible")
        else:
            _go_on(conn, attempt, hand, seats)


def _hand(match: str, number: int, states: StreamStates) -> tuple[tuple[str, ...], TranscribedHand | None, str | None]:
    """The players by seat, the hand, and the hash of the edition in force. Raises MatchIsOpen.

    The hand is None if a correction has left it without turns.
    """
    try:
        played, hands = hands_to_review(match, states)
    except (NotFound, MatchIsVoided):
        return (), None, None
    edition = states.rulebook().published_at(played.began_at)
    return played.seats, next((one.hand for one in hands if one.number == number), None), edition.hash


def _go_on(conn: Conn, attempt: ReviewAttempt, hand: TranscribedHand, seats: Sequence[str]) -> None:
    """Review the remaining moves. Stops if the hand is corrected meanwhile, since its row then waits again."""
    total, moves = sum(1 for _decision in decisions(hand)), [*attempt.moves]
    for move in review_moves(hand, SEED, len(moves)):
        moves.append(move)
        text = msgspec.json.encode([move]).decode()
        if not conn.execute(ADD_MOVE, (text, total, attempt.match, attempt.number, attempt.version)).rowcount:
            return
        conn.execute(TELL, (CHANNEL, attempt.match))
    parts = parts_of(hand, moves, SEED)
    with conn.transaction():
        if _end(conn, attempt, "done", parts):
            write_losses(conn, attempt.match, attempt.number, hand, seats, moves)


def _end(conn: Conn, attempt: ReviewAttempt, status: str, parts: Sequence[Any] | None = None) -> bool:
    """End the review unless its hand was corrected meanwhile. Returns whether it was ended."""
    text = None if parts is None else msgspec.json.encode(parts).decode()
    is_ended = bool(conn.execute(END, (status, text, attempt.match, attempt.number, attempt.version)).rowcount)
    conn.execute(TELL, (CHANNEL, attempt.match))
    return is_ended


WORK = WorkPart(jobs=ReviewJobs)
