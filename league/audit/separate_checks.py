"""Runs the checks of a database apart from one another: one that cannot be carried out does not hide the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from league.audit.verification import Fault, Kind
from league.domain.sentences import say
from league.projections.runs import Conn


def faults_of(conn: Conn, kind: Kind, check: Callable[[], Iterable[Fault]]) -> list[Fault]:
    """The faults that a check finds on a connection; if it stops at data that it cannot read, that is one more.

    The transaction can be used afterwards. Raises psycopg.Error if the connection is lost.
    """
    found: list[Fault] = []
    try:
        with conn.transaction():
            found.extend(check())
    except Exception as error:  # altered data can make a check fail in any way
        if conn.closed:
            raise
        found.append(stopped(kind, error))
    return found


def stopped(kind: Kind, error: Exception) -> Fault:
    """The fault that stands for all that a check did not come to."""
    reason = " ".join(str(error).split())
    return Fault(kind, say("the check stopped: {error}", error=f"{type(error).__name__}: {reason}"))
