"""What the players of live tables say: brought to the subscriptions of this process, and not said too often."""

import asyncio
import threading
import time
from collections import defaultdict, deque
from collections.abc import AsyncGenerator
from math import ceil

import msgspec
import structlog

from league.api.graphql.live.listening import Live
from league.tables.application.talk import CHANNEL, Said, heard
from league.tables.domain.refusals import TooTalkative
from league.tables.phrases import PHRASES

MOST, WITHIN = 5, 10.0
"""So often a player may speak, mute and unmute within so many seconds, by what this process has seen."""
QUEUED = 20
"""Phrases that wait for a slow client; further ones are lost to it."""

log = structlog.get_logger()


class TableTalk:
    """The talk at the tables that clients of this process follow."""

    def __init__(self, live: Live) -> None:
        self._listeners: dict[str, set[asyncio.Queue[Said]]] = {}
        self._said: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MOST))
        """By player, when they last spoke, muted or unmuted."""
        self._saying = threading.Lock()
        live.on_notice(CHANNEL, self._heard)

    async def follow(self, table: str) -> AsyncGenerator[Said, None]:
        """What is said at a table from now on."""
        queue = asyncio.Queue[Said](QUEUED)
        listeners = self._listeners.setdefault(table, set())
        listeners.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            listeners.discard(queue)
            if not listeners:
                self._listeners.pop(table, None)

    def count(self, player: str) -> None:
        """Take note that a player speaks, mutes or unmutes. Safe between threads. Raises TooTalkative."""
        with self._saying:
            said, now = self._said[player], time.monotonic()
            if len(said) == MOST and now - said[0] < WITHIN:
                raise TooTalkative(MOST, round(WITHIN), retry_after=ceil(WITHIN - (now - said[0])))
            said.append(now)

    def _heard(self, payload: str) -> None:
        try:
            said = heard(payload)
        except msgspec.DecodeError as error:
            log.warning("unreadable_phrase", error=str(error))
            return
        if said.phrase not in PHRASES:
            return  # of a process with a newer catalogue
        for queue in self._listeners.get(said.table, ()):
            if not queue.full():
                queue.put_nowait(said)
