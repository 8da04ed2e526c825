"""The events of reviews, and the names under which the log stores them."""

from msgspec import Struct

from league.eventlog.records import EventKind, EventPart


class ReviewRequested(Struct, frozen=True):
    """Somebody asked for the review of a hand."""

    hand: int
    """From 1."""


class ReviewConsentGiven(Struct, frozen=True):
    """The player lets others see what reviews say about their play. Their hands may go into open sets of hands."""


class ReviewConsentWithdrawn(Struct, frozen=True):
    """The player no longer lets others see what reviews say about their play."""


ConsentEvent = ReviewConsentGiven | ReviewConsentWithdrawn

EVENTS = EventPart(
    kinds=(
        EventKind("review-requested/1", ReviewRequested, is_folded=False, boards="none"),
        EventKind("review-consent-given/1", ReviewConsentGiven, is_folded=False, boards="none"),
        EventKind("review-consent-withdrawn/1", ReviewConsentWithdrawn, is_folded=False, boards="none"),
    )
)
