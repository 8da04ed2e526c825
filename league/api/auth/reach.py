"""Roles, and how far a permission of a role reaches."""

from typing import Literal

Role = Literal["player", "scorekeeper", "admin", "auditor"]
ROLES: tuple[Role, ...] = ("player", "scorekeeper", "admin", "auditor")

Reach = Literal["any", "own"]
"""`own`: only if the token's `sub` is the player, or is seated in the match or at the table."""

ADMIN: dict[Role, Reach] = {"admin": "any"}
KEEPER: dict[Role, Reach] = {"admin": "any", "scorekeeper": "any"}
PLAYER: dict[Role, Reach] = {"admin": "any", "scorekeeper": "any", "player": "own"}
SEATED: dict[Role, Reach] = {"player": "own"}
"""What players do for themselves at a live table or with their device, and no other role for them."""
