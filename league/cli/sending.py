"""Sends a command once, also when the connection to the database is lost on the way."""

import time
import uuid

from league.application.bootstrap import League
from league.cli import terminal
from league.domain.deciders import Command
from league.eventlog.recorder import StoreUnavailable
from league.wording.language import _

ATTEMPTS = 4
PAUSE = 2.0
"""Seconds between two attempts."""


def send_once(
    league: League, command: Command, actor: str, key: str | None = None, *, expected: int | None = None
) -> int:
    """Execute a command, again while the database cannot be reached; returns its log position.

    An idempotency key (a new one by default) keeps a command from being stored twice when only its answer was lost.
    `expected`: the position up to which the person has seen what the command overwrites.
    Raises Refusal, StoreUnavailable.
    """
    key = key or str(uuid.uuid4())
    for _attempt in range(ATTEMPTS - 1):
        try:
            return league.dispatcher.send(command, actor, key=key, expected=expected)
        except StoreUnavailable:
            terminal.err.print(_("The database cannot be reached; trying again. Nothing is stored twice."))
            time.sleep(PAUSE)
    return league.dispatcher.send(command, actor, key=key, expected=expected)
