"""Why a database does not answer, from the errors of its drivers."""

from typing import Literal

import psycopg
import sqlalchemy.exc
from psycopg_pool import PoolTimeout

from league.domain.sentences import Sentence, say

Reason = Literal["unreachable", "missing", "no_connections", "locked", "slow", "full"]

SENTENCES: dict[Reason, Sentence] = {
    "unreachable": say("The database cannot be reached at the moment"),
    "missing": say("The server has no such database"),
    "no_connections": say("The database has no connection left"),
    "locked": say("The database waits for a lock that another session holds"),
    "slow": say("The database did not answer in time"),
    "full": say("The disk of the database is full"),
}

_STATES: tuple[tuple[str, Reason], ...] = (
    ("08", "unreachable"),
    ("57P", "unreachable"),  # it stops, or starts
    ("3D000", "missing"),
    ("53300", "no_connections"),
    ("53100", "full"),
    ("55P03", "locked"),
    ("57014", "slow"),
)
"""By how a SQLSTATE begins."""

# A connection that fails has no SQLSTATE, only the text of the server, which may speak another language than English.
_TEXTS: tuple[tuple[str, Reason], ...] = (
    ("too many clients", "no_connections"),
    ("too many connections", "no_connections"),
    ("remaining connection slots", "no_connections"),
    ("does not exist", "missing"),
)


def reason_of(error: BaseException | None) -> Reason | None:
    """Why the database did not answer; None for any other error, such as a deadlock."""
    if isinstance(error, sqlalchemy.exc.TimeoutError | PoolTimeout):
        return "no_connections"  # all of the process are in use
    if isinstance(error, sqlalchemy.exc.OperationalError):
        error = error.orig
    if not isinstance(error, psycopg.OperationalError):
        return None
    if error.sqlstate is None:
        return next((reason for text, reason in _TEXTS if text in str(error)), "unreachable")
    return next((reason for state, reason in _STATES if error.sqlstate.startswith(state)), None)
