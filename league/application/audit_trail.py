"""Writing administrative acts to the log: what changes the league and is not an event of play."""

from league.application.retry import retried
from league.domain.audit_trail import STREAM, Act
from league.eventlog.recorder import Within
from league.eventlog.store import Append, EventStore, Request


class AlreadyDone(Exception):
    """What an act would do was done before. The effect of an act raises it, and then nothing is written."""


def record(store: EventStore, act: Act, request: Request, within: Within | None = None) -> int:
    """Write an act, and do what `within` does in the same transaction: both, or neither. Returns the position.

    Raises Conflict, KeyReused, and what `within` raises.
    """
    return retried(lambda: store.append([Append(STREAM, store.version(STREAM), (act,))], request, within))
