"""Requests for reviews, and the consent of players that others see how well they played."""

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


class SetReviewConsent(Struct, frozen=True):
    """Give or withdraw the consent of a player."""

    player: str
    given: bool


class ReviewConsentGiven(Struct, frozen=True):
    """The player lets others see what reviews say of their play, and their hands go into open sets of hands."""


class ReviewConsentWithdrawn(Struct, frozen=True):
    """The player does not let others see it any more."""


ConsentEvent = ReviewConsentGiven | ReviewConsentWithdrawn


def set_consent(command: SetReviewConsent, *, given: bool) -> list[ConsentEvent]:
    """The event of a change; none where nothing changes. `given`: whether the player consents now."""
    if command.given == given:
        return []
    return [ReviewConsentGiven() if command.given else ReviewConsentWithdrawn()]
