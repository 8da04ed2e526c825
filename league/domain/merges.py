"""Merged players: one person was registered twice. Their ids stay in the log; everybody reads one of them as the other.

A merge is a statement about two ids, and may be a mistake: another event undoes it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from league.domain.competitor import CompetitorId, competitor_of, players_of
from league.domain.merge_refusals import AlreadyMerged, MergeCircle, NotMerged, PlayedTogether
from league.domain.player import PlayerState, check_registered
from league.domain.refusals import InvalidInput
from league.domain.sentences import say

STREAM = "merges"
"""All merges are on one stream: its version keeps two that would make a circle from both being stored."""

Aliases = Mapping[str, str]
"""By dropped id, the id of the player; an id that is not in it is the player's own."""

# ---------------------------------------------------------------- events


class PlayersMerged(Struct, frozen=True):
    """Two ids are one person: whatever names `drop` is read as `keep`."""

    keep: str
    drop: str


class MergeUndone(Struct, frozen=True):
    """The two are two people after all."""

    keep: str
    drop: str


MergeEvent = PlayersMerged | MergeUndone

# ---------------------------------------------------------------- commands


class MergePlayers(Struct, frozen=True):
    """Read one id as another one."""

    keep: str
    drop: str


class UndoMerge(Struct, frozen=True):
    """Take a merge back; the other merges of the two stay."""

    keep: str
    drop: str


MergeCommand = MergePlayers | UndoMerge

# ---------------------------------------------------------------- state


class Merges(Struct, frozen=True):
    """The merges in force, and which ids were ever merged."""

    into: dict[str, str] = {}
    """By dropped id, the id that it was merged into, which may be dropped itself."""
    ever: frozenset[tuple[str, str]] = frozenset()
    """The two ids of every merge, those that were undone included."""

    def aliases(self) -> Aliases:
        """Each dropped id with the id of its player, chains resolved."""
        return {drop: self._end_of(drop) for drop in self.into}

    def _end_of(self, player: str) -> str:
        while player in self.into:
            player = self.into[player]
        return player

    def ids_of(self, player: str) -> frozenset[str]:
        """All ids of the player who has this one."""
        end = self._end_of(player)
        return frozenset({end, *(drop for drop in self.into if self._end_of(drop) == end)})

    def ever_one_with(self, player: str) -> frozenset[str]:
        """The id, and all that were ever read as the same player, also by a merge that was undone."""
        found, new = {player}, {player}
        while new:
            new = {id_ for merged in self.ever if not new.isdisjoint(merged) for id_ in merged} - found
            found |= new
        return frozenset(found)


def evolve(state: Merges, event: MergeEvent) -> Merges:
    """The merges after an event."""
    match event:
        case PlayersMerged():
            merged = (event.keep, event.drop)
            return replace(state, into={**state.into, event.drop: event.keep}, ever=state.ever | {merged})
        case MergeUndone():
            return replace(state, into={drop: keep for drop, keep in state.into.items() if drop != event.drop})


def aliases_after(events: Iterable[MergeEvent]) -> Aliases:
    """The aliases after all of these events from the first one on."""
    state = Merges()
    for event in events:
        state = evolve(state, event)
    return state.aliases()


def canonical(players: Sequence[str], aliases: Aliases) -> tuple[str, ...]:
    """The ids under which players are read, in the same order."""
    return tuple(aliases.get(player, player) for player in players)


def moved(before: Aliases, after: Aliases) -> frozenset[str]:
    """The ids that are read as another one than before."""
    return frozenset(id_ for id_ in {*before, *after} if before.get(id_, id_) != after.get(id_, id_))


def competitors_ever(competitor: CompetitorId, merges: Merges) -> list[CompetitorId]:
    """Every competitor as which these players may have met others, before or after any merge, in order."""
    ids = [sorted(merges.ever_one_with(player)) for player in players_of(competitor)]
    return sorted({competitor_of(players) for players in product(*ids)})


def faults_of_seats(seats: Sequence[str], aliases: Aliases) -> Iterator[InvalidInput]:
    """Why these cannot sit in one match: two ids of one player. One and the same id is another fault."""
    read = canonical(seats, aliases)
    for seat, player in enumerate(seats):
        other = seats[read.index(read[seat])]
        if other != player:
            yield InvalidInput(
                f"seats.{seat}",
                say("{player!r} and {other!r} are one player, who cannot sit twice", player=player, other=other),
            )


# ---------------------------------------------------------------- decide


class Together(Struct, frozen=True):
    """A match in which both of two players sit, so that they are not one person."""

    match: str
    players: tuple[str, str]
    """The ids with which they sit there."""


def merge_players(
    command: MergePlayers, merges: Merges, players: Mapping[str, PlayerState], together: Together | None
) -> list[MergeEvent]:
    """Merge two ids. `players`: the two; `together`: a match of both that is not voided.

    Raises NotFound, WrongState for an erased player, InvalidInput for one and the same id, MergeCircle, AlreadyMerged,
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
    """The ids of two players who sit in one match, as they are named there; None unless both do."""
    one = next((seat for seat in seats if seat in some), None)
    other = next((seat for seat in seats if seat in others), None)
    return None if one is None or other is None else (one, other)
