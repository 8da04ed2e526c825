"""Stores a request once: a repeated request gets its first result, and one that another writer overtook is retried."""

import itertools
import random
import time
from collections.abc import Callable
from typing import TypeVar

from league.domain.refusals import Conflict, KeyReused
from league.eventlog.store import EventStore, KeyTaken, Overtaken, Request

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds for which a command is decided again while other writers are faster."""
FEWEST_ATTEMPTS = 3
"""An import takes longer than that for one attempt."""
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 0.2
"""Seconds between two attempts, at most: the pauses become longer."""


def first_answer(store: EventStore, request: Request) -> int | None:
    """The position at which this request was stored, None when it was not. Raises KeyReused."""
    if request.key is None or (answer := store.answer_to(request.actor, request.key)) is None:
        return None
    if answer.input_hash != request.input_hash:
        raise KeyReused(request.key)
    return answer.position


def retried(attempt: Callable[[], T]) -> T:
    """Decide and append with `attempt`, again each time that another writer was faster. Returns its result.

    Raises Conflict after `PATIENCE` seconds and `FEWEST_ATTEMPTS` attempts, KeyReused, and what `attempt` raises.
    """
    deadline = time.monotonic() + PATIENCE
    for number in itertools.count(1):
        try:
            return attempt()
        except Overtaken as overtaken:
            if number >= FEWEST_ATTEMPTS and time.monotonic() > deadline:
                raise Conflict(overtaken.stream) from None
        except KeyTaken as taken:
            raise KeyReused(taken.key) from None
        # Of chance, so that those who met once do not meet again.
        time.sleep(random.uniform(0, min(FIRST_PAUSE * number, LONGEST_PAUSE)))  # noqa: S311  # no secret
    raise AssertionError("it counts without end")
