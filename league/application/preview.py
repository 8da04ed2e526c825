"""Previews: compute what commands on matches, a merge or another time zone would change, and store nothing."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from msgspec.structs import replace

from league.application.dispatch import Clock, decide
from league.application.stream_states import StreamStates
from league.domain.deciders import Command
from league.domain.league import ChangeSettings
from league.domain.match import MatchState, VoidMatch
from league.domain.not_judged import not_judged_in_match
from league.domain.player import MergeEvent, MergePlayers, UndoMerge
from league.domain.refusals import NotFound
from league.domain.result import result_of
from league.eventlog.records import Append, match_after
from league.eventlog.store import EventStore
from league.projections.replays.preview import (
    NotJudgedRow,
    PreviewedChanges,
    PreviewedMerge,
    PreviewedZone,
    compared,
    compared_in_zone,
    compared_merged,
)


def preview(
    url: str, store: EventStore, clock: Clock, commands: Sequence[Command], player: str | None = None
) -> PreviewedChanges:
    """Preview the changes by commands on matches, each decided on top of the previous ones. Stores nothing.

    `player`: show only changes for this player and their pairs. Raises the Refusal that sending the commands would.
    """
    states = StreamStates(store, clock())
    return foreseen(url, store, states, decide(commands, states), player)


def foreseen(
    url: str, store: EventStore, states: StreamStates, appends: Sequence[Append], player: str | None = None
) -> PreviewedChanges:
    """Preview the changes by appends that were decided on `states`."""
    positions = count(store.head() + 1)
    numbers: dict[str, list[int]] = {append.stream: [] for append in appends}
    for append in appends:
        numbers[append.stream] += [next(positions) for _ in append.events]
    matches = {
        stream.removeprefix("match:"): match_after(states.events(stream), new_positions=its_positions)
        for stream, its_positions in numbers.items()
        if stream.startswith("match:")
    }
    return replace(compared(url, matches, player), not_judged=list(_not_judged(matches, states)))


def _not_judged(matches: Mapping[str, MatchState], states: StreamStates) -> Iterator[NotJudgedRow]:
    """Everything in these matches that the rules would not judge."""
    for match_id, state in matches.items():
        played = state.played
        if played is not None and not played.voided:
            ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
            found = not_judged_in_match(played, ruleset, result_of(played, ruleset))
            yield from (NotJudgedRow(match_id, one) for one in found)


def preview_without(url: str, store: EventStore, clock: Clock, match: str, player: str) -> PreviewedChanges:
    """Preview the changes for a player and their pairs if a match were voided. Stores nothing.

    Raises NotFound, and WrongState for a match that is voided already.
    """
    states = StreamStates(store, clock())
    if not states.player(player).registered:
        raise NotFound("player", "player", player)
    [read] = states.read_as([player])
    dispute = states.match(match).review.open_dispute
    settles = None if dispute is None else dispute.number
    return preview(url, store, clock, [VoidMatch(match, "if it had not been", settles)], read)


def preview_time_zone(url: str, store: EventStore, clock: Clock, time_zone: str) -> PreviewedZone:
    """Preview the changes by another time zone of the league. Stores nothing. Raises the Refusal of the change."""
    decide([ChangeSettings(time_zone=time_zone)], StreamStates(store, clock()))
    return compared_in_zone(url, time_zone)


def preview_merge(url: str, store: EventStore, clock: Clock, command: MergePlayers | UndoMerge) -> PreviewedMerge:
    """Preview the changes by a merge or its undoing. Stores nothing. Raises the Refusal of the command."""
    appends = decide([command], StreamStates(store, clock()))
    [change] = [event for append in appends for event in append.events if isinstance(event, MergeEvent)]
    return compared_merged(url, change)
