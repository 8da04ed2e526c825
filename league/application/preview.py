"""Commands on matches before they are sent: what they would do to the league."""

from collections.abc import Sequence
from itertools import count

from league.application.dispatch import Clock, Command, decide
from league.application.world import World
from league.domain.match import MatchState, VoidMatch, evolve
from league.domain.refusals import NotFound
from league.eventlog.store import Append, EventStore
from league.projections.replays.preview import Preview, compared


def preview(
    url: str, store: EventStore, clock: Clock, commands: Sequence[Command], player: str | None = None
) -> Preview:
    """What commands on matches would do, each on top of those before it. Nothing is stored.

    `player`: only what they would do to this player and their pairs. Raises Refusal as sending them would.
    """
    world = World(store, clock())
    return foreseen(url, store, world, decide(commands, world), player)


def foreseen(
    url: str, store: EventStore, world: World, appends: Sequence[Append], player: str | None = None
) -> Preview:
    """What appends would do to the league that the world, which has foreseen them, is a picture of."""
    positions = count(store.head() + 1)
    numbers: dict[str, list[int]] = {append.stream: [] for append in appends}
    for append in appends:
        numbers[append.stream] += [next(positions) for _ in append.events]
    states = {
        stream.partition(":")[2]: _state(world, stream, positions_of_it)
        for stream, positions_of_it in numbers.items()
        if stream.startswith("match:")
    }
    return compared(url, states, player)


def preview_without(url: str, store: EventStore, clock: Clock, match: str, player: str) -> Preview:
    """What would be different for a player and their pairs if a match had not been. Nothing is stored.

    Raises NotFound, WrongState for a match that is voided already.
    """
    if not World(store, clock()).player(player).registered:
        raise NotFound("player", "player", player)
    return preview(url, store, clock, [VoidMatch(match, "if it had not been")], player)


def _state(world: World, stream: str, positions: Sequence[int]) -> MatchState:
    """A match after what was foreseen, whose events will have these positions."""
    ahead = iter(positions)
    state = MatchState()
    for stored in world.events(stream):
        position = stored.position or next(ahead)
        state = evolve(state, stored.event, stored.played_at or stored.recorded_at, position)
    return state
