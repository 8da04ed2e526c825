"""Decides confirmations and disputes, and which matches await confirmation."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from league.domain.disputes import (
    CONFIRM_WITHIN,
    ConfirmByTime,
    ConfirmResult,
    Dispute,
    DisputeRejected,
    DisputeResult,
    DisputeWithdrawn,
    MatchConfirmed,
    RejectDispute,
    ResultConfirmed,
    ResultDisputed,
    WithdrawDispute,
)
from league.domain.match import (
    HandCorrected,
    MatchEnded,
    MatchEvent,
    MatchForfeited,
    MatchReopened,
    MatchState,
    MatchVoided,
)
from league.domain.match_refusals import AlreadyConfirmed, DidNotPlay, DisputeIsOpen, NoSuchDispute, NotYourDispute
from league.domain.refusals import NotFound, WrongState
from league.domain.result import MatchFacts
from league.domain.sentences import say
from league.domain.texts_and_times import check_readable
from league.domain.wrong_states import MatchIsOpen, MatchIsVoided, NothingToConfirm


def confirm_result(command: ConfirmResult, state: MatchState) -> list[MatchEvent]:
    """Confirm a result. A confirmation by a player of each side, or by an admin, decides the match.

    Raises NotFound, WrongState, DidNotPlay, AlreadyConfirmed, DisputeIsOpen.
    """
    played, player = _ended(command.match, state), command.player
    _check_undisputed(command.match, state)
    if player is None:
        if not played.pending:
            raise NothingToConfirm(_match(command.match), say("decided"), say("it awaits no confirmation"))
        return [MatchConfirmed("admin")]
    _check_seated(command.match, player, played)
    if state.review.confirmed_by(player):
        raise AlreadyConfirmed(command.match, player)
    confirmed: list[MatchEvent] = [ResultConfirmed(player)]
    others = {one.player for one in state.review.confirmations}
    if played.pending and all({player, *others} & {*side} for side in played.sides):
        confirmed.append(MatchConfirmed("players"))
    return confirmed


def confirm_by_time(command: ConfirmByTime, state: MatchState, now: datetime) -> list[MatchEvent]:
    """Decide a match whose deadline for confirmations has passed. Raises NotFound, WrongState."""
    _ended(command.match, state)
    due_at = state.review.due_at
    if due_at is None or now < due_at:
        raise WrongState(_match(command.match), say("not due"), say("time does not decide it now"))
    return [MatchConfirmed("time")]


def dispute_result(command: DisputeResult, state: MatchState) -> list[MatchEvent]:
    """Open a dispute. Raises NotFound, WrongState, DidNotPlay, DisputeIsOpen."""
    _check_seated(command.match, command.player, _ended(command.match, state))
    _check_undisputed(command.match, state)
    check_readable("reason", command.reason, with_lines=True)
    return [ResultDisputed(len(state.review.disputes) + 1, command.player, command.reason)]


def withdraw_dispute(command: WithdrawDispute, state: MatchState) -> list[MatchEvent]:
    """Take a dispute back. Raises NotFound, WrongState, NoSuchDispute, NotYourDispute."""
    _ended(command.match, state)
    dispute = _open_dispute(command.match, command.dispute, state)
    if command.player not in (None, dispute.player):
        raise NotYourDispute(command.match, command.dispute, dispute.player)
    return [DisputeWithdrawn(command.dispute)]


def reject_dispute(command: RejectDispute, state: MatchState) -> list[MatchEvent]:
    """Let the disputed result stand. Raises NotFound, WrongState, NoSuchDispute."""
    _ended(command.match, state)
    _open_dispute(command.match, command.dispute, state)
    check_readable("reason", command.reason, with_lines=True)
    return [DisputeRejected(command.dispute, command.reason)]


def awaiting_confirmation(events: Sequence[MatchEvent], now: datetime) -> list[MatchEvent]:
    """These events of a match. If one of them ends the match, it now awaits confirmation until a deadline."""
    confirm_by = now + CONFIRM_WITHIN
    return [
        replace(event, confirm_by=confirm_by) if isinstance(event, MatchEnded | MatchForfeited) else event
        for event in events
    ]


def settling(match: str, events: Sequence[MatchEvent], state: MatchState, settles: int | None) -> list[MatchEvent]:
    """The events of a command that changes a result, with the number of the dispute that they settle.

    Raises DisputeIsOpen if the command takes back a disputed result without settling the dispute, and NoSuchDispute.
    """
    if settles is None:
        if any(isinstance(event, MatchVoided | MatchReopened) for event in events):
            _check_undisputed(match, state)
        return [*events]
    _open_dispute(match, settles, state, at="settles")
    kinds = HandCorrected | MatchVoided | MatchReopened
    at, first = next((at, event) for at, event in enumerate(events) if isinstance(event, kinds))
    return [*events[:at], replace(first, settles=settles), *events[at + 1 :]]


def _match(match: str) -> str:
    return say("match {match!r}", match=match)


def _ended(match: str, state: MatchState) -> MatchFacts:
    played = state.played
    if played is None:
        raise NotFound("match", "match", match)
    if played.voided:
        raise MatchIsVoided(_match(match), say("voided"), say("it has no result"))
    if played.ended_at is None:
        raise MatchIsOpen(_match(match), say("in play"), say("it has no result yet"))
    return played


def _check_seated(match: str, player: str, played: MatchFacts) -> None:
    if player not in played.seats:
        raise DidNotPlay(match, player)


def _check_undisputed(match: str, state: MatchState) -> None:
    dispute = state.review.open_dispute
    if dispute is not None:
        raise DisputeIsOpen(match, dispute.number, dispute.player)


def _open_dispute(match: str, number: int, state: MatchState, at: str = "dispute") -> Dispute:
    dispute = state.review.open_dispute
    if dispute is None or dispute.number != number:
        raise NoSuchDispute(match, number, None if dispute is None else dispute.number, at)
    return dispute
