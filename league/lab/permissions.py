"""Who may try rules."""

from league.api.auth.reach import ADMIN, Reach, Role

PERMISSIONS: dict[str, dict[Role, Reach]] = {"whatIf": ADMIN}
