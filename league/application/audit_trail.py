"""Writes administrative acts to the log: changes of the league that are not events of play."""

from league.application.retry import retried
from league.domain.audit_trail import STREAM, Act
from league.eventlog.recorder import Within
from league.eventlog.records import Append, Request
from league.eventlog.store import EventStore


class AlreadyDone(Exception):
    """The effect of an act is already in place. The effect raises this, and then nothing is written."""


def record(store: EventStore, act: Act, request: Request, within: Within | None = None) -> int:
    """Write an act, and call `within` in the same transaction: both succeed, or neither. Returns the position.

    Raises Conflict, KeyReused, and what `within` raises.
    """
    return retried(lambda: store.append([Append(STREAM, store.version(STREAM), (act,))], request, within))
