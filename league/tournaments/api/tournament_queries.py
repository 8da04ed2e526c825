"""Tournaments: what is asked for, and what is told as it changes."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import strawberry
from msgspec import Struct
from strawberry import field, subscription

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.request_errors import UnknownId
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.known_ids import known_player
from league.api.graphql.shaping.reading_rights import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.relay import Connection, Made, connection_of, paged
from league.api.graphql.threads import in_thread
from league.projections.queries.pages import PageOf, count, read_page
from league.projections.queries.snapshot import Snapshot
from league.tournaments.api.plans import TournamentStatus
from league.tournaments.api.rounds import TournamentBye, WouldBeTable
from league.tournaments.api.tournaments import Tournament, TournamentId, tournament
from league.tournaments.drawing import preview_round
from league.tournaments.seen import (
    NEWEST_FIRST,
    ListedTournament,
    SeenTournament,
    TournamentFilter,
    listed,
    tournaments_by_id,
)
from league.wording.language import _


@strawberry.input(description="Which tournaments to list; null matches any.")
class TournamentFilterInput:
    status: list[TournamentStatus] | None = field(default=None, description="Tournaments in one of these states.")
    player: strawberry.ID | None = field(
        default=None, description="That this player has entered: global id, or the league's."
    )

    async def read(self, info: Info) -> TournamentFilter:
        """The filter of the read side. Raises UnknownId."""
        return TournamentFilter(
            None if self.status is None else tuple(status.value for status in self.status),
            None if self.player is None else await known_player(info, self.player, "filter.player"),
        )


class Found(Struct, frozen=True):
    """Tournaments that can be paged."""

    wanted: TournamentFilter

    async def page(self, info: Info, page: PageOf, node: Made) -> Connection[Tournament]:
        """A page of them. Raises BadCursor."""
        reader, rows = info.context.reader, listed(self.wanted)
        found = await reader.read(lambda s: read_page(s.conn, ListedTournament, rows, NEWEST_FIRST, page))
        ids = [row.tournament_id for row in found.rows]
        await reader.load_all(tournaments_by_id, ids)
        known = reader.known(tournaments_by_id)

        async def total() -> int:
            return await reader.read(lambda s: count(s.conn, rows))

        return connection_of(found, [known[id_] for id_ in ids], node, total)


@strawberry.type(description="The first round that a tournament would have if it were drawn now.")
class TournamentPreview:
    seed: str = field(description="The seed of the preview. The real one follows from the log, and is another one.")
    tables: list[WouldBeTable] = field(description="The tables.")
    byes: list[TournamentBye] = field(description="Who sits out.")


Wanted = Annotated[
    TournamentFilterInput | None, strawberry.argument(description="Which tournaments; null: all.", name="filter")
]


@strawberry.type
class TournamentQueries:
    @field_of(Tournament | None, "A tournament; null when the league does not know it.")
    async def tournament(self, info: Info, id: TournamentId) -> SeenTournament | None:  # noqa: A002  # the argument's name in the schema
        return await tournament(info, local_id("Tournament", id))

    @paged(Connection[Tournament], "The tournaments, those that were planned last first.")
    async def tournaments(self, info: Info, wanted: Wanted = None) -> Found:
        return Found(TournamentFilter() if wanted is None else await wanted.read(info))

    @field(
        description="The next round of a tournament as it could come out, for those who are there now. Nothing is "
        "stored, and the real drawing will give other tables. Null where too few are there. Roles: those who may draw "
        "rounds; " + REFUSED_TO_OTHERS
    )
    async def preview_round(self, info: Info, id: TournamentId) -> TournamentPreview | None:  # noqa: A002  # the argument's name in the schema
        check_may_read(info.context.viewer, "drawRound")
        return await in_thread(_preview, info.context, local_id("Tournament", id))


def _preview(context: Context, id_: str) -> TournamentPreview | None:
    """Blocks."""
    found = preview_round(context.league, id_)
    if found is None:
        return None
    seed, paired = found
    again = {id_ for one in paired.relaxed for id_ in one.ids}
    return TournamentPreview(
        seed=seed,
        tables=[WouldBeTable.of(table) for table in paired.tables],
        byes=[TournamentBye(competitor_id=id_, again=id_ in again) for id_ in paired.byes],
    )


@strawberry.type
class TournamentSubscriptions:
    @subscription(
        description="A tournament as it is, then after each change of it and of a result at its tables. It completes "
        "when the tournament has ended. An error with the code UNKNOWN_ID for an unknown tournament."
    )
    async def tournament_changed(
        self,
        info: Info,
        id: TournamentId,  # noqa: A002  # the argument's name in the schema
    ) -> AsyncGenerator[Tournament, None]:
        local = local_id("Tournament", id)

        def look(snapshot: Snapshot) -> Any:
            return tournaments_by_id(snapshot, [local]).get(local)

        async for _state in each_change(info, look):
            seen = await info.context.reader.read(look)
            if seen is None:
                raise UnknownId(_("`id`: the league has no tournament {id!r}.", id=id), argument="id")
            yield Tournament.of(seen)
            if seen.state.ended:
                return
