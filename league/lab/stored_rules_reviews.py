"""Stored reviews of the rules: one row for each month, which belongs to the month's latest closing.

A row follows from the log up to its position. It is bookkeeping: it changes nothing, and a worker makes it again.
"""

from datetime import datetime
from typing import Literal

import msgspec
from msgspec import Struct
from sqlalchemy import text

from league.lab.rules_review import RulesReview
from league.lab.rules_review_words import ReviewNumbers, line_without, sentences
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import Conn

ReviewStatus = Literal["unstarted", "waiting", "done", "off", "few_matches", "no_lab", "not_ended", "failed"]


class ClosedMonth(Struct, frozen=True):
    """The closing of a month."""

    month: str
    position: int
    """The position of the event that closed it."""


class StoredRulesReview(Struct, frozen=True):
    """The review of the rules after a month was closed, or how far it is."""

    month: str
    closed_at: datetime
    status: ReviewStatus
    position: int | None
    """The log position up to which the review has read."""
    matches: int | None
    """Rated matches that it has counted."""
    found: RulesReview | None
    """None unless the status is `done`."""

    @property
    def sentences(self) -> list[str]:
        """The three sentences of a review, or the line that says why there is none."""
        if self.found is None:
            return [line_without(self.status, ReviewNumbers(self.month, self.matches))]
        return list(sentences(self.found))


# ---------------------------------------------------------------- read

# A row of an earlier closing is not read.
_STORED = text("""
    SELECT c.month, c.closed_at, coalesce(r.status, 'unstarted') AS status, r.position, r.matches, r.found
    FROM closed_months AS c LEFT JOIN rules_reviews AS r ON (r.month, r.closed_by) = (c.month, c.position)
    WHERE c.month = coalesce(:month, c.month)
    ORDER BY c.position DESC LIMIT 1
""")


def stored_rules_review(snapshot: Snapshot, month: str | None) -> StoredRulesReview | None:
    """The review after a month, None for the month that was closed last. None if it is not closed."""
    row = snapshot.conn.execute(_STORED, {"month": month}).one_or_none()
    if row is None:
        return None
    found = None if row.found is None else msgspec.json.decode(row.found, type=RulesReview)
    return StoredRulesReview(row.month, row.closed_at, row.status, row.position, row.matches, found)


# ---------------------------------------------------------------- written by a worker

LAST_CLOSED = "SELECT month, position FROM closed_months ORDER BY position DESC LIMIT 1"
BEGIN = """
    INSERT INTO rules_reviews AS r (month, closed_by) VALUES (%s, %s)
    ON CONFLICT (month) DO UPDATE SET closed_by = excluded.closed_by, status = 'waiting', attempts = 0, sent_at = NULL,
        position = NULL, matches = NULL, found = NULL
    WHERE r.closed_by <> excluded.closed_by OR r.status = ANY(%s)
"""
TO_SEND = """
    UPDATE rules_reviews SET sent_at = clock_timestamp()
    WHERE (month, closed_by) = (%s, %s) AND status = 'waiting'
        AND (%s OR sent_at IS NULL OR sent_at < clock_timestamp() - make_interval(secs => %s))
"""
IS_WAITING = "SELECT FROM rules_reviews WHERE (month, closed_by) = (%s, %s) AND status = 'waiting'"
END = """
    UPDATE rules_reviews SET status = %s, position = %s, matches = %s, found = %s
    WHERE (month, closed_by) = (%s, %s) AND status = 'waiting'
"""
DIED = """
    UPDATE rules_reviews SET attempts = attempts + 1, sent_at = NULL,
        status = CASE WHEN attempts + 1 < %s THEN status ELSE 'failed' END
    WHERE (month, closed_by) = (%s, %s) AND status = 'waiting'
"""
SENT_AGAIN_AFTER = 600
"""Seconds after which a review that still waits is sent to workers again: its message may be lost."""
ATTEMPTS = 3
"""After this many processes that died, a review fails."""


def begin(conn: Conn, *, again: list[ReviewStatus], at_start: bool = False) -> ClosedMonth | None:
    """The month that was closed last, if its review is to be sent to workers. A new closing begins a new review.

    So of several processes that search, only one sends it. `at_start`: send it in any case, since the messages of a
    process that ended may be lost. `again`: reviews that ended so begin again. Months that were closed before it get no
    review.
    """
    row = conn.execute(LAST_CLOSED).fetchone()
    if row is None:
        return None
    conn.execute(BEGIN, (*row, again))
    closed = ClosedMonth(*row)
    to_send = conn.execute(TO_SEND, (closed.month, closed.position, at_start, SENT_AGAIN_AFTER)).rowcount
    return closed if to_send else None


def is_waiting(conn: Conn, closed: ClosedMonth) -> bool:
    """Whether the review after this closing waits."""
    return bool(conn.execute(IS_WAITING, (closed.month, closed.position)).rowcount)


def one_waits(conn: Conn) -> bool:
    """Whether the review after the month that was closed last waits."""
    row = conn.execute(LAST_CLOSED).fetchone()
    return row is not None and is_waiting(conn, ClosedMonth(*row))


def end(
    conn: Conn,
    closed: ClosedMonth,
    status: ReviewStatus,
    position: int | None = None,
    matches: int | None = None,
    found: RulesReview | None = None,
) -> bool:
    """End the review after this closing, unless the month was closed again. Returns whether it was ended."""
    stored = None if found is None else msgspec.json.encode(found)
    return bool(conn.execute(END, (status, position, matches, stored, closed.month, closed.position)).rowcount)


def note_death(conn: Conn, closed: ClosedMonth) -> None:
    """Note that a process of the review died. After some deaths the review fails."""
    conn.execute(DIED, (ATTEMPTS, closed.month, closed.position))
