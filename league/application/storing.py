"""Stores each request once: a repeated request gets its first result. An overtaken request is decided again.

`record` stores an administrative act, a change of the league that is not an event of play.
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
"""Seconds during which an overtaken command is decided again."""
FEWEST_ATTEMPTS = 3
"""Minimum number of attempts, however long each takes. An import may take longer than `PATIENCE`."""
PAUSE = 0.02
"""Longest pause before the second attempt, in seconds. The limit grows by this much with each further attempt."""
LONGEST_PAUSE = 0.2
"""Longest pause between two attempts, in seconds."""


def first_answer(store: EventStore, request: AppendRequest) -> int | None:
    """The position at which this request was stored before; None if it was not. Raises KeyReused."""
    if request.key is None or (answer := store.answer_to(request.actor, request.key)) is None:
        return None
    assert request.input_hash is not None, "a request with a key has one"
    if not answer.is_to(request.input_hash):
        raise KeyReused(request.key)
    return answer.position


def retried(attempt: Callable[[], T], *, once: bool = False) -> T:
    """Call `attempt`, which decides and appends, until no other writer was faster. Returns its result.

    `once`: do not retry. Raises Conflict after `PATIENCE` seconds and `FEWEST_ATTEMPTS` attempts, KeyReused, and
    everything else that `attempt` raises.
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
        # The pause is random, so that two writers that collided do not collide again.
        time.sleep(random.uniform(0, min(attempts * PAUSE, LONGEST_PAUSE)))  # noqa: S311  # it is no secret


class AlreadyDone(Exception):
    """The effect of an act is in place already. Raised by the function that makes it; then nothing is stored."""


def record(store: EventStore, act: Act, request: AppendRequest, within: Within | None = None) -> int:
    """Store an act and call `within` in one transaction: both succeed, or neither. Returns the position of the act.

    Raises Conflict, KeyReused, and everything that `within` raises.
    """
    return retried(lambda: store.append([Append(STREAM, store.version(STREAM), (act,))], request, within))
