"""Stores a request once: a repeated request gets its first result, and one that another writer overtook is retried.

`record` stores an administrative act: a change of the league that is not an event of play.
"""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from league.domain.audit_trail import STREAM, Act
from league.domain.refusals import Conflict, KeyReused
from league.eventlog.recorder import Within
from league.eventlog.records import Append, AppendRequest, IdempotencyKeyTaken, Overtaken
from league.eventlog.store import EventStore

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds for which a command is decided again while other writers are faster."""
FEWEST_ATTEMPTS = 3
"""Attempts that a command has, however long each takes: an import may take longer than `PATIENCE`."""
PAUSE = 0.02
"""Seconds before the second attempt, at most; each further pause may be longer by this much."""
LONGEST_PAUSE = 0.2
"""Seconds between two attempts, at most."""


def first_answer(store: EventStore, request: AppendRequest) -> int | None:
    """The position at which this request was stored, None when it was not. Raises KeyReused."""
    if request.key is None or (answer := store.answer_to(request.actor, request.key)) is None:
        return None
    assert request.input_hash is not None, "a request with a key has one"
    if not answer.is_to(request.input_hash):
        raise KeyReused(request.key)
    return answer.position


def retried(attempt: Callable[[], T], *, once: bool = False) -> T:
    """Decide and append with `attempt`, again each time that another writer was faster. Returns its result.

    `once`: give up at the first time that another writer was faster.

    Raises Conflict after `PATIENCE` seconds and `FEWEST_ATTEMPTS` attempts, KeyReused, and what `attempt` raises.
    """
    deadline, attempts = time.monotonic() + PATIENCE, 0
    while True:
        attempts += 1
        try:
            return attempt()
        except Overtaken as overtaken:
            if once or (attempts >= FEWEST_ATTEMPTS and time.monotonic() > deadline):
                raise Conflict(overtaken.stream) from None
        except IdempotencyKeyTaken as taken:
            raise KeyReused(taken.key) from None
        # A random pause, so that two who met do not meet again.
        time.sleep(random.uniform(0, min(attempts * PAUSE, LONGEST_PAUSE)))  # noqa: S311  # it is no secret


class AlreadyDone(Exception):
    """The effect of an act is already in place. The effect raises this, and then nothing is written."""


def record(store: EventStore, act: Act, request: AppendRequest, within: Within | None = None) -> int:
    """Write an act, and call `within` in the same transaction: both succeed, or neither. Returns the position.

    Raises Conflict, KeyReused, and what `within` raises.
    """
    return retried(lambda: store.append([Append(STREAM, store.version(STREAM), (act,))], request, within))
