"""Stores a request once: a repeated request gets its first result, and one that another writer overtook is retried."""

import time
from collections.abc import Callable
from typing import TypeVar

from league.domain.refusals import Conflict, KeyReused
from league.eventlog.store import EventStore, KeyTaken, Overtaken, Request

T = TypeVar("T")

ATTEMPTS = 8
"""The most attempts to decide a command while other writers are faster."""
LONGEST_PAUSE = 1.0
"""Seconds between two attempts."""


def first_answer(store: EventStore, request: Request) -> int | None:
    """The position at which this request was stored, None when it was not. Raises KeyReused."""
    if request.key is None or (answer := store.answer_to(request.actor, request.key)) is None:
        return None
    assert request.input_hash is not None, "a request with a key has one"
    if not answer.is_to(request.input_hash):
        raise KeyReused(request.key)
    return answer.position


def retried(attempt: Callable[[], T], attempts: int = ATTEMPTS, pause: float = 0.0) -> T:
    """Decide and append with `attempt`, again each time that another writer was faster. Returns its result.

    `pause`: seconds before the second attempt; each further pause is longer by this much, up to `LONGEST_PAUSE`. Raises
    Conflict after the last attempt, KeyReused, and what `attempt` raises.
    """
    stream = ""
    for number in range(attempts):
        time.sleep(min(number * pause, LONGEST_PAUSE))
        try:
            return attempt()
        except Overtaken as overtaken:
            stream = overtaken.stream
        except KeyTaken as taken:
            raise KeyReused(taken.key) from None
    raise Conflict(stream)
