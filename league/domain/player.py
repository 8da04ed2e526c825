"""Players: their names and regions, and their erasure."""

import hashlib
import re
from collections.abc import Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.readable_text import check_readable, is_control, tidied
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal
from league.domain.sentences import say
from league.domain.wrong_states import PlayerIsErased

LONGEST_NAME = 100
"""Characters."""
RESERVED = frozenset({"ai", "clock", "counter"})
"""No ids of players: the log has them as actors, where an AI, the clock of a table or the counter of photos acted."""

# ---------------------------------------------------------------- events


class PlayerRegistered(Struct, frozen=True):
    """A player joined. The name is personal: it is sealed in the log."""

    name: str | None
    """None once the player has been erased."""
    region: str | None


class PlayerRenamed(Struct, frozen=True):
    """A player has a new name. The name is personal."""

    name: str | None


class PlayerMoved(Struct, frozen=True):
    """A player plays in another region."""

    region: str | None


class PlayerErased(Struct, frozen=True):
    """A player is erased: the key of their names is destroyed. Their matches stay, under the id."""


PlayerEvent = PlayerRegistered | PlayerRenamed | PlayerMoved | PlayerErased

# ---------------------------------------------------------------- commands


class RegisterPlayer(Struct, frozen=True):
    """Add a player under an id of the caller's choice."""

    player: str
    name: str
    region: str | None = None


class RenamePlayer(Struct, frozen=True):
    """Change a player's name."""

    player: str
    name: str


class MovePlayer(Struct, frozen=True):
    """Change a player's region."""

    player: str
    region: str | None


class ErasePlayer(Struct, frozen=True):
    """Erase a player's name for good."""

    player: str


# ---------------------------------------------------------------- state


class PlayerState(Struct, frozen=True):
    """A player as they are now."""

    registered: bool = False
    name: str | None = None
    region: str | None = None
    erased: bool = False


def evolve(state: PlayerState, event: PlayerEvent) -> PlayerState:
    """The state after an event."""
    match event:
        case PlayerRegistered():
            return PlayerState(True, event.name, event.region)
        case PlayerRenamed():
            return replace(state, name=event.name)
        case PlayerMoved():
            return replace(state, region=event.region)
        case PlayerErased():
            return replace(state, name=None, erased=True)


# ---------------------------------------------------------------- decide


def register_player(command: RegisterPlayer, state: PlayerState) -> list[PlayerEvent]:
    """Register a player. Raises InvalidInput, and AlreadyExists with both names where the id is taken."""
    taken = [AlreadyExists("player", "player", command.player, _difference(command, state))] if state.registered else []
    Faults.check([*taken, *faults_of_registration(command)])
    return [PlayerRegistered(_name(command.name), _region(command.region))]


def faults_of_registration(command: RegisterPlayer) -> Iterator[Refusal]:
    """What is impossible in the command whatever the league knows."""
    return Faults.found_by(
        partial(_check_new_id, command.player), partial(_name, command.name), partial(_region, command.region)
    )


def rename_player(command: RenamePlayer, state: PlayerState) -> list[PlayerEvent]:
    """Rename a player. Raises NotFound, WrongState, and InvalidInput also when the name is the same."""
    _known(command.player, state)
    name = _name(command.name)
    if name == state.name:
        raise InvalidInput("name", say("this is the player's name already"))
    return [PlayerRenamed(name)]


def move_player(command: MovePlayer, state: PlayerState) -> list[PlayerEvent]:
    """Move a player to another region. Raises NotFound, WrongState, and InvalidInput also when it is the same."""
    _known(command.player, state)
    region = _region(command.region)
    if region == state.region:
        raise InvalidInput("region", say("this is the player's region already"))
    return [PlayerMoved(region)]


def erase_player(command: ErasePlayer, state: PlayerState) -> list[PlayerEvent]:
    """Erase a player. Raises NotFound, WrongState."""
    _known(command.player, state)
    return [PlayerErased()]


def can_be_seated(seat: int, player: str, state: PlayerState) -> bool:
    """Whether the league knows the player of a seat. Raises WrongState for an erased one, who plays no new match."""
    _not_erased(player, state, f"seats.{seat}")
    return state.registered


def check_registered(at: str, player: str, state: PlayerState) -> None:
    """Raise NotFound for a player whom the league does not know, WrongState for an erased one."""
    if not state.registered:
        raise NotFound(at, "player", player)
    _not_erased(player, state, at)


def pseudonym(player: str) -> str:
    """The name shown for an erased player, always the same: it is made from the id alone."""
    return f"Player {hashlib.sha256(player.encode()).hexdigest()[:8].upper()}"


def displayed(player: str, name: str | None) -> str:
    """The name to show: the player's, or the pseudonym of an erased player."""
    return name or pseudonym(player)


def _check_new_id(player: str) -> None:
    check_id("player", player)
    if player in RESERVED:
        raise InvalidInput(
            "player", say("{player!r} is reserved: the log names the actor of the server's own moves so", player=player)
        )


def check_id(at: str, value: str) -> None:
    """Ids of players, matches and seasons: 1 to 64 characters without space, `+`, `:` or control characters.

    `+` joins the two ids of a team, `:` a stream's kind and id. Raises InvalidInput.
    """
    for fault in faults_of_id(at, value):
        raise fault


def faults_of_id(at: str, value: str) -> Iterator[InvalidInput]:
    """Why a text cannot be an id."""
    if not is_id(value):
        yield InvalidInput(
            at, say("{value!r} is not an id: an id has 1 to 64 characters, without spaces, ':' and '+'", value=value)
        )


def is_id(value: str) -> bool:
    """Whether this can be an id at all."""
    return re.fullmatch(r"[^\s:+]{1,64}", value) is not None and not any(map(is_control, value))


def is_name_of_stream(stream: str) -> bool:
    """Whether every part of a stream's name is a possible id; PostgreSQL cannot even look up some other texts."""
    return all(is_id(part) for part in re.split("[:+]", stream))


def _known(player: str, state: PlayerState) -> None:
    if not state.registered:
        raise NotFound("player", "player", player)
    _not_erased(player, state)


def _not_erased(player: str, state: PlayerState, at: str | None = None) -> None:
    if state.erased:
        reason = say("their matches stay, and nothing about them can be changed")
        raise PlayerIsErased(say("player {player!r}", player=player), say("erased"), reason, at)


def _difference(command: RegisterPlayer, state: PlayerState) -> str:
    if state.erased:
        return say("the player was erased, and the id is not used again")
    return (
        ""
        if state.name == tidied(command.name)
        else say("it is {name!r}, not {name_2!r}", name=state.name, name_2=command.name)
    )


def _name(given: str) -> str:
    check_readable("name", given.strip())
    name = tidied(given)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidInput("name", say("a name has 1 to {longest_name} characters", longest_name=LONGEST_NAME))
    return name


def _region(given: str | None) -> str | None:
    check_readable("region", (given or "").strip())
    region = tidied(given or "") or None
    if region and len(region) > LONGEST_NAME:
        raise InvalidInput("region", say("a region has at most {longest_name} characters", longest_name=LONGEST_NAME))
    return region
