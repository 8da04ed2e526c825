"""Distinguishes an unreachable database from a faulty statement."""

import psycopg
import sqlalchemy.exc

from league.eventlog.recorder import StoreUnavailable

AWAY = ("08", "57P", "53300")
"""SQLSTATE prefixes of a lost connection, of a server that stops or starts, and of a full one."""

UNAVAILABLE = "UNAVAILABLE"
MESSAGE = "The database cannot be reached at the moment; try again later."


def is_outage(error: BaseException | None) -> bool:
    """Whether the database was unreachable, or became so."""
    if isinstance(error, sqlalchemy.exc.OperationalError):
        error = error.orig
    if isinstance(error, psycopg.OperationalError):
        # A deadlock or a full disk is an operational error as well; a failed connection has no SQLSTATE.
        return error.sqlstate is None or error.sqlstate.startswith(AWAY)
    return isinstance(error, StoreUnavailable)
