"""Takes away the limits of waiting: on a slow machine they would end a wait that a fast one does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from unittest.mock import patch

from league.application import bootstrap, replay_folding, storing
from league.eventlog import recorder
from league.infra import database
from league.projections import runs

NONE = "SET lock_timeout = 0; SET statement_timeout = 0"
LIMITS = (
    (recorder, "APPEND_LOCK_LIMIT", "0"),
    (recorder, "INSERT_LIMITS", NONE),
    (recorder, "ERASE_LIMIT", NONE),
    (recorder, "READERS_LIMITS", NONE),
    (recorder, "LONGEST_SILENCE", 0),
    (database, "READERS_LIMITS", NONE),
    (bootstrap, "PATIENCE", inf),
    (replay_folding, "LOCK_PATIENCE", "0"),
    (storing, "PATIENCE", 0.0),
    (storing, "FEWEST_ATTEMPTS", 20),  # so that attempts count, and not seconds
    (runs, "DROP_PATIENCE", "1ms"),  # `Schedule.impatient`
)
"""The limits of the program by module and name, and the value that replaces each."""


@contextmanager
def without_limits() -> Iterator[None]:
    """Inside this context everything waits for as long as it takes."""
    with ExitStack() as patches:
        for module, name, value in LIMITS:
            patches.enter_context(patch.object(module, name, value))
        yield
