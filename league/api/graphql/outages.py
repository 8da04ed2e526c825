"""Tells a database that is away from what is wrong with a statement."""

import psycopg
import sqlalchemy.exc

from league.eventlog.recorder import StoreUnavailable

AWAY = ("08", "57P", "53300")
"""How the SQLSTATE of a lost connection, of a server that stops or starts, and of a full one begins."""

UNAVAILABLE = "UNAVAILABLE"
MESSAGE = "The database cannot be reached at the moment; ask again later."


def is_outage(error: BaseException | None) -> bool:
    """Whether the database could not be reached, or went away meanwhile."""
    if isinstance(error, sqlalchemy.exc.OperationalError):
        error = error.orig
    if isinstance(error, psycopg.OperationalError):
        # A deadlock or a full disk is operational as well; a failed connection has no SQLSTATE.
        return error.sqlstate is None or error.sqlstate.startswith(AWAY)
    return isinstance(error, StoreUnavailable)
