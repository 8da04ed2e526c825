"""Roles, and how far a permission of a role reaches."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from msgspec import Struct

Role = Literal["player", "scorekeeper", "admin", "auditor"]
ROLES: tuple[Role, ...] = ("player", "scorekeeper", "admin", "auditor")

Reach = Literal["any", "own"]
"""`own`: only if the token's `sub` is the player, or is seated in the match or at the table."""

ADMIN: dict[Role, Reach] = {"admin": "any"}
KEEPER: dict[Role, Reach] = {"admin": "any", "scorekeeper": "any"}
PLAYER: dict[Role, Reach] = {"admin": "any", "scorekeeper": "any", "player": "own"}
SEATED: dict[Role, Reach] = {"player": "own"}
"""Reach of what players do at a live table or with their device: no other role may do it for them."""


class AccessPart(Struct, frozen=True, kw_only=True):
    """A feature's permissions, refusals and uploads. Many modules import it, so it must import next to nothing."""

    place: ClassVar[str] = "access"
    permissions: Mapping[str, Mapping[Role, Reach]]
    """Who may use its operations."""
    error_codes: Mapping[str, str] = {}
    """The codes of its refusals, each with a description."""
    uploads: Mapping[str, int] = {}
    """Paths that take files, each with the limit on the bytes of a file."""
