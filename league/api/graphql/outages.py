"""Distinguishes a database that is unreachable, or has no room, from a faulty statement; the same of photos."""

import psycopg
import sqlalchemy.exc

from league.domain.sentences import say
from league.eventlog.recorder import NOT_STORED, FullDisk, NotStored, OutOfSpace, StoreUnavailable
from league.infra.photo_store import PhotosAway
from league.wording.language import _

AWAY = ("08", "57P", "53300")
"""SQLSTATE prefixes of a lost connection, of a server that stops or starts, and of one without a free connection."""
DISK_FULL = "53100"
"""The SQLSTATE of a full disk."""

UNREACHABLE = say("The database cannot be reached at the moment; try again later.")
FULL = say("The disk of the database is full; try again later.")
NO_ROOM = say("The disk of the database is full, so nothing was stored; try again later.")
"""Only for the store's own writes: a read may fail after its mutation was stored."""


def outage_message(error: BaseException | None) -> str | None:
    """What to tell a client when the database was unreachable, or had no room, or refused events; else None."""
    if isinstance(error, sqlalchemy.exc.OperationalError):
        error = error.orig
    if isinstance(error, psycopg.OperationalError):
        if error.sqlstate == DISK_FULL:
            return FULL
        # A deadlock is an operational error as well; a failed connection has no SQLSTATE.
        return UNREACHABLE if error.sqlstate is None or error.sqlstate.startswith(AWAY) else None
    if isinstance(error, PhotosAway):
        return _("The place where photos are stored cannot be reached at the moment; try again later.")
    if isinstance(error, NotStored):
        return NOT_STORED
    if isinstance(error, FullDisk):
        return NO_ROOM if isinstance(error, OutOfSpace) else FULL
    return UNREACHABLE if isinstance(error, StoreUnavailable) else None
