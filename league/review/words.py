"""Sentences about the events of reviews: requests, and consents of players."""

from league.domain.deciders import Event
from league.domain.sentences import say
from league.review.events import ReviewConsentGiven, ReviewRequested
from league.wording.matches import EventContext, StreamWords, WordPart


def _of_review(match: str, event: Event, _around: EventContext) -> str:
    """A sentence about an event of the reviews of a match, without a full stop."""
    assert isinstance(event, ReviewRequested), "the stream has no other events"
    return say("Match {match}: a review of hand {hand} was requested", match=match, hand=event.hand)


def _of_consent(player: str, event: Event, around: EventContext) -> str:
    """A sentence about a player's consent, without a full stop."""
    if isinstance(event, ReviewConsentGiven):
        return say("{who} lets others see what reviews say of their play", who=around.named(player))
    return say("{who} does not let others see what reviews say of their play any more", who=around.named(player))


WORDS = WordPart(
    (
        StreamWords("review", _of_review, lambda _match, _event: set()),
        StreamWords("consent", _of_consent, lambda player, _event: {player}),
    )
)
