"""Registers players. If names are compared, nobody else can get a name until the decision is stored."""

from typing import Any

import psycopg
from msgspec import Struct

from league.application.decisions import DecidedEvents, Decision
from league.application.stream_states import StreamStates
from league.domain import player
from league.domain.player import PlayerErased, PlayerRegistered, PlayerRenamed, RegisterPlayer, RegisterPlayers
from league.domain.player_names import name_key
from league.eventlog.records import Overtaken
from league.eventlog.store import EventStore

NAMING = ("player-registered/1", "player-renamed/1")
"""The stored names of the events that give somebody a name."""


def named_players(store: EventStore, until: int | None = None) -> dict[str, str | None]:
    """The names of all players by id; None for an erased one. `until`: a position of the log; None: its end."""
    names: dict[str, str | None] = {}
    for stored in store.streams_until("player:", store.head() if until is None else until):
        player_id = stored.stream.removeprefix("player:")
        match stored.event:
            case PlayerRegistered(name) | PlayerRenamed(name):
                names[player_id] = name
            case PlayerErased():
                names[player_id] = None
    return names


class NamesUnchanged(Struct, frozen=True):
    """Checks that nobody got a name after a position of the log."""

    store: EventStore
    position: int

    def check(self, conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        """Raise Overtaken if somebody did. No other writer can append meanwhile."""
        if found := self.store.named_on(conn, self.position, before, NAMING):
            raise Overtaken(found[0].stream, "has a new name")


def register_player(command: RegisterPlayer, states: StreamStates) -> Decision:
    """The events that register one player. If names are compared, two requests at once cannot both register one."""
    events = player.register_player(command, states.player(command.player))
    if command.is_namesake is False:
        player.check_is_new(command.name, _taken_names(states), "is_namesake")
    return [DecidedEvents(f"player:{command.player}", events)]


def register_players(command: RegisterPlayers, states: StreamStates) -> Decision:
    """The events that register a list. Two requests at once cannot both register one name."""
    called = _taken_names(states)
    states.prefetch(f"player:{new.player}" for new in command.players)
    known = {new.player: states.player(new.player) for new in command.players}
    events = player.register_players(command, known, called)
    return [DecidedEvents(f"player:{player_id}", of_one) for player_id, of_one in events.items()]


def _taken_names(states: StreamStates) -> set[str]:
    """The keys of the names of all players, which stay the only ones until the decision is stored."""
    head = states.store.head()
    states.checks.append(NamesUnchanged(states.store, head).check)
    return {name_key(name) for name in named_players(states.store, head).values() if name is not None}
