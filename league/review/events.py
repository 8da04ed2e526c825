"""The events of reviews: under which names the log stores them."""

from league.eventlog.kind import Kind
from league.review.domain.requests import ReviewConsentGiven, ReviewConsentWithdrawn, ReviewRequested

EVENTS = (
    Kind("review-requested/1", ReviewRequested, is_folded=False, boards="none"),
    Kind("review-consent-given/1", ReviewConsentGiven, is_folded=False, boards="none"),
    Kind("review-consent-withdrawn/1", ReviewConsentWithdrawn, is_folded=False, boards="none"),
)
"""At the newest version of each. No fold of the league needs them."""
