"""The events in the golden bodies of reviews."""

from __future__ import annotations

from typing import Any

from league.review.events import ReviewConsentGiven, ReviewConsentWithdrawn, ReviewRequested


def of_reviews() -> dict[str, list[Any]]:
    """The events by stored name."""
    return {
        "review-requested/1": [ReviewRequested(2)],
        "review-consent-given/1": [ReviewConsentGiven()],
        "review-consent-withdrawn/1": [ReviewConsentWithdrawn()],
    }
