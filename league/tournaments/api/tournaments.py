"""The GraphQL type of a tournament, and the queries and the subscription about tournaments."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Annotated, Any, Self

import strawberry
from msgspec import Struct
from strawberry import field, subscription

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import argument, optional
from league.api.graphql.request_errors import RequestError, UnknownId
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read, known_player
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import Connection, Made, Node, connection_of, local_id, paged
from league.api.graphql.shaping.shared_fields import competitor_field
from league.api.graphql.threads import in_thread
from league.api.schema_part import FieldPart
from league.domain.sentences import say
from league.projections.queries.pages import PageRequest, count, read_page
from league.projections.queries.snapshot import Snapshot
from league.tournaments.api.plans import (
    ProvisionalPlace,
    TieBreakName,
    TournamentPlace,
    TournamentPlan,
    TournamentStatus,
    standing_of,
)
from league.tournaments.api.rounds import TournamentBye, TournamentRound, TournamentTable, WouldBeTable
from league.tournaments.domain.plan import faults_of_tie_breaks
from league.tournaments.domain.schedule import rounds_of
from league.tournaments.domain.state import CompetitorEntry, TournamentState
from league.tournaments.drawing import preview_round
from league.tournaments.tournament_queries import (
    NEWEST_FIRST,
    ListedTournament,
    SeenTournament,
    TournamentFilter,
    TournamentTableOfMatch,
    listed,
    tables_by_match,
    tournaments_by_id,
)
from league.wording.language import spoken

TournamentId = Annotated[strawberry.ID, argument("Global id, or the id in the league.")]
TieBreaks = Annotated[
    list[TieBreakName] | None,
    argument(
        "Another order of tie-breaks, for this answer only; null: the order of the plan. An error with the code "
        "BAD_REQUEST if it names one twice, or if it names `DIRECT` while partners rotate."
    ),
]
RoundNumber = Annotated[int, argument("The number of the round, from 1.")]
OfPlayer = Annotated[strawberry.ID, argument("A player: global id, or the league's.")]


@strawberry.type(description="A competitor of a tournament: a player, or a pair.")
class TournamentEntry:
    competitor_id: str = field(description="The id in the league: a player's id, or `a+b` for a pair.")
    player_ids: list[str] = field(description="The ids of its players.")
    entered_at: datetime = field(description="When they entered.")
    checked_in: bool = field(description="Whether they have said that they are there.")
    withdrawn_at: datetime | None = field(description="When they withdrew; null if they take part.")
    region: str | None = field(description="Their region when they entered; null if unknown, or if a pair has two.")
    fixed_table: int | None = field(description="The number of the table that they keep in every round; null: none.")
    replaces: str | None = field(description="The id of the competitor whose place they took; null: nobody's.")
    requested_byes: list[int] = field(
        description="The numbers of the rounds for which they asked for a bye (`requestBye`), in ascending order."
    )
    commitment: str | None = field(
        description="The commitment of their device to the next drawing (`commitToDrawing`); null: none."
    )

    competitor = competitor_field("The player, or the pair.")

    @classmethod
    def of(cls, state: TournamentState, entry: CompetitorEntry) -> Self:
        """Make the type from an entry of the domain."""
        promise = state.promise(entry.id)
        commitment = None if promise is None else promise.commitment
        return made_of(cls, entry, competitor_id=entry.id, player_ids=list(entry.players), commitment=commitment)


@strawberry.type(description="A table at which a player sits.")
class TableOfPlayer:
    round: int = field(description="The number of the round.")
    side: int = field(description="The player's side.")
    table: TournamentTable = field(description="The table.")


@strawberry.type(description="A tournament: rounds of tables. Each table is one ordinary match.")
class Tournament(FromRow, Node, key="id", tournament_id="id"):
    tournament_id: str = field(description="The id in the league.")
    name: str = field(description="Its name.")
    status: TournamentStatus = field(description="How far it has come.")
    planned_at: datetime = field(description="When it was planned.")
    plan: TournamentPlan = field(description="What was decided before its first round.")
    rounds_in_all: int = field(description="The total number of rounds, as far as it is known now.")
    seen: strawberry.Private[SeenTournament]

    @field(
        description="Whether its drawings ask devices for promised bytes. They do if the league has a signing key, "
        "because devices give their bytes only for a signed root."
    )
    def asks_devices(self, info: Info) -> bool:
        return info.context.league.key is not None

    @field(description="All competitors in the order of their entries, including those who withdrew.")
    def entries(self) -> list[TournamentEntry]:
        found = sorted(self.seen.state.entries.values(), key=lambda entry: (entry.entered_at, entry.id))
        return [TournamentEntry.of(self.seen.state, entry) for entry in found]

    @field(description="Its rounds so far.")
    def rounds(self) -> list[TournamentRound]:
        return [TournamentRound.of(self.seen, of) for of in self.seen.state.rounds]

    @field(description="The latest round that was drawn; null before the first drawing.")
    def last_round(self) -> TournamentRound | None:
        rounds = self.seen.state.rounds
        return TournamentRound.of(self.seen, rounds[-1]) if rounds else None

    @field(description="A round by its number; null if it is not drawn yet.")
    def round(self, number: RoundNumber) -> TournamentRound | None:
        of = self.seen.state.round(number)
        return None if of is None else TournamentRound.of(self.seen, of)

    @field(description="The standing. Pending results count provisionally.")
    def standing(self, tie_breaks: TieBreaks = None) -> list[TournamentPlace]:
        if tie_breaks is None:
            return standing_of(self.seen, None)
        names = [name.value for name in tie_breaks]
        for fault in faults_of_tie_breaks("tieBreaks", names, self.seen.state.known_plan.format):
            raise RequestError(fault.line(spoken), argument="tieBreaks")
        return standing_of(self.seen, names)

    @field(
        description="The standing if each open match ended now: the leading side has won, and a level match counts "
        "nothing. It moves with every hand, and decides nothing. Null if no open match has a leading side; a match "
        "without points has none."
    )
    def provisional_standing(self) -> list[ProvisionalPlace] | None:
        places = self.seen.provisional_standing()
        return None if places is None else [ProvisionalPlace.of(place) for place in places]

    @field(description="The tables of a player in the published rounds, the latest round first.")
    def tables_of(self, player: OfPlayer) -> list[TableOfPlayer]:
        id_, state = local_id("Player", player), self.seen.state
        theirs = {entry.id for entry in state.entries.values() if id_ in entry.players}
        return [
            TableOfPlayer(round=of.number, side=side, table=TournamentTable.of(self.seen, of, table))
            for of in reversed(state.published)
            for table in of.tables
            for side in (0, 1)
            if theirs & set(table.sides[side])
        ]

    @classmethod
    def of(cls, seen: SeenTournament) -> Self:
        """Make the type from a tournament of the read side."""
        state = seen.state
        return made_of(
            cls,
            state,
            name=state.known_plan.name,
            planned_at=seen.planned_at,
            rounds_in_all=rounds_of(state),
            seen=seen,
        )


async def tournament(info: Info, id_: str) -> SeenTournament | None:
    """A tournament by its id in the league; None for an unknown id."""
    return await info.context.reader.load(tournaments_by_id, id_)


@strawberry.type(description="The tournament, round and table of a match.")
class TournamentMatch(FromRow):
    tournament_id: str = field(description="The id of the tournament in the league.")
    round: int = field(description="The number of the round.")
    table: int = field(description="The number of the table.")

    @field_of(Tournament | None, "The tournament.")
    async def tournament(self, info: Info) -> SeenTournament | None:
        return await tournament(info, self.tournament_id)


@strawberry.type
class TournamentOfMatch:
    match_id: strawberry.Private[str]

    @field_of(
        TournamentMatch | None,
        "The tournament and the table of this match; null if it belongs to no tournament.",
    )
    async def tournament(self, info: Info) -> TournamentTableOfMatch | None:
        return await info.context.reader.load(tables_by_match, self.match_id)


FIELDS = FieldPart(match=TournamentOfMatch)


# ---------------------------------------------------------------- queries and subscriptions


@strawberry.input(description="Which tournaments to list; null matches any.")
class TournamentFilterInput:
    status: list[TournamentStatus] | None = optional("Tournaments in one of these states.")
    player: strawberry.ID | None = optional("Tournaments that this player has entered: global id, or the league's.")

    async def read(self, info: Info) -> TournamentFilter:
        """The filter of the read side. Raises UnknownId."""
        return TournamentFilter(
            None if self.status is None else tuple(status.value for status in self.status),
            None if self.player is None else await known_player(info, self.player, "filter.player"),
        )


class TournamentFound(Struct, frozen=True):
    """The tournaments that a query found, to be paged."""

    wanted: TournamentFilter

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Tournament]:
        """A page of them. Raises BadCursor."""
        reader, rows = info.context.reader, listed(self.wanted)
        found = await reader.read(lambda s: read_page(s.conn, ListedTournament, rows, NEWEST_FIRST, page))
        ids = [row.tournament_id for row in found.rows]
        await reader.load_all(tournaments_by_id, ids)
        known = reader.known(tournaments_by_id)

        async def total() -> int:
            return await reader.read(lambda s: count(s.conn, rows))

        return connection_of(found, [known[id_] for id_ in ids], node, total)


@strawberry.type(description="The next round that a tournament would have if it were drawn now.")
class TournamentPreview:
    seed: str = field(description="The seed of the preview. The real seed follows from the log, and will be different.")
    tables: list[WouldBeTable] = field(description="The tables.")
    byes: list[TournamentBye] = field(description="Who sits out.")


Wanted = Annotated[TournamentFilterInput | None, argument("Which tournaments; null: all.", name="filter")]


@strawberry.type
class TournamentQueries:
    @field_of(Tournament | None, "A tournament; null if the league does not know it.")
    async def tournament(self, info: Info, id: TournamentId) -> SeenTournament | None:  # noqa: A002  # the argument's name in the schema
        return await tournament(info, local_id("Tournament", id))

    @paged(Connection[Tournament], "The tournaments, the most recently planned first.")
    async def tournaments(self, info: Info, wanted: Wanted = None) -> TournamentFound:
        return TournamentFound(TournamentFilter() if wanted is None else await wanted.read(info))

    @field(
        description="The next round of a tournament as it could come out, for the competitors who are available now. "
        "Nothing is stored, and the real drawing will give other tables. Null if no round can be drawn, for example "
        "because too few competitors are available, and with more than 256 of them. Roles: those who may draw rounds; "
        + REFUSED_TO_OTHERS
    )
    async def preview_round(self, info: Info, id: TournamentId) -> TournamentPreview | None:  # noqa: A002  # the argument's name in the schema
        check_may_read(info.context.viewer, "drawRound")
        return await in_thread(_preview, info.context, local_id("Tournament", id))


def _preview(context: Context, id_: str) -> TournamentPreview | None:
    """Preview the next round; None if no round can be drawn. Blocks."""
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
        description="The tournament as it is now, and again after each change of it or of a result at its tables. The "
        "subscription completes when the tournament has ended. An error with the code UNKNOWN_ID for an unknown "
        "tournament."
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
                raise UnknownId(say("`id`: the league has no tournament {id!r}.", id=id), argument="id")
            yield Tournament.of(seen)
            if seen.state.ended:
                return
