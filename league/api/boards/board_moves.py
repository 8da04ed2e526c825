"""Which boards may have moved, found once for each state of the read side, however many subscribe to it."""

from msgspec import Struct

from league.api.graphql.executing.context import Context
from league.api.graphql.live.watches import Results
from league.api.graphql.shaping.each_change import each_new
from league.projections.queries.moved_boards import Moved, Seen, Which, moved_boards


class Moves(Struct, frozen=True):
    """The moves of all boards since the first client subscribed. A client that skips some states misses no move."""

    position: int
    number: int = 0
    """How many states were read before. A promotion makes a new state of the same position."""
    latest: dict[tuple[Which, str | None], int] = {}
    """The number of the state in which each board may have moved last: that of the whole league, and of each region."""
    errors: None = None

    def then(self, moved: Moved, position: int) -> "Moves":
        """With the moves up to the next state."""
        number = self.number + 1
        boards = {(board, region): number for board, regions in moved.items() for region in (None, *regions)}
        return Moves(position, number, {**self.latest, **boards})

    def since(self, sent: "Moves") -> Moved:
        """The boards that may have moved since an earlier state."""
        found: Moved = {}
        for (board, region), number in self.latest.items():
            if number > sent.number:
                found.setdefault(board, set()).update([] if region is None else [region])
        return found


async def each_move(of: Context) -> Results[Moves]:
    """The moves at each new state of the read side."""
    context = of.of_nobody()
    seen: Seen | None = None
    moves: Moves | None = None
    async for _ in each_new(context, Seen.of):
        now = await context.reader.read(Seen.of)
        if seen is None or moves is None:
            moves = Moves(now.position)
        else:
            moves = moves.then(await context.reader.read(moved_boards, seen), now.position)
        seen = now
        yield context.reader.state, moves
