"""Commands that overwrite something: whether it is still as who sends them has seen it."""

from collections.abc import Callable
from typing import Any

from league.application.stream_states import MEMBERS, StreamStates
from league.domain import league, match, members, player
from league.domain.deciders import Command
from league.domain.refusals import ChangedSince
from league.domain.sentences import say
from league.features import declared

Concerns = Callable[[Any], bool]
"""Whether an event of the stream is about what the command overwrites."""
Overwritten = tuple[str, Concerns, str]
"""The stream of what a command overwrites, which of its events are about that, and what it is called."""


def check_unchanged(command: Command, states: StreamStates, expected: int) -> None:
    """Raise ChangedSince where an event after the position `expected` has changed what a command overwrites."""
    if isinstance(command, members.ChangeMember):
        states.members()  # they are loaded together
    stream, concerns, what = _overwritten(command)
    later = [one for one in states.events(stream) if one.position > expected and concerns(one.event)]
    if later:
        raise ChangedSince(stream, what, expected, later[-1].position, later[-1].recorded_at, _hand_of(command))


def _overwritten(command: Command) -> Overwritten:  # one for each command
    match command:
        case match.CorrectHand(match=match_id, hand=hand):
            return f"match:{match_id}", lambda event: _records(event, hand), say("the facts of hand {hand}", hand=hand)
        case player.RenamePlayer(player=id_):
            names = is_one_of(player.PlayerRegistered, player.PlayerRenamed)
            return f"player:{id_}", names, say("the player's name")
        case player.MovePlayer(player=id_):
            regions = is_one_of(player.PlayerRegistered, player.PlayerMoved)
            return f"player:{id_}", regions, say("the player's region")
        case league.ChangeSettings():
            changes = is_one_of(league.LeagueCreated, league.SettingsChanged)
            return "league", changes, say("the league's settings")
        case members.ChangeMember(member=id_):
            return f"{MEMBERS}{id_}", is_one_of(object), say("the member")
    for overwrites in declared("overwrites"):
        if type(command) in overwrites:
            found: Overwritten = overwrites[type(command)](command)
            return found
    raise AssertionError(f"{type(command).__name__} overwrites nothing")


def is_one_of(*kinds: type) -> Concerns:
    """Whether an event is one of these."""
    return lambda event: isinstance(event, kinds)


def _records(event: Any, hand: int) -> bool:
    return isinstance(event, match.HandRecorded | match.HandCorrected) and event.hand == hand


def _hand_of(command: Command) -> int | None:
    return command.hand if isinstance(command, match.CorrectHand) else None
