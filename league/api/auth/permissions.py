"""The permissions of each role. Reading boards, players and matches needs no token and is not in the table."""

from collections.abc import Mapping

from msgspec import Struct

from league.api.auth.reach import ADMIN, KEEPER, PLAYER, AccessPart, Reach, Role
from league.domain.refusals import Forbidden, NotSignedIn
from league.features import declared

PERMISSIONS: dict[str, Mapping[Role, Reach]] = {
    "registerPlayer": KEEPER,
    "registerPlayers": KEEPER,
    "renamePlayer": PLAYER,
    "movePlayer": PLAYER,
    "erasePlayer": {"admin": "any", "player": "own"},
    "mergePlayers": ADMIN,
    "undoMerge": ADMIN,
    "openMatch": PLAYER,
    "recordHand": PLAYER,
    "correctHand": KEEPER,
    "correctResult": KEEPER,
    "endMatch": KEEPER,
    "reopenMatch": KEEPER,
    "forfeitMatch": KEEPER,
    "voidMatch": KEEPER,
    "recordResult": PLAYER,
    "confirmResult": {"admin": "any", "player": "own"},
    "confirmResults": {"admin": "any", "player": "own"},
    "disputeResult": {"admin": "any", "player": "own"},
    "withdrawDispute": {"admin": "any", "player": "own"},
    "rejectDispute": ADMIN,
    "importSheet": KEEPER,
    "openSeason": ADMIN,
    "closeSeason": ADMIN,
    "changeSettings": ADMIN,
    "closeMonth": ADMIN,
    "closeEndedMonths": ADMIN,
    "reopenMonth": ADMIN,
    "publishEdition": ADMIN,
    "adoptEdition": ADMIN,
    "adoptHouseRules": ADMIN,
    "startReplay": ADMIN,
    "computeReplayAgain": ADMIN,
    "cancelReplay": ADMIN,
    "dropReplay": ADMIN,
    "promoteReplay": ADMIN,
    "nameReplay": ADMIN,
    "showReplay": ADMIN,
    "withdrawReplay": ADMIN,
    "rollBack": ADMIN,
    "revokeToken": ADMIN,
    "makeSignInLink": ADMIN,
    "addMember": ADMIN,
    "changeMember": ADMIN,
    "removeMember": ADMIN,
    "grantAccess": ADMIN,
    "declineAccess": ADMIN,
    "endSessions": {"admin": "own", "scorekeeper": "own", "player": "own", "auditor": "own"},
    "whatIfHand": ADMIN,
    "whatIfNot": {"admin": "any", "scorekeeper": "any", "auditor": "any"},
    "readDisputes": KEEPER,
    "readMembers": ADMIN,
    "downloadBackup": ADMIN,
    "readLogDetails": {"admin": "any", "auditor": "any"},
    "readDrafts": {"admin": "any", "auditor": "any"},
    "readProof": {"admin": "any", "auditor": "any", "player": "own"},
    **{operation: roles for part in declared(AccessPart) for operation, roles in part.permissions.items()},
}
"""The roles that may use an operation, by its name; the names are those of the mutations, of the uploads of photos and
sheets, and of things that are read."""


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
