"""Results of reviews that are stored, compared with the log: whether each is of its hand as the log has it.

A review takes seconds, so no rebuild makes all of them again: it keeps what rests on the same hand, and has the others
reviewed anew. Verification reviews a few again. It only counts results of an older judge: workers make these again.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

import msgspec

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.domain.result import Played
from league.domain.sentences import say
from league.eventlog.store import EventStore
from league.projections.rows_again.declaration import RowsAgain, Sampled
from league.projections.runs import Conn
from league.review.application.review_rows import make_requested
from league.review.application.reviewing import ATTEMPTS, SEED
from league.review.decisions import PlayedHand, decisions
from league.review.hand import JUDGE, Parts, input_hash, review_hand
from league.review.hands_of_match import hands_under
from league.review.moves import ReviewedMove
from league.review.stored_losses import write_losses
from league.wording.language import counted

PAGE = 100
"""Reviews that are read at once."""
SAMPLE = 3
"""Reviews that verification does again."""

COLUMNS = "match_id, hand, status, attempts, decisions, moves::text, parts::text, edition, judge, input"
STORED = f"""
    SELECT {COLUMNS} FROM league.hand_reviews
    WHERE (match_id, hand) > (%s, %s) AND (match_id, hand) IN (SELECT match_id, hand FROM hand_reviews)
    ORDER BY match_id, hand LIMIT %s
"""  # noqa: S608  # constants
KEPT = ("moves", "decisions", "parts", "edition", "judge", "input", "version", "attempts", "requested_at")
KEEP = f"""
    UPDATE hand_reviews AS anew SET status = %s, ({", ".join(KEPT)}) = ROW({", ".join(f"old.{name}" for name in KEPT)})
    FROM league.hand_reviews AS old
    WHERE (anew.match_id, anew.hand) = (%s, %s) AND (old.match_id, old.hand) = (anew.match_id, anew.hand)
"""  # noqa: S608  # constants
# A process that reviews the hand meanwhile stores nothing.
BEGIN_AGAIN = """
    UPDATE hand_reviews AS anew SET version = old.version + 1, requested_at = old.requested_at
    FROM league.hand_reviews AS old
    WHERE (anew.match_id, anew.hand) = (%s, %s) AND (old.match_id, old.hand) = (anew.match_id, anew.hand)
"""
KEEP_LOSSES = "INSERT INTO review_losses SELECT * FROM league.review_losses WHERE (match_id, hand) = (%s, %s)"
CHOSEN = f"""
    SELECT {COLUMNS} FROM hand_reviews WHERE status = 'done' AND judge = %s
    ORDER BY sha256(%s::bytea || convert_to(match_id || ' ' || hand, 'UTF8')), match_id, hand LIMIT %s
"""  # noqa: S608  # constants
UNCOMPARED = """
    SELECT count(*) FILTER (WHERE status = 'done' AND judge IS DISTINCT FROM %s),
           count(*) FILTER (WHERE status = 'failed')
    FROM hand_reviews
"""

_MOVES = msgspec.json.Decoder(tuple[ReviewedMove, ...])
_PARTS = msgspec.json.Decoder(tuple[Parts, ...])


class _Review(NamedTuple):
    """A review as it is stored: `COLUMNS`."""

    match: str
    hand: int
    status: str
    attempts: int
    decisions: int | None
    moves: str
    parts: str | None
    edition: str | None
    judge: int | None
    input: str | None

    @property
    def is_of_older_judge(self) -> bool:
        return self.judge is None or self.judge < JUDGE


def _make(conn: Conn, log: EventStore) -> None:
    """The rows of requested reviews, with their results as far as these are of the hands that the log has."""
    make_requested(conn, log)
    for match, reviews in groupby(_stored(conn), key=lambda review: review.match):
        hands_by = cache(partial(hands_under, match, states=StreamStates(log, clock())))
        for review in reviews:
            played, hands = hands_by(review.edition)
            hand = hands.get(review.hand)
            status = _status(review, hand, possible=hand is not None and played is not None and not played.voided)
            if status is None:
                conn.execute(BEGIN_AGAIN, (match, review.hand))
                continue
            conn.execute(KEEP, (status, match, review.hand))
            if status == "done":
                _make_losses(conn, review, hand, played)


def _sample(conn: Conn, log: EventStore, hash_: bytes) -> Sampled:
    """Review a few hands again, chosen by a hash; and say how many reviews are compared with nothing."""
    rows = conn.execute(CHOSEN, (JUDGE, hash_, SAMPLE)).fetchall()
    faults = [said for row in rows if (said := _fault_of(_Review(*row), log)) is not None]
    older, failed = conn.execute(UNCOMPARED, (JUDGE,)).fetchone() or (0, 0)
    notes = []
    if older:
        note = counted(
            "{count} review is by an older version of what judges moves: it is not compared, and a worker makes it "
            "again",
            "{count} reviews are by older versions of what judges moves: they are not compared, and a worker makes "
            "them again",
            older,
        )
        notes.append(note)
    if failed:
        note = counted(
            "{count} review has the status `failed`, and no event says why: delete its row in hand_reviews, and "
            "`league project --rebuild` has the hand reviewed again",
            "{count} reviews have the status `failed`, and no event says why: delete their rows in hand_reviews, and "
            "`league project --rebuild` has the hands reviewed again",
            failed,
        )
        notes.append(note)
    return Sampled(faults, notes)


ROWS_AGAIN = RowsAgain(("hand_reviews", "review_losses", "review_consents"), _make, _sample)


def _stored(conn: Conn) -> Iterator[_Review]:
    after: tuple[str, int] = ("", 0)
    while rows := conn.execute(STORED, (*after, PAGE)).fetchall():
        yield from (_Review(*row) for row in rows)
        after = rows[-1][:2]


def _status(review: _Review, hand: PlayedHand | None, *, possible: bool) -> str | None:
    """The status that a review has by what it holds; None: it has to begin again."""
    if review.parts is not None:
        return "done" if _fits(review, hand) else None
    match review.status:
        case "failed" if review.attempts > ATTEMPTS:
            return "failed"
        case "impossible" if not possible:
            return "impossible"
        case "waiting":
            return "waiting"
    return None


def _fits(review: _Review, hand: PlayedHand | None) -> bool:
    """Whether a result is complete, and of this hand. An older judge had another idea of what a hand is.

    A newer judge is not known here: its review is begun again.
    """
    if review.is_of_older_judge:
        return True
    try:
        moves = _MOVES.decode(review.moves)
        _PARTS.decode(review.parts or "")
    except msgspec.MsgspecError:
        return False
    return (
        hand is not None
        and (review.judge, review.input) == (JUDGE, input_hash(hand))
        and len(moves) == review.decisions == sum(1 for _decision in decisions(hand))
    )


def _make_losses(conn: Conn, review: _Review, hand: PlayedHand | None, played: Played | None) -> None:
    if review.is_of_older_judge:
        conn.execute(KEEP_LOSSES, (review.match, review.hand))
        return
    assert hand is not None, "the review is of this hand"
    assert played is not None, "it is of this match"
    write_losses(conn, review.match, review.hand, hand, played.seats, _MOVES.decode(review.moves))


def _fault_of(review: _Review, log: EventStore) -> str | None:
    _played, hands = hands_under(review.match, review.edition, StreamStates(log, clock()))
    again = review_hand(hands[review.hand], SEED)
    if _MOVES.decode(review.moves) != again.moves:
        column = "moves"
    elif review.parts is None or _PARTS.decode(review.parts) != again.parts:
        column = "parts"
    else:
        return None
    return say(
        "table hand_reviews, row match {match}, hand {hand}: {column} is not what a review of the hand gives; delete "
        "the row, and `league project --rebuild` has the hand reviewed again",
        match=review.match,
        hand=review.hand,
        column=column,
    )
