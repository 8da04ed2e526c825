"""Players: their names and regions, their erasure, and their merging where one person was registered twice.

The ids of merged players stay in the log; whoever reads it replaces the dropped id by the other one. A merge may be a
mistake, so another event can undo it.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.match_refusals import AlreadyMerged, MergeCircle, NotMerged, PlayedTogether
from league.domain.player_names import name_key
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal
from league.domain.seating import CompetitorId, competitor_of, players_of
from league.domain.sentences import say
from league.domain.texts_and_times import check_readable, is_control, tidied
from league.domain.wrong_states import PlayerIsErased

LONGEST_NAME = 100
"""Limit in characters."""
MOST_REGISTERED = 200
"""Limit on the players that one request registers."""
PARTNERS = re.compile("[/&+]")
"""Characters between partners. In a list, a name that has one is taken for two people."""
RESERVED = frozenset({"ai", "clock", "counter"})
"""Ids that no player can have. The log uses them as actors: AIs, the clock of a table and the counter of photos."""

MERGES_STREAM = "merges"
"""The stream of all merges. Its version prevents two merges that would form a circle from both being stored."""

Aliases = Mapping[str, str]
"""The player's id for each dropped id. An id that is not in it is the player's own."""

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


class PlayersMerged(Struct, frozen=True):
    """Two ids are one person: everything that names `drop` is read as naming `keep`."""

    keep: str
    drop: str


class MergeUndone(Struct, frozen=True):
    """A merge was undone: the two ids are two people."""

    keep: str
    drop: str


MergeEvent = PlayersMerged | MergeUndone

# ---------------------------------------------------------------- commands


class RegisterPlayer(Struct, frozen=True):
    """Add a player under an id of the caller's choice."""

    player: str
    name: str
    region: str | None = None
    is_namesake: bool | UnsetType = UNSET
    """Whether this is another person than everybody who has the name. Left out, names are not compared."""


class NewPlayer(Struct, frozen=True):
    """A player of a list to register."""

    player: str
    name: str
    region: str | None = None
    is_namesake: bool = False
    """Whether this is another person than everybody who already has this name."""


class RegisterPlayers(Struct, frozen=True):
    """Add all players of a list, or none. A name that somebody already has is refused, except for a namesake."""

    players: tuple[NewPlayer, ...]


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


class MergePlayers(Struct, frozen=True):
    """Read the id `drop` as `keep` from now on."""

    keep: str
    drop: str


class UndoMerge(Struct, frozen=True):
    """Undo a merge; other merges of the two ids stay."""

    keep: str
    drop: str


# ---------------------------------------------------------------- state


class PlayerState(Struct, frozen=True):
    """The present state of a player."""

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


class Merges(Struct, frozen=True):
    """The merges in force, and which ids were ever merged."""

    into: dict[str, str] = {}
    """The id that each dropped id was merged into; it may be dropped itself."""
    ever: frozenset[tuple[str, str]] = frozenset()
    """The two ids of every merge, including undone ones."""

    def aliases(self) -> Aliases:
        """Each dropped id with the id of its player, chains resolved."""
        return {drop: self._end_of(drop) for drop in self.into}

    def _end_of(self, player: str) -> str:
        while player in self.into:
            player = self.into[player]
        return player

    def ids_of(self, player: str) -> frozenset[str]:
        """All ids of the player who has this id."""
        end = self._end_of(player)
        return frozenset({end, *(drop for drop in self.into if self._end_of(drop) == end)})

    def ever_one_with(self, player: str) -> frozenset[str]:
        """The id, and all ids that merges ever connected with it, including undone merges."""
        found, new = {player}, {player}
        while new:
            new = {id_ for merged in self.ever if not new.isdisjoint(merged) for id_ in merged} - found
            found |= new
        return frozenset(found)


def evolve_merges(state: Merges, event: MergeEvent) -> Merges:
    """The merges after an event."""
    match event:
        case PlayersMerged():
            merged = (event.keep, event.drop)
            return replace(state, into={**state.into, event.drop: event.keep}, ever=state.ever | {merged})
        case MergeUndone():
            return replace(state, into={drop: keep for drop, keep in state.into.items() if drop != event.drop})


def canonical(players: Sequence[str], aliases: Aliases) -> tuple[str, ...]:
    """The ids in the same order, with each dropped id replaced by its player's id."""
    return tuple(aliases.get(player, player) for player in players)


def moved(before: Aliases, after: Aliases) -> frozenset[str]:
    """The ids that stand for another player than before."""
    return frozenset(id_ for id_ in {*before, *after} if before.get(id_, id_) != after.get(id_, id_))


def competitors_ever(competitor: CompetitorId, merges: Merges) -> list[CompetitorId]:
    """Every id under which this player or pair may have competed, before or after any merge, in order."""
    ids = [sorted(merges.ever_one_with(player)) for player in players_of(competitor)]
    return sorted({competitor_of(players) for players in product(*ids)})


def faults_of_seats(seats: Sequence[str], aliases: Aliases) -> Iterator[InvalidInput]:
    """The seats with a second id of a player who already sits in the match. A repeated id is a different fault."""
    read = canonical(seats, aliases)
    for seat, player in enumerate(seats):
        other = seats[read.index(read[seat])]
        if other != player:
            yield InvalidInput(
                f"seats.{seat}",
                say("{player!r} and {other!r} are one player, who cannot sit twice", player=player, other=other),
            )


# ---------------------------------------------------------------- decide


def register_player(command: RegisterPlayer, state: PlayerState) -> list[PlayerEvent]:
    """Register a player. Raises InvalidInput, and AlreadyExists with both names where the id is taken."""
    taken = [AlreadyExists("player", "player", command.player, _difference(command, state))] if state.registered else []
    Faults.check([*taken, *faults_of_registration(command)])
    return [PlayerRegistered(read_name(command.name), read_region(command.region))]


def register_players(
    command: RegisterPlayers, states: Mapping[str, PlayerState], called: Collection[str]
) -> dict[str, list[PlayerEvent]]:
    """The events of each player of a list, by id.

    `states`: their states before; `called`: the keys of the names of all players (`name_key`). Raises InvalidInput and
    AlreadyExists with the place in the list, Faults for several.
    """
    if not 1 <= len(command.players) <= MOST_REGISTERED:
        raise InvalidInput("players", say("a list has 1 to {most} players", most=MOST_REGISTERED))
    events: dict[str, list[PlayerEvent]] = {}
    keys, faults = {*called}, list[Refusal]()
    for number, new in enumerate(command.players):
        registering = RegisterPlayer(new.player, new.name, new.region)
        state = PlayerState(registered=True, name=new.name) if new.player in events else states[new.player]
        checks = (partial(register_player, registering, state), partial(check_namesake, new, keys))
        found = list(Faults.found_by(*checks))
        for fault in found:
            fault.at = f"players.{number}.{fault.field}"  # type: ignore[attr-defined]  # these refusals have it
        faults += found
        events.setdefault(new.player, [PlayerRegistered(tidied(new.name), tidied(new.region or "") or None)])
        keys.add(name_key(new.name))
    Faults.check(faults)
    return events


def check_namesake(new: NewPlayer, called: Collection[str]) -> None:
    """Raise InvalidInput for a name of a list that two people have, or that another player has already."""
    if PARTNERS.search(new.name):
        raise InvalidInput("name", TWO_PEOPLE)
    if not new.is_namesake:
        check_is_new(new.name, called, "name")


def check_is_new(name: str, called: Collection[str], at: str) -> None:
    """Raise InvalidInput at a field if a player has this name. `called`: the keys of all names (`name_key`)."""
    if name_key(name) in called:
        raise InvalidInput(
            at, say("{name} is registered already; say whether this is another person", name=tidied(name))
        )


TWO_PEOPLE = say("this looks like two people: a line has one name")


def faults_of_registration(command: RegisterPlayer) -> Iterator[Refusal]:
    """The faults of the command itself, regardless of the league's state."""
    return Faults.found_by(
        partial(_check_new_id, command.player), partial(read_name, command.name), partial(read_region, command.region)
    )


def rename_player(command: RenamePlayer, state: PlayerState) -> list[PlayerEvent]:
    """Rename a player. Raises NotFound, WrongState, and InvalidInput also when the name is the same."""
    _known(command.player, state)
    name = read_name(command.name)
    if name == state.name:
        raise InvalidInput("name", say("this is the player's name already"))
    return [PlayerRenamed(name)]


def move_player(command: MovePlayer, state: PlayerState) -> list[PlayerEvent]:
    """Move a player to another region. Raises NotFound, WrongState, and InvalidInput also when it is the same."""
    _known(command.player, state)
    region = read_region(command.region)
    if region == state.region:
        raise InvalidInput("region", say("this is the player's region already"))
    return [PlayerMoved(region)]


def erase_player(command: ErasePlayer, state: PlayerState) -> list[PlayerEvent]:
    """Erase a player. Raises NotFound, WrongState."""
    _known(command.player, state)
    return [PlayerErased()]


def can_be_seated(seat: int, player: str, state: PlayerState) -> bool:
    """Whether the league knows the player of a seat. Raises WrongState for an erased player, who plays no new match."""
    _not_erased(player, state, f"seats.{seat}")
    return state.registered


def check_registered(at: str, player: str, state: PlayerState) -> None:
    """Raise NotFound for a player whom the league does not know, WrongState for an erased one."""
    if not state.registered:
        raise NotFound(at, "player", player)
    _not_erased(player, state, at)


def pseudonym(player: str) -> str:
    """The name shown for an erased player. It depends only on the id, so it never changes."""
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
    """Raise InvalidInput unless `value` can be an id of a player, match or season.

    An id has 1 to 64 characters without spaces, `+`, `:` or control characters. `+` joins the two ids of a team, `:`
    a stream's kind and id.
    """
    for fault in faults_of_id(at, value):
        raise fault


def faults_of_id(at: str, value: str) -> Iterator[InvalidInput]:
    """The fault of a text that cannot be an id."""
    if not is_id(value):
        yield InvalidInput(
            at, say("{value!r} is not an id: an id has 1 to 64 characters, without spaces, ':' and '+'", value=value)
        )


def is_id(value: str) -> bool:
    """Whether a text can be an id."""
    return re.fullmatch(r"[^\s:+]{1,64}", value) is not None and not any(map(is_control, value))


def is_name_of_stream(stream: str) -> bool:
    """Whether every part of a stream's name can be an id. Some other texts PostgreSQL cannot even look up."""
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


def read_name(given: str) -> str:
    """The name of a player or a season as the log stores it. Raises InvalidInput."""
    check_readable("name", given.strip())
    name = tidied(given)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidInput("name", say("a name has 1 to {longest_name} characters", longest_name=LONGEST_NAME))
    return name


def read_region(given: str | None) -> str | None:
    """The region of a player as the log stores it. Raises InvalidInput."""
    check_readable("region", (given or "").strip())
    region = tidied(given or "") or None
    if region and len(region) > LONGEST_NAME:
        raise InvalidInput("region", say("a region has at most {longest_name} characters", longest_name=LONGEST_NAME))
    return region


class SharedMatch(Struct, frozen=True):
    """A match in which two players both sit, so that they are not one person."""

    match: str
    players: tuple[str, str]
    """The ids that sit there, of the one player and of the other."""


def merge_players(
    command: MergePlayers, merges: Merges, players: Mapping[str, PlayerState], together: SharedMatch | None
) -> list[MergeEvent]:
    """Merge two ids. `players`: the states of both; `together`: a match that seats both and is not voided.

    Raises NotFound, WrongState for an erased player, InvalidInput if the ids are equal, MergeCircle, AlreadyMerged,
    PlayedTogether.
    """
    keep, drop = command.keep, command.drop
    for at, player in (("keep", keep), ("drop", drop)):
        check_registered(at, player, players[player])
    if keep == drop:
        raise InvalidInput("drop", say("{player!r} cannot be merged with itself", player=drop))
    if drop in merges.ids_of(keep) and drop not in merges.into:
        raise MergeCircle(keep, drop)
    for at, player in (("drop", drop), ("keep", keep)):
        if player in merges.into:
            raise AlreadyMerged(at, player, merges.into[player])
    if together is not None:
        raise PlayedTogether(together.match, together.players)
    return [PlayersMerged(keep, drop)]


def undo_merge(command: UndoMerge, merges: Merges) -> list[MergeEvent]:
    """Take a merge back. Raises NotMerged."""
    if merges.into.get(command.drop) != command.keep:
        raise NotMerged(command.keep, command.drop, merges.into.get(command.drop))
    return [MergeUndone(command.keep, command.drop)]


def seats_of_both(seats: Sequence[str], some: frozenset[str], others: frozenset[str]) -> tuple[str, str] | None:
    """The seated ids of two players, of whom each has some ids; None unless both sit in the match."""
    one = next((seat for seat in seats if seat in some), None)
    other = next((seat for seat in seats if seat in others), None)
    return None if one is None or other is None else (one, other)
