"""The commands that merge players, and the search for matches in which both of two players sit."""

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg

from league.application.decision import Decided, Decision
from league.application.stream_states import StreamStates
from league.domain import player
from league.domain.match import MatchOpened
from league.domain.player import Together, seats_of_both
from league.eventlog.records import Overtaken, Stored
from league.eventlog.store import EventStore

OPENED = ("match-opened/1",)
PAGE = 10_000
"""Matches."""


class SeatedTogether:
    """Looks for a match that seats a player of each of two groups.

    No index of the log knows who sits where, so this reads every opening of a match; under the lock of the log it reads
    those that have come since.
    """

    def __init__(self, store: EventStore, some: frozenset[str], others: frozenset[str]) -> None:
        self._store, self._some, self._others = store, some, others
        self._until = store.head()

    def find(self, states: StreamStates) -> Together | None:
        """The first such match that is not voided."""
        return next((one for one in self._all(states) if not _is_voided(one, states)), None)

    def check(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Raise Overtaken for such a match that was opened since. `before`, `last`: around what is being stored."""
        since = self._store.named_on(conn, self._until, before, OPENED)
        if any(self._of(since)):
            raise Overtaken(player.MERGES_STREAM, "meets a match that was opened meanwhile")

    def _all(self, states: StreamStates) -> Iterator[Together]:
        position = 0
        while page := self._store.named_after(position, self._until, OPENED, PAGE):
            yield from self._of(page)
            position = page[-1].position
        yield from self._of(states.foreseen())

    def _of(self, events: Sequence[Stored]) -> Iterator[Together]:
        for stored in events:
            if isinstance(stored.event, MatchOpened):
                seated = seats_of_both(stored.event.seats, self._some, self._others)
                if seated is not None:
                    yield Together(stored.stream.partition(":")[2], seated)


def _is_voided(together: Together, states: StreamStates) -> bool:
    played = states.match(together.match).played
    return played is not None and played.voided


def merge_players(command: player.MergePlayers, states: StreamStates) -> Decision:
    """Merge two players, unless a match seats both."""
    known, both = states.merges(), (command.keep, command.drop)
    players = {player: states.player(player) for player in both}
    player.merge_players(command, known, players, None)  # raises what needs no look at the matches
    search = SeatedTogether(states.store, known.ids_of(command.keep), known.ids_of(command.drop))
    states.checks.append(search.check)
    events = player.merge_players(command, known, players, search.find(states))
    return [Decided(player.MERGES_STREAM, events)]


def undo_merge(command: player.UndoMerge, states: StreamStates) -> Decision:
    """Take a merge back."""
    return [Decided(player.MERGES_STREAM, player.undo_merge(command, states.merges()))]
