"""Reviews one hand: in a process of its own, under a lock, and stores each move as soon as it is reviewed."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.domain.refusals import NotFound
from league.domain.wrong_states import MatchIsOpen, MatchIsVoided
from league.eventlog import codec
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections.runs import Conn
from league.review.decisions import PlayedHand, decisions
from league.review.hand import JUDGE, input_hash, parts_of, review_moves
from league.review.hands_of_match import hands_to_review
from league.review.moves import ReviewedMove
from league.review.stored_losses import write_losses
from league.review.stored_reviews import CHANNEL

SEED = 0
"""One for all reviews: a hand has the same review each time."""
ATTEMPTS = 3
"""Processes that may end without a new move before a review is given up."""
LOCK_SPACE = 7_120_436
"""The first key of the advisory locks that let only one process review a hand."""

LOCK = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
# What another judge has begun, or of another hand, is not gone on with.
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


class Attempt(Struct, frozen=True):
    """What a process goes on with."""

    match: str
    number: int
    """Of the hand, from 1."""
    version: int
    """A correction of the hand makes a new one; results for an older one are not stored."""
    moves: list[ReviewedMove]
    """Those that are reviewed."""


def review_stored_hand(url: str, match: str, number: int) -> None:
    """Review a hand, unless that is done, or another process is doing it."""
    with connect(url, autocommit=True) as conn, EventStore(url, codec) as store:
        locked = conn.execute(LOCK, (LOCK_SPACE, f"{match} {number}")).fetchone()
        if locked is None or not locked[0]:
            return
        try:
            seats, hand, edition = _hand(match, number, StreamStates(store, clock()))
        except MatchIsOpen:
            return  # it was opened again; the row waits for its end
        judged = {"edition": edition, "judge": JUDGE, "input": None if hand is None else input_hash(hand)}
        row = conn.execute(ATTEMPT, {"match": match, "hand": number, **judged}).fetchone()
        if row is None:
            return
        version, moves, attempts = row
        attempt = Attempt(match, number, version, msgspec.json.decode(moves, type=list[ReviewedMove]))
        if attempts > ATTEMPTS:
            _end(conn, attempt, "failed")
            return
        if hand is None:
            _end(conn, attempt, "impossible")
        else:
            _go_on(conn, attempt, hand, seats)


def _hand(match: str, number: int, states: StreamStates) -> tuple[tuple[str, ...], PlayedHand | None, str | None]:
    """The players by seat, the hand, and the hash of the edition in force. Raises MatchIsOpen.

    The hand is None if a correction has left it without turns.
    """
    try:
        played, hands = hands_to_review(match, states)
    except (NotFound, MatchIsVoided):
        return (), None, None
    edition = states.rulebook().published_at(played.began_at)
    return played.seats, next((one.hand for one in hands if one.number == number), None), edition.hash


def _go_on(conn: Conn, attempt: Attempt, hand: PlayedHand, seats: Sequence[str]) -> None:
    """Review the moves that are left. Stops where the hand is corrected meanwhile: its row waits again."""
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


def _end(conn: Conn, attempt: Attempt, status: str, parts: Sequence[Any] | None = None) -> bool:
    """End the review, unless its hand was corrected meanwhile. Returns whether it was ended."""
    text = None if parts is None else msgspec.json.encode(parts).decode()
    is_ended = bool(conn.execute(END, (status, text, attempt.match, attempt.number, attempt.version)).rowcount)
    conn.execute(TELL, (CHANNEL, attempt.match))
    return is_ended
