"""Members: the people who may sign in to the league's pages, with their roles and the player that each of them is.

A member signs in under a *subject*, an identifier from an identity provider or an admin. It is personal, so the log
seals it, and a removal erases it. An unknown person who signs in thereby asks for access and waits for an admin. Each
member has a stream, `member:<id>`. The deciders see all members, since a subject belongs to only one.
"""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.player import PlayerState, check_id
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal, WrongState
from league.domain.sentences import say
from league.domain.texts_and_times import check_readable, tidied, without_controls
from league.domain.wrong_states import AlreadyAMember, AlreadyDeclined, LastAdmin, NotAMember, PlayerIsErased

LONGEST_SUBJECT = 500
"""Limit in characters."""
MOST_WAITING = 100
"""Limit on people who wait for an admin. With an identity provider that is open to all, anybody can ask for access."""

Standing = Literal["member", "waiting", "declined", "removed"]

# ---------------------------------------------------------------- events


class MemberAdded(Struct, frozen=True):
    """A member was added, who signs in under this subject. The subject is personal."""

    subject: str | None
    """None once the member has been removed."""
    player: str | None
    roles: tuple[str, ...]


class AccessRequested(Struct, frozen=True):
    """An unknown person signed in and waits for an admin. The subject and the name are personal."""

    subject: str | None
    name: str | None
    """The name that the identity provider gives."""


class AccessGranted(Struct, frozen=True):
    """A person who asked for access is a member now."""

    player: str | None
    roles: tuple[str, ...]


class AccessDeclined(Struct, frozen=True):
    """A person who asked for access was refused, and cannot ask again."""


class MemberChanged(Struct, frozen=True):
    """A member was given other roles or another player."""

    player: str | None
    roles: tuple[str, ...]


class MemberRemoved(Struct, frozen=True):
    """A member or a request for access was removed: the key of the subject is destroyed."""


MemberEvent = MemberAdded | AccessRequested | AccessGranted | AccessDeclined | MemberChanged | MemberRemoved

# ---------------------------------------------------------------- commands


class AddMember(Struct, frozen=True):
    """Let a person sign in under a subject."""

    member: str
    """A new id."""
    subject: str
    roles: tuple[str, ...]
    player: str | None = None


class RequestAccess(Struct, frozen=True):
    """Ask for access as an unknown person."""

    member: str
    """A new id."""
    subject: str
    name: str | None = None


class GrantAccess(Struct, frozen=True):
    """Give access to a person who waits or was declined."""

    member: str
    roles: tuple[str, ...]
    player: str | None = None


class DeclineAccess(Struct, frozen=True):
    """Refuse access to a person who waits."""

    member: str


class ChangeMember(Struct, frozen=True):
    """Change a member; None: unchanged. An empty `player` means that the member is no player."""

    member: str
    roles: tuple[str, ...] | None = None
    player: str | None = None


class RemoveMember(Struct, frozen=True):
    """Remove a member or a request for access, and erase the subject."""

    member: str


# ---------------------------------------------------------------- state


class MemberState(Struct, frozen=True):
    """A member, or a person who asked for access."""

    subject: str | None
    standing: Standing = "member"
    roles: tuple[str, ...] = ()
    player: str | None = None
    name: str | None = None


Members = dict[str, MemberState]
"""All members by id, including removed ones: an id is not used again."""


def evolve(state: MemberState | None, event: MemberEvent) -> MemberState:
    """The member after an event; `state` is None before the first one."""
    match event:
        case MemberAdded():
            return MemberState(event.subject, "member", event.roles, event.player)
        case AccessRequested():
            return MemberState(event.subject, "waiting", name=event.name)
        case MemberRemoved():
            return MemberState(None, "removed")
    assert state is not None, "its first event adds it"
    match event:
        case AccessDeclined():
            return replace(state, standing="declined")
        case AccessGranted() | MemberChanged():
            return replace(state, standing="member", roles=event.roles, player=event.player)


def name_of(id_: str, member: MemberState) -> str:
    """The name of a member as an actor: their player, or else `member:<id>`, which no player has. Never the subject."""
    return member.player or f"member:{id_}"


# ---------------------------------------------------------------- decide


def add_member(command: AddMember, members: Members, player: PlayerState | None) -> list[MemberEvent]:
    """Add a member; `player`: the state of the named player.

    Raises InvalidInput, NotFound, WrongState, AlreadyExists.
    """
    Faults.check(
        Faults.found_by(
            partial(_check_new_id, command.member, members),
            partial(_new_subject, command.subject, members),
            partial(_checked, command.roles, command.player, player),
        )
    )
    subject, roles = _new_subject(command.subject, members), _checked(command.roles, command.player, player)
    return [MemberAdded(subject, command.player, roles)]


def request_access(command: RequestAccess, members: Members) -> list[MemberEvent]:
    """Ask for access. Raises InvalidInput, AlreadyExists, WrongState."""
    _check_new_id(command.member, members)
    subject = _new_subject(command.subject, members)
    waiting = sum(member.standing == "waiting" for member in members.values())
    if waiting >= MOST_WAITING:
        reason = say("{most} people wait for an admin already", most=MOST_WAITING)
        raise WrongState(say("the list of those who wait"), say("full"), reason)
    name = tidied(without_controls(command.name or ""))[:LONGEST_SUBJECT]
    return [AccessRequested(subject, name or None)]


def grant_access(command: GrantAccess, members: Members, player: PlayerState | None) -> list[MemberEvent]:
    """Give access to a person who asked for it. Raises NotFound, WrongState, InvalidInput."""
    member = _known(command.member, members)
    if member.standing == "member":
        raise AlreadyAMember(_named(command.member), say("a member"), say("there is nothing to answer"))
    return [AccessGranted(command.player, _checked(command.roles, command.player, player))]


def decline_access(command: DeclineAccess, members: Members) -> list[MemberEvent]:
    """Refuse access. Raises NotFound, WrongState."""
    member = _known(command.member, members)
    if member.standing == "member":
        raise AlreadyAMember(_named(command.member), say("a member"), say("there is nothing to answer"))
    if member.standing == "declined":
        raise AlreadyDeclined(_named(command.member), say("declined"), say("an admin has answered"))
    return [AccessDeclined()]


def change_member(
    command: ChangeMember, members: Members, player: PlayerState | None, actor: str | None
) -> list[MemberEvent]:
    """Change a member; `actor` sends the command. Raises NotFound, WrongState, InvalidInput."""
    member = _known(command.member, members)
    if member.standing != "member":
        raise NotAMember(_named(command.member), say("not a member"), say("grant the access first"))
    changed_player = member.player if command.player is None else command.player or None
    given = member.roles if command.roles is None else command.roles
    roles = _checked(given, changed_player, player, is_new_player=bool(command.player))
    if (roles, changed_player) == (member.roles, member.player):
        raise InvalidInput("roles", say("the member has these roles and this player already"))
    if "admin" not in roles:
        _check_admins(command.member, member, members, actor)
    return [MemberChanged(changed_player, roles)]


def remove_member(command: RemoveMember, members: Members, actor: str | None) -> list[MemberEvent]:
    """Remove a member or a request; `actor` sends the command. Raises NotFound, WrongState."""
    member = _known(command.member, members)
    _check_admins(command.member, member, members, actor)
    return [MemberRemoved()]


def members_of(player: str, members: Members) -> list[str]:
    """The ids of the members who are this player."""
    return [id_ for id_, member in members.items() if member.player == player]


def _known(id_: str, members: Members) -> MemberState:
    member = members.get(id_)
    if member is None or member.standing == "removed":
        raise NotFound("member", "member", id_)
    return member


def _check_new_id(id_: str, members: Members) -> None:
    check_id("member", id_)
    if id_ in members:
        raise AlreadyExists("member", "member", id_)


def _named(id_: str) -> str:
    return say("member {member!r}", member=id_)


def _new_subject(subject: str, members: Members) -> str:
    subject = subject.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT:
        raise InvalidInput("subject", say("a subject has 1 to {most} characters", most=LONGEST_SUBJECT))
    check_readable("subject", subject)
    for id_, member in members.items():
        if member.subject == subject:
            raise AlreadyExists("subject", "member", id_, say("this is their subject"))
    return subject


def _checked(
    roles: Collection[str], player: str | None, state: PlayerState | None, *, is_new_player: bool = True
) -> tuple[str, ...]:
    """The roles of a member, once each. Raises InvalidInput, NotFound, WrongState, Faults."""
    Faults.check(_faults_of_roles(roles, player, state, is_new_player=is_new_player))
    return tuple(dict.fromkeys(roles))


def _faults_of_roles(
    roles: Collection[str], player: str | None, state: PlayerState | None, *, is_new_player: bool
) -> Iterator[Refusal]:
    if not roles:
        yield InvalidInput("roles", say("give at least one role"))
    if player is None and "player" in roles:
        yield InvalidInput("player", say("say which player it is: the role player is about their own matches"))
    if player is not None and is_new_player:
        if state is None or not state.registered:
            yield NotFound("player", "player", player)
        elif state.erased:
            yield PlayerIsErased(
                say("player {player!r}", player=player), say("erased"), say("no member can be that player")
            )


def _check_admins(id_: str, member: MemberState, members: Members, actor: str | None) -> None:
    """Raise WrongState if the last admin among the members would lose the role by their own command.

    An actor who is an admin by other means, such as a token, may remove the last admin: they remain one.
    """
    if "admin" not in member.roles or actor != name_of(id_, member):
        return
    if not any("admin" in other.roles for other_id, other in members.items() if other_id != id_):
        raise LastAdmin(_named(id_), say("the last admin"), say("give somebody else the role admin first"))
