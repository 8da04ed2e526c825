"""Confirmations and disputes of a match's result, by its players. `dispute_decider` decides the commands.

The events are on the stream of the match. A dispute itself does not change the result; the command that settles it may.
"""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

CONFIRM_WITHIN = timedelta(days=7)
"""Time after which a match that awaits confirmation is decided, if no dispute is open."""

# ---------------------------------------------------------------- events


class ResultConfirmed(Struct, frozen=True):
    """A player of the match says that its result is right."""

    player: str


class MatchConfirmed(Struct, frozen=True):
    """The match is decided at the time at which this was recorded. It no longer awaits confirmation."""

    by: Literal["players", "admin", "time"]
    """`players`: a player of each side confirmed it; `time`: nobody disputed it before the deadline."""


class ResultDisputed(Struct, frozen=True):
    """A player of the match says that its result is wrong."""

    dispute: int
    """Its number in the match, from 1."""
    player: str
    reason: str


class DisputeWithdrawn(Struct, frozen=True):
    """The player, or an admin for them, took the dispute back."""

    dispute: int


class DisputeRejected(Struct, frozen=True):
    """The dispute was rejected: the result stands."""

    dispute: int
    reason: str


DisputeEvent = ResultConfirmed | MatchConfirmed | ResultDisputed | DisputeWithdrawn | DisputeRejected

NOT_SCORED = (ResultConfirmed, ResultDisputed, DisputeWithdrawn, DisputeRejected)
"""Events that change neither the score of a match nor whether it is decided."""

# ---------------------------------------------------------------- commands


class ConfirmResult(Struct, frozen=True):
    """Confirm the result of a match. `player` None: an admin confirms it for everybody."""

    match: str
    player: str | None


class ConfirmByTime(Struct, frozen=True):
    """Decide a match whose deadline for confirmations has passed."""

    match: str


class DisputeResult(Struct, frozen=True):
    """Dispute the result of a match for one of its players."""

    match: str
    player: str
    reason: str


class WithdrawDispute(Struct, frozen=True):
    """Take a dispute back. `player` is the one who opened it; None if an admin takes it back."""

    match: str
    dispute: int
    player: str | None


class RejectDispute(Struct, frozen=True):
    """Let the disputed result stand."""

    match: str
    dispute: int
    reason: str


# ---------------------------------------------------------------- state

Outcome = Literal["withdrawn", "rejected", "corrected", "voided", "reopened"]


class Dispute(Struct, frozen=True, omit_defaults=True):
    """A dispute. It is open while `outcome` is None."""

    number: int
    player: str
    reason: str
    opened_at: datetime
    outcome: Outcome | None = None
    closed_at: datetime | None = None
    answer: str | None = None
    """The reason given when it was settled; None if the player took it back."""


class Confirmation(Struct, frozen=True):
    """A player who has confirmed the result, and when."""

    player: str
    at: datetime


class ResultReview(Struct, frozen=True, omit_defaults=True):
    """The confirmations and disputes of a match's result."""

    confirmations: tuple[Confirmation, ...] = ()
    """Confirmations of the present result: a correction removes them."""
    disputes: tuple[Dispute, ...] = ()
    """In order; only the last one can be open."""
    confirm_by: datetime | None = None
    """The time at which the match is decided if no dispute is open then; None: it awaits no confirmation."""

    @property
    def open_dispute(self) -> Dispute | None:
        """The open dispute, if there is one."""
        last = self.disputes[-1] if self.disputes else None
        return last if last is not None and last.outcome is None else None

    @property
    def due_at(self) -> datetime | None:
        """The time at which the match is decided without further confirmations; None also while a dispute is open."""
        return None if self.open_dispute is not None else self.confirm_by

    def confirmed_by(self, player: str) -> bool:
        """Whether a player has confirmed the present result."""
        return any(confirmation.player == player for confirmation in self.confirmations)

    def ended(self, confirm_by: datetime | None) -> "ResultReview":
        """The review after the end of the match."""
        return replace(self, confirmations=(), confirm_by=confirm_by)

    def changed(self, outcome: Outcome, settles: int | None, answer: str, when: datetime) -> "ResultReview":
        """The review after the result was corrected, voided or taken back. `settles`: the dispute that this settles."""
        waits = self.confirm_by is not None and outcome == "corrected"
        after = replace(self, confirmations=(), confirm_by=when + CONFIRM_WITHIN if waits else None)
        return after if settles is None else after.closed(outcome, answer, when)

    def after(self, event: DisputeEvent, when: datetime) -> "ResultReview":
        """The review after an event that was recorded at `when`."""
        match event:
            case ResultConfirmed():
                return replace(self, confirmations=(*self.confirmations, Confirmation(event.player, when)))
            case MatchConfirmed():
                return replace(self, confirm_by=None)
            case ResultDisputed():
                others = tuple(one for one in self.confirmations if one.player != event.player)
                opened = Dispute(event.dispute, event.player, event.reason, when)
                return replace(self, confirmations=others, disputes=(*self.disputes, opened))
            case DisputeWithdrawn():
                return self.closed("withdrawn", None, when).again(when)
            case DisputeRejected():
                return self.closed("rejected", event.reason, when).again(when)

    def closed(self, outcome: Outcome, answer: str | None, when: datetime) -> "ResultReview":
        """The review with its last dispute closed."""
        closed = (replace(one, outcome=outcome, closed_at=when, answer=answer) for one in self.disputes[-1:])
        return replace(self, disputes=(*self.disputes[:-1], *closed))

    def again(self, when: datetime) -> "ResultReview":
        """The review with a new deadline for confirmations, counted from `when`."""
        return self if self.confirm_by is None else replace(self, confirm_by=when + CONFIRM_WITHIN)
