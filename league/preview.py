"""Commands on matches before they are sent: what they would do to the league."""

from collections.abc import Sequence
from itertools import count

from league.dispatch import Clock, Command, World, decide
from league.domain.match import MatchState, VoidMatch, evolve
from league.domain.refusals import NotFound
from league.event_store import EventStore
from league.projections.preview import Preview, compared


def preview(
    url: str, store: EventStore, clock: Clock, commands: Sequence[Command], player: str | None = None
) -> Preview:
    """What commands on matches would do, each on top of those before it. Nothing is stored.

    `player`: only what they would do to this player and their pairs. Raises Refusal as sending them would.
    """
    positions = count(store.head() + 1)
    world = World(store, clock())
    appends = decide(commands, world)
    foreseen: dict[str, list[int]] = {stream: [] for stream in (append.stream for append in appends)}
    for append in appends:
        foreseen[append.stream] += [next(positions) for _ in append.events]
    states = {
        stream.partition(":")[2]: _state(world, stream, numbers)
        for stream, numbers in foreseen.items()
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
