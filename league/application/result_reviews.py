"""Commands that end a match or change its result: what then awaits confirmation, and which dispute is settled."""

from typing import Protocol, TypeVar

from msgspec.structs import replace

from league.application.decision import Decided, Decision, Handler
from league.application.stream_states import StreamStates
from league.domain import dispute_decider
from league.domain.disputes import ConfirmResult, DisputeResult, ResultConfirmed, WithdrawDispute
from league.domain.match import MatchEnded, MatchForfeited, MatchState


class _OnMatch(Protocol):
    @property
    def match(self) -> str: ...


class _Settling(_OnMatch, Protocol):
    @property
    def settles(self) -> int | None: ...


M = TypeVar("M", bound=_OnMatch)
S = TypeVar("S", bound=_Settling)


def as_seated(command: M, state: MatchState, states: StreamStates) -> M:
    """A command on a result, by the id with which its player sits in the match."""
    match command:
        case (
            ConfirmResult(player=str(player)) | DisputeResult(player=str(player)) | WithdrawDispute(player=str(player))
        ):
            seats = () if state.played is None else state.played.seats
            return replace(command, player=states.seated_as(player, seats))
    return command


def ending(handle: Handler[M]) -> Handler[M]:
    """A command that may end a match by hand: where the league demands it, the match then awaits confirmation.

    Who records the result of a match that they play in confirms it with that.
    """

    def awaiting(command: M, states: StreamStates) -> Decision:
        first, *others = handle(command, states)
        state = states.match(command.match)
        ends = any(isinstance(event, MatchEnded | MatchForfeited) for event in first.events)
        if not ends or state.played is None or state.live or not states.league().confirmation:
            return [first, *others]
        waiting = dispute_decider.awaiting_confirmation(first.events, states.now)  # type: ignore[arg-type]  # of a match
        recorder = states.actor and states.seated_as(states.actor, state.played.seats)
        if recorder in state.played.seats:
            # Apart, since it has no time of play.
            return [first._replace(events=waiting), Decided(first.stream, [ResultConfirmed(recorder)]), *others]
        return [first._replace(events=waiting), *others]

    return awaiting


def settling(handle: Handler[S]) -> Handler[S]:
    """A command that changes a result, and may settle the dispute that it names."""

    def settled(command: S, states: StreamStates) -> Decision:
        first, *others = handle(command, states)
        state = states.match(command.match)
        after = dispute_decider.settling(command.match, first.events, state, command.settles)  # type: ignore[arg-type]  # of a match
        return [first._replace(events=after), *others]

    return settled
