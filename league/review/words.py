"""Sentences for people: what happened to the reviews of a match."""

from league.domain.deciders import Event
from league.review.domain.requests import ReviewRequested
from league.wording.around import Around, StreamWords
from league.wording.language import _


def _of_review(match: str, event: Event, _around: Around) -> str:
    """What happened to the reviews of a match, in a sentence without a full stop."""
    assert isinstance(event, ReviewRequested), "the stream has no other events"
    return _("Match {match}: a review of hand {hand} was requested", match=match, hand=event.hand)


WORDS = StreamWords("review", _of_review, lambda _event: set())
