"""Administrative acts into the log: what is no event of play is written down by the door that does it."""

from league.domain.audit_trail import STREAM, Act
from league.domain.refusals import Conflict, KeyReused
from league.eventlog.recorder import Within
from league.eventlog.store import Append, EventStore, KeyTaken, Request, VersionConflict

ATTEMPTS = 8
"""How often it is tried again when somebody else wrote an act at the same moment."""


class AlreadyDone(Exception):
    """What an act would do has been done before. Its effect raises this, so that nothing is written down."""


def record(store: EventStore, act: Act, request: Request, within: Within | None = None) -> int:
    """Write an act down, and do what `within` does in the same transaction: both, or neither. Returns the position.

    Raises Conflict, KeyReused, and what `within` raises.
    """
    for _ in range(ATTEMPTS):
        try:
            return store.append([Append(STREAM, store.version(STREAM), (act,))], request, within)
        except VersionConflict:
            continue
        except KeyTaken as taken:
            raise KeyReused(taken.key) from None
    raise Conflict(STREAM)
