"""What tournaments forbid, and what they add, in commands of the core."""

from collections.abc import Collection, Iterator
from typing import Any

import psycopg

from league.application.decision import Decided, Decision, Handler, Rule
from league.application.stream_states import StreamStates
from league.domain.deciders import Command
from league.domain.merges import STREAM as MERGES
from league.domain.merges import MergePlayers
from league.domain.player import ErasePlayer
from league.domain.sentences import say
from league.eventlog.conflicts import Overtaken
from league.eventlog.records import Stored
from league.tournaments.application.tournament_states import STREAM, tournament_state
from league.tournaments.domain.events import CompetitorEntered, CompetitorWithdrew
from league.tournaments.domain.refusals import EnteredTogether

ENTERED = ("tournament-competitor-entered/1",)
PAGE = 10_000
"""Entries."""


def withdrawing(handle: Handler[ErasePlayer]) -> Handler[ErasePlayer]:
    """The erasure of a player, which withdraws them from all tournaments that have not ended."""

    def erasing(command: ErasePlayer, states: StreamStates) -> Decision:
        decision = handle(command, states)
        ids = states.merges().ids_of(command.player)
        _check_entries(f"player:{command.player}", ids, states)
        for tournament in sorted(set(_entered(ids, states))):
            state = tournament_state(states, tournament)
            left = [
                CompetitorWithdrew(entry.id)
                for entry in state.entries.values()
                if ids & set(entry.players) and entry.withdrawn_at is None
            ]
            if left and not state.ended:
                decision.append(Decided(f"{STREAM}{tournament}", left))
        return decision

    return erasing


def not_both(handle: Handler[MergePlayers]) -> Handler[MergePlayers]:
    """A merge, which is refused where both players entered one tournament."""

    def merging(command: MergePlayers, states: StreamStates) -> Decision:
        decision = handle(command, states)
        ids = states.merges().ids_of
        _check_entries(MERGES, ids(command.keep) | ids(command.drop), states)
        both = set(_entered(ids(command.keep), states)) & set(_entered(ids(command.drop), states))
        if both:
            raise EnteredTogether(
                say("player {player!r}", player=command.drop),
                say("in tournament {tournament!r}", tournament=min(both)),
                say("{keep!r} entered it as well, so they are two people", keep=command.keep),
                "drop",
            )
        return decision

    return merging


def _check_entries(stream: str, players: Collection[str], states: StreamStates) -> None:
    """Let the command on `stream` start again if one of these players enters a tournament until it is stored."""
    until = states.store.head()

    def check(conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        # No index knows who entered meanwhile.
        if any(_is_of(stored, players) for stored in states.store.named_on(conn, until, before, ENTERED)):
            raise Overtaken(stream, "meets an entry that was made meanwhile")

    states.checks.append(check)


def _entered(players: Collection[str], states: StreamStates) -> Iterator[str]:
    """The tournaments that one of these players has entered."""
    position, until = 0, states.store.head()
    while page := states.store.named_after(position, until, ENTERED, PAGE):
        yield from (_tournament(stored) for stored in page if _is_of(stored, players))
        position = page[-1].position
    yield from (_tournament(stored) for stored in states.foreseen() if _is_of(stored, players))


def _is_of(stored: Stored, players: Collection[str]) -> bool:
    return isinstance(stored.event, CompetitorEntered) and not set(players).isdisjoint(stored.event.players)


def _tournament(stored: Stored) -> str:
    return stored.stream.removeprefix(STREAM)


RULES: dict[type[Command], Rule] = {ErasePlayer: withdrawing, MergePlayers: not_both}
