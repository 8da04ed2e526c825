"""The permissions of each role. Reading boards, players and matches needs no token and is not in the table."""

from typing import Literal

from msgspec import Struct

from league.domain.permission_refusals import Forbidden, NotSignedIn

Role = Literal["player", "scorekeeper", "admin", "auditor"]
ROLES: tuple[Role, ...] = ("player", "scorekeeper", "admin", "auditor")

Reach = Literal["any", "own"]
"""`own`: only if the token's `sub` is the player, or is seated in the match or at the table."""

_ADMIN: dict[Role, Reach] = {"admin": "any"}
_KEEPER: dict[Role, Reach] = {"admin": "any", "scorekeeper": "any"}
_PLAYER: dict[Role, Reach] = {"admin": "any", "scorekeeper": "any", "player": "own"}
_SEATED: dict[Role, Reach] = {"player": "own"}
"""What a player does at a live table, and no other role for a player."""

PERMISSIONS: dict[str, dict[Role, Reach]] = {
    "registerPlayer": _KEEPER,
    "renamePlayer": _PLAYER,
    "movePlayer": _PLAYER,
    "erasePlayer": {"admin": "any", "player": "own"},
    "mergePlayers": _ADMIN,
    "undoMerge": _ADMIN,
    "openMatch": _PLAYER,
    "recordHand": _PLAYER,
    "correctHand": _KEEPER,
    "endMatch": _KEEPER,
    "reopenMatch": _KEEPER,
    "forfeitMatch": _KEEPER,
    "voidMatch": _KEEPER,
    "recordResult": _KEEPER,
    "confirmResult": {"admin": "any", "player": "own"},
    "disputeResult": {"admin": "any", "player": "own"},
    "withdrawDispute": {"admin": "any", "player": "own"},
    "rejectDispute": _ADMIN,
    "importSheet": _KEEPER,
    "openSeason": _ADMIN,
    "closeSeason": _ADMIN,
    "changeSettings": _ADMIN,
    "closeMonth": _ADMIN,
    "reopenMonth": _ADMIN,
    "publishEdition": _ADMIN,
    "adoptEdition": _ADMIN,
    "startReplay": _ADMIN,
    "cancelReplay": _ADMIN,
    "dropReplay": _ADMIN,
    "promoteReplay": _ADMIN,
    "rollBack": _ADMIN,
    "revokeToken": _ADMIN,
    "makeSignInLink": _ADMIN,
    "addMember": _ADMIN,
    "changeMember": _ADMIN,
    "removeMember": _ADMIN,
    "grantAccess": _ADMIN,
    "declineAccess": _ADMIN,
    "endSessions": {"admin": "own", "scorekeeper": "own", "player": "own", "auditor": "own"},
    "openTable": _PLAYER,
    "closeTable": _PLAYER,
    "seatAi": _PLAYER,
    "takeSeat": _SEATED,
    "leaveSeat": _SEATED,
    "sayReady": _SEATED,
    "contributeSeed": _SEATED,
    "acceptReshuffle": _SEATED,
    "declineReshuffle": _SEATED,
    "playTile": _SEATED,
    "sayPhrase": _SEATED,
    "mutePlayer": _SEATED,
    "unmutePlayer": _SEATED,
    "watchTables": {"admin": "any", "scorekeeper": "any", "auditor": "any"},
    "whatIfNot": {"admin": "any", "scorekeeper": "any", "auditor": "any"},
    "readDisputes": _KEEPER,
    "readMembers": _ADMIN,
    "readLogDetails": {"admin": "any", "auditor": "any"},
    "uploadPhoto": _PLAYER,
    "confirmPhoto": _PLAYER,
    "correctPhotoCount": _PLAYER,
    "erasePhoto": _ADMIN,
    "readPhoto": {"admin": "any", "scorekeeper": "any", "auditor": "any", "player": "own"},
    "readProof": {"admin": "any", "auditor": "any", "player": "own"},
}
"""By operation, the roles that may use it; the names are those of the mutations, of the uploads of photos and
sheets, and of seven things that are read."""


class Viewer(Struct, frozen=True):
    """The sender of the request. `sub` None: anonymous, without a token."""

    sub: str | None = None
    roles: tuple[Role, ...] = ()
    jti: str | None = None

    def reach(self, operation: str) -> Reach | None:
        """The extent of the viewer's permission for an operation; None: not permitted."""
        reaches = {PERMISSIONS[operation].get(role) for role in self.roles}
        return "any" if "any" in reaches else "own" if "own" in reaches else None

    def may(self, operation: str) -> bool:
        """Whether the viewer may use the operation on any player or match."""
        return self.reach(operation) == "any"

    def require(self, operation: str, own: bool = False) -> None:
        """Raise Forbidden unless the viewer has permission; `own`: it concerns the viewer or a match of theirs."""
        reach = self.reach(operation)
        if reach == "any" or (own and reach == "own"):
            return
        allowed = PERMISSIONS[operation]
        if self.sub is None:
            raise NotSignedIn(operation, tuple(allowed))
        only_own = tuple(role for role in allowed if allowed[role] == "own")
        raise Forbidden(operation, tuple(allowed), only_own, of_others=reach == "own")
