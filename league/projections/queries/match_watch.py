"""What of a match changes without an event of the log, so that who follows the match has to hear of it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from league.projections.queries.snapshot import Snapshot


class MatchWatch(Struct, frozen=True):
    """Something that a feature computes for a match in steps, such as the review of its hands."""

    channel: str
    """The channel of the database that announces each step."""
    look: Callable[[Snapshot, str], Any]
    """How far it is for the match with an id: a value that differs after each step."""
