"""Who may do what with photos."""

from league.api.auth.reach import ADMIN, PLAYER, Reach, Role

PERMISSIONS: dict[str, dict[Role, Reach]] = {
    "uploadPhoto": PLAYER,
    "confirmPhoto": PLAYER,
    "correctPhotoCount": PLAYER,
    "erasePhoto": ADMIN,
    "readPhoto": {"admin": "any", "scorekeeper": "any", "auditor": "any", "player": "own"},
}
