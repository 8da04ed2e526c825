"""A request for the review of a hand. The review itself is computed, and is no event."""

from msgspec import Struct


class RequestReview(Struct, frozen=True):
    """Have hands of a match reviewed that is over."""

    match: str
    hand: int | None
    """From 1; None: all hands that can be reviewed."""


class ReviewRequested(Struct, frozen=True):
    """Somebody asked for the review of a hand."""

    hand: int
    """From 1."""
