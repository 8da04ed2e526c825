"""How the league refuses an actor whose role does not allow an operation."""

from dataclasses import dataclass
from typing import ClassVar

from league.domain.refusals import Refusal
from league.domain.sentences import either, say


@dataclass(eq=True)
class Forbidden(Refusal):
    """An actor whose role does not allow the operation."""

    code: ClassVar[str] = "FORBIDDEN"
    operation: str
    needs: tuple[str, ...]
    own: tuple[str, ...] = ()
    """Of `needs`, the roles that allow it for one's own affairs only."""
    of_others: bool = False
    """Whether the actor has such a role, and this is not about them."""
    at: str | None = None

    @property
    def sentence(self) -> str:
        if self.of_others:
            if set(self.needs) <= set(self.own):
                return say("this is about somebody else: {operation} is for oneself only", operation=self.operation)
            roles = either([role for role in self.needs if role not in self.own])
            return say(
                "this is about somebody else: a player may use {operation} only for themselves and in matches that "
                "they sit in; the role {roles} may use it for everybody",
                operation=self.operation,
                roles=roles,
            )
        others = [role for role in self.needs if role not in self.own]
        if not others:
            own = either(self.own)
            return say(
                "{operation} needs the role {own} (for their own affairs only)", operation=self.operation, own=own
            )
        roles = either(others)
        if not self.own:
            return say("{operation} needs the role {roles}", operation=self.operation, roles=roles)
        return say(
            "{operation} needs the role {own} (for their own affairs only) or {roles}",
            operation=self.operation,
            own=either(self.own),
            roles=roles,
        )


@dataclass(eq=True)
class NotSignedIn(Forbidden):
    """An operation that needs a role, without a token."""

    code: ClassVar[str] = "UNAUTHENTICATED"

    @property
    def sentence(self) -> str:
        roles = either(self.needs)
        return say(
            "sign in first: {operation} needs a token with the role {roles}", operation=self.operation, roles=roles
        )
