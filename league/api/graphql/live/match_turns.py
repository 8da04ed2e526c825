"""Match turns: the commands of one process on the same match run one at a time, in the order in which they came.

Otherwise each would be overtaken by the others, and be decided again and again.
"""

import asyncio
from weakref import WeakValueDictionary


class MatchTurns:
    """The turns of one process. A command waits for its turn without a thread, which other matches need."""

    def __init__(self) -> None:
        # A lock is forgotten with the last command that holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, match: str) -> asyncio.Lock:
        """The lock to hold during a command on this match."""
        return self._locks.setdefault(match, asyncio.Lock())
