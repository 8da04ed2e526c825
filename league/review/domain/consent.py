"""Whether a player lets others see what reviews say of their play. Without consent, only the player sees it."""

from msgspec import Struct


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
