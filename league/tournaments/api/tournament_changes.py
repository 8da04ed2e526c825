"""Live updates of tournaments: of one, or which ones may have changed.

Either is found once for each state of the read side, however many subscribe.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

import strawberry
from msgspec import Struct
from strawberry import field, subscription

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import BigInt
from league.api.graphql.live.watches import Results
from league.api.graphql.request_errors import UnknownId
from league.api.graphql.shaping.each_change import each_change, each_new, session_to_watch, shared
from league.api.graphql.shaping.relay import local_id
from league.domain.sentences import say
from league.projections.queries.snapshot import Snapshot
from league.tournaments.api.tournaments import Tournament, TournamentId, tournament
from league.tournaments.explained_rounds import explained_drawings
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import all_tournaments, changed_since, tournaments_by_id


class ReachedState(Struct, frozen=True):
    """How far the read side has come, and in which run."""

    run: int
    position: int

    @classmethod
    def of(cls, snapshot: Snapshot) -> "ReachedState":
        """The state that a snapshot shows."""
        return cls(snapshot.run, snapshot.position)


class ChangesSoFar(Struct, frozen=True):
    """The changes of all tournaments since the first client subscribed. A client that skips states misses none."""

    position: int
    number: int = 0
    """Number of states that were read before. A promotion makes a new state at the same position."""
    latest: dict[str, int] = {}
    """Number of the state in which each tournament may have changed last."""
    errors: None = None

    def then(self, changed: list[str], position: int) -> "ChangesSoFar":
        """These changes, with those up to the next state added."""
        number = self.number + 1
        return ChangesSoFar(position, number, {**self.latest, **dict.fromkeys(changed, number)})

    def since(self, sent: "ChangesSoFar") -> list[str]:
        """The tournaments that may have changed since an earlier state, in the order of their ids."""
        return sorted(id_ for id_, number in self.latest.items() if number > sent.number)


async def _each_state(of: Context) -> Results[ChangesSoFar]:
    """The changes at each new state of the read side."""
    context = of.of_nobody()
    seen: ReachedState | None = None
    changes: ChangesSoFar | None = None
    async for _ in each_new(context, ReachedState.of):
        now = await context.reader.read(ReachedState.of)
        if seen is None or changes is None:
            changes = ChangesSoFar(now.position)
        elif now.run != seen.run:
            changes = changes.then(await context.reader.read(all_tournaments), now.position)
        else:
            changes = changes.then(await context.reader.read(changed_since, seen.position), now.position)
        seen = now
        yield context.reader.state, changes


@strawberry.type(description="The tournaments that may have changed between two positions of the log.")
class TournamentsChanged:
    since: BigInt = field(description="The position of the previous message; in the first message its own position.")
    position: BigInt = field(description="The position up to which tournaments can be read now.")
    tournament_ids: list[str] = field(description="Their ids in the league; none in the first message.")


@strawberry.type
class TournamentSubscriptions:
    @subscription(
        description="A tournament as it is now, and again after each change of it or of a result at its tables, and "
        "when `why` of a round is there. If all fields that you select are cacheable, it is sent after every change of "
        "those fields, and only then. An error with the code UNKNOWN_ID for an unknown tournament."
    )
    @shared
    async def tournament_changed(
        self,
        info: Info,
        id: TournamentId,  # noqa: A002  # the argument's name in the schema
    ) -> AsyncGenerator[Tournament, None]:
        local = local_id("Tournament", id)

        def look(snapshot: Snapshot) -> tuple[SeenTournament | None, list[tuple[int, int]]]:
            return tournaments_by_id(snapshot, [local]).get(local), explained_drawings(snapshot, local)

        async for _state in each_change(info, look):
            found = await tournament(info, local)
            if found is None:
                raise UnknownId(say("`id`: the league has no tournament {id!r}.", id=id), argument="id")
            yield Tournament.of(found)

    @subscription(
        description="Which tournaments may have changed, or results at their tables. The first message names none and "
        "gives the starting position; then each change sends one. A named tournament may be unchanged. After a "
        "reconnect, read what you show again if the first position is not the last one that you received."
    )
    async def tournaments_changed(self, info: Info) -> AsyncGenerator[TournamentsChanged, None]:
        context = info.context
        sent: ChangesSoFar | None = None
        with context.open_sessions.opened(session_to_watch(context)) as ended:
            watch = context.watches.of("the changes of tournaments", partial(_each_state, context))
            async with aclosing(watch.follow(ended)) as newest:
                async for changes in newest:
                    changed = [] if sent is None else changes.since(sent)
                    if sent is None or changed:
                        yield TournamentsChanged(
                            since=BigInt((sent or changes).position),
                            position=BigInt(changes.position),
                            tournament_ids=changed,
                        )
                        sent = changes
