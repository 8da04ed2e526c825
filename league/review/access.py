"""Permissions and refusal codes of reviews."""

from league.api.auth.reach import PLAYER, AccessPart

ACCESS = AccessPart(
    permissions={
        "requestReview": PLAYER,
        "setReviewConsent": {"player": "own", "admin": "any"},
        "readReviews": {"admin": "any", "scorekeeper": "any", "auditor": "any"},
    },
    error_codes={
        "NO_HANDS": "No hand of the match is recorded: ask for the review of a match with hands.",
        "NO_TURNS": "The turns of the hand are not known: choose a hand that was played turn by turn.",
    },
)
