"""Sentences about confirmations and disputes."""

from league.domain import disputes
from league.domain.deciders import Event
from league.wording.language import _


def words_of_review(event: Event, player: str) -> str:  # noqa: PLR0911  # one return for each event
    """What was said about the result of a match, without a full stop. `player`: the name of the one in the event."""
    match event:
        case disputes.ResultConfirmed():
            return _("{player} confirmed the result", player=player)
        case disputes.MatchConfirmed(by="players"):
            return _("confirmed by a player of each side, and so decided")
        case disputes.MatchConfirmed(by="admin"):
            return _("confirmed by an admin, and so decided")
        case disputes.MatchConfirmed():
            return _("decided, since its result was not disputed in time")
        case disputes.ResultDisputed():
            return _("{player} disputed the result ({dispute}): {reason}", player=player, dispute=event.dispute,
                     reason=event.reason)  # fmt: skip
        case disputes.DisputeWithdrawn():
            return _("dispute {dispute} was withdrawn", dispute=event.dispute)
        case disputes.DisputeRejected():
            return _("dispute {dispute} was rejected: {reason}", dispute=event.dispute, reason=event.reason)
    raise TypeError(event)


def settling_words(text: str, settles: int | None) -> str:
    """A sentence about a command, with the dispute that it settles."""
    if settles is None:
        return text
    # Translators: {text} says how a match was corrected, voided or reopened.
    return _("{text}; this settles dispute {dispute}", text=text, dispute=settles)
