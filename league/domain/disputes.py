"""What players say about the result of their match: confirmations and disputes. `dispute_decider` decides them.

The events are on the stream of the match. A dispute takes nothing back: the command that settles it may do so.
"""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

CONFIRM_WITHIN = timedelta(days=7)
"""A match that awaits confirmation is decided after this time without a dispute."""

# ---------------------------------------------------------------- events


class ResultConfirmed(Struct, frozen=True):
    """A player of the match says that its result is right."""

    player: str


class MatchConfirmed(Struct, frozen=True):
    """The match no longer awaits confirmation: it is decided, at the time at which this was recorded."""

    by: Literal["players", "admin", "time"]
    """`players`: one of each side; `time`: no one has disputed it in time."""


class ResultDisputed(Struct, frozen=True):
    """A player of the match says that its result is wrong."""

    dispute: int
    """Its number in the match, from 1."""
    player: str
    reason: str


class DisputeWithdrawn(Struct, frozen=True):
    """The player takes the dispute back."""

    dispute: int


class DisputeRejected(Struct, frozen=True):
    """The result stands."""

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
    """Decide a match whose time for confirmations is over."""

    match: str


class DisputeResult(Struct, frozen=True):
    """Dispute the result of a match for one of its players."""

    match: str
    player: str
    reason: str


class WithdrawDispute(Struct, frozen=True):
    """Take a dispute back. `player`: who opened it; None: an admin does it for them."""

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
    """A dispute; `outcome` None: it is open."""

    number: int
    player: str
    reason: str
    opened_at: datetime
    outcome: Outcome | None = None
    closed_at: datetime | None = None
    answer: str | None = None
    """The reason of what settled it; None where the player took it back."""


class Confirmation(Struct, frozen=True):
    """A player who has confirmed the result, and when."""

    player: str
    at: datetime


class ResultReview(Struct, frozen=True, omit_defaults=True):
    """What was said about the result of a match."""

    confirmations: tuple[Confirmation, ...] = ()
    """Of the result as it is now: a correction takes them away."""
    disputes: tuple[Dispute, ...] = ()
    """In order; only the last one can be open."""
    confirm_by: datetime | None = None
    """When the match is decided if no dispute is open then; None: it awaits no confirmation."""

    @property
    def open_dispute(self) -> Dispute | None:
        """The dispute that is not closed."""
        last = self.disputes[-1] if self.disputes else None
        return last if last is not None and last.outcome is None else None

    @property
    def due_at(self) -> datetime | None:
        """When time decides the match; None: it does not, as long as nothing else happens."""
        return None if self.open_dispute is not None else self.confirm_by

    def confirmed_by(self, player: str) -> bool:
        """Whether a player has confirmed the result as it is now."""
        return any(confirmation.player == player for confirmation in self.confirmations)

    def ended(self, confirm_by: datetime | None) -> "ResultReview":
        """After the end of the match."""
        return replace(self, confirmations=(), confirm_by=confirm_by)

    def changed(self, outcome: Outcome, settles: int | None, answer: str, when: datetime) -> "ResultReview":
        """After the result was corrected, voided or taken back; `settles`: the dispute that this settles."""
        waits = self.confirm_by is not None and outcome == "corrected"
        after = replace(self, confirmations=(), confirm_by=when + CONFIRM_WITHIN if waits else None)
        return after if settles is None else after.closed(outcome, answer, when)

    def after(self, event: DisputeEvent, when: datetime) -> "ResultReview":
        """After an event that was recorded at a time."""
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
        """With the open dispute closed."""
        closed = (replace(one, outcome=outcome, closed_at=when, answer=answer) for one in self.disputes[-1:])
        return replace(self, disputes=(*self.disputes[:-1], *closed))

    def again(self, when: datetime) -> "ResultReview":
        """The time for confirmations begins again."""
        return self if self.confirm_by is None else replace(self, confirm_by=when + CONFIRM_WITHIN)
