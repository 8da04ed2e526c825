"""A request for the review of a hand. The review itself is computed, and is no event."""

from msgspec import Struct


class RequestReview(Struct, frozen=True):
    """Have a hand of a match reviewed that is over."""

    match: str
    hand: int
    """From 1."""


class ReviewRequested(Struct, frozen=True):
    """Somebody asked for the review of a hand."""

    hand: int
    """From 1."""
