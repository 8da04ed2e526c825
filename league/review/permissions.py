"""Who may do what with reviews."""

from league.api.auth.reach import PLAYER, Reach, Role

PERMISSIONS: dict[str, dict[Role, Reach]] = {
    "requestReview": PLAYER,
    "setReviewConsent": {"player": "own", "admin": "any"},
    "readReviews": {"admin": "any", "scorekeeper": "any", "auditor": "any"},
}
