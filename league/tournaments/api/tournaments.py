"""A tournament in the API."""

from datetime import datetime
from typing import Annotated, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.ids import global_id, local_id
from league.api.graphql.shaping.references import CompetitorRef, field_of
from league.api.graphql.shaping.relay import Node
from league.projections.queries.players import PlayerRow
from league.tournaments.api.plans import TieBreakName, TournamentPlan, TournamentStatus
from league.tournaments.api.rounds import TournamentRound, TournamentTable
from league.tournaments.api.standings import TournamentPlace, standing_of
from league.tournaments.domain.plan import faults_of_tie_breaks
from league.tournaments.domain.standing import rounds_of
from league.tournaments.domain.state import Entry, TournamentState
from league.tournaments.seen import AtTable, SeenTournament, tables_by_match, tournaments_by_id
from league.wording.language import spoken

TournamentId = Annotated[strawberry.ID, strawberry.argument(description="Global id, or the id in the league.")]
TieBreaks = Annotated[
    list[TieBreakName] | None,
    strawberry.argument(
        description="Another order, of which nothing is stored; null: as planned. An error with the code BAD_REQUEST "
        "where it names one twice, or `DIRECT` where partners rotate."
    ),
]
RoundNumber = Annotated[int, strawberry.argument(description="The number of the round, from 1.")]
OfPlayer = Annotated[strawberry.ID, strawberry.argument(description="A player: global id, or the league's.")]


@strawberry.type(description="A competitor of a tournament: a player, or a pair.")
class TournamentEntry:
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    player_ids: list[str] = field(description="The ids of its players.")
    entered_at: datetime = field(description="When they entered.")
    checked_in: bool = field(description="Whether they have said that they are there.")
    withdrawn_at: datetime | None = field(description="Since when they play no further round; null: they play.")
    region: str | None = field(description="Of both players, at the time of the entry.")
    fixed_table: int | None = field(description="The table that they keep.")
    replaces: str | None = field(description="The id of the competitor whose place they took.")
    commitment: str | None = field(
        description="What their device has promised to the next drawing (`commitToDrawing`); null: nothing."
    )

    @field_of(CompetitorRef, "The player, or the pair.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)

    @classmethod
    def of(cls, state: TournamentState, entry: Entry) -> Self:
        """An entry."""
        promise = state.promise(entry.id)
        return cls(
            competitor_id=entry.id,
            player_ids=list(entry.players),
            entered_at=entry.entered_at,
            checked_in=entry.checked_in,
            withdrawn_at=entry.withdrawn_at,
            region=entry.region,
            fixed_table=entry.fixed_table,
            replaces=entry.replaces,
            commitment=None if promise is None else promise.commitment,
        )


@strawberry.type(description="A table at which a player sits.")
class TableOfPlayer:
    round: int = field(description="The number of the round.")
    side: int = field(description="The player's side.")
    table: TournamentTable = field(description="The table.")


@strawberry.type(description="A tournament: rounds of tables, each of which is one ordinary match.")
class Tournament(Node):
    tournament_id: str = field(description="The id in the league.")
    name: str = field(description="Its name.")
    status: TournamentStatus = field(description="How far it has come.")
    planned_at: datetime = field(description="When it was planned.")
    plan: TournamentPlan = field(description="What was decided before its first round.")
    rounds_in_all: int = field(description="How many rounds it has, as far as is known.")
    seen: strawberry.Private[SeenTournament]

    @field(
        description="Whether its drawings ask devices for bytes that they promised: the league has a key that signs. "
        "Devices give their bytes for a signed root only."
    )
    def asks_devices(self, info: Info) -> bool:
        return info.context.league.key is not None

    @field(description="Who takes part, in the order of their entries; also those who withdrew.")
    def entries(self) -> list[TournamentEntry]:
        found = sorted(self.seen.state.entries.values(), key=lambda entry: (entry.entered_at, entry.id))
        return [TournamentEntry.of(self.seen.state, entry) for entry in found]

    @field(description="Its rounds so far.")
    def rounds(self) -> list[TournamentRound]:
        return [TournamentRound.of(self.seen, of) for of in self.seen.state.rounds]

    @field(description="The last round that is drawn; null before the first drawing.")
    def last_round(self) -> TournamentRound | None:
        rounds = self.seen.state.rounds
        return TournamentRound.of(self.seen, rounds[-1]) if rounds else None

    @field(description="A round; null when it is not drawn yet.")
    def round(self, number: RoundNumber) -> TournamentRound | None:
        of = self.seen.state.round(number)
        return None if of is None else TournamentRound.of(self.seen, of)

    @field(description="The standing. Pending results count provisionally.")
    def standing(self, tie_breaks: TieBreaks = None) -> list[TournamentPlace]:
        if tie_breaks is None:
            return standing_of(self.seen, None)
        names, plan = [name.value for name in tie_breaks], self.seen.state.plan
        assert plan is not None, "it is planned"
        for fault in faults_of_tie_breaks("tieBreaks", names, plan.format):
            raise RequestError(fault.line(spoken), argument="tieBreaks")
        return standing_of(self.seen, names)

    @field(description="The tables of a player in the published rounds, the last round first.")
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
        """A tournament."""
        state = seen.state
        assert state.plan is not None, "it is planned"
        return cls(
            id=strawberry.ID(global_id("Tournament", state.id)),
            tournament_id=state.id,
            name=state.plan.name,
            status=TournamentStatus(state.status),
            planned_at=seen.planned_at,
            plan=TournamentPlan.of(state.plan),
            rounds_in_all=rounds_of(state),
            seen=seen,
        )


async def tournament(info: Info, id_: str) -> SeenTournament | None:
    """A tournament by its id in the league; None for an unknown one."""
    return await info.context.reader.load(tournaments_by_id, id_)


@strawberry.type(description="Where the match of a tournament is played.")
class TournamentMatch:
    tournament_id: str = field(description="The id of the tournament in the league.")
    round: int = field(description="The number of the round.")
    table: int = field(description="The number of the table.")

    @field_of(Tournament | None, "The tournament.")
    async def tournament(self, info: Info) -> SeenTournament | None:
        return await tournament(info, self.tournament_id)

    @classmethod
    def of(cls, at: AtTable) -> Self:
        """A table."""
        return cls(tournament_id=at.tournament_id, round=at.round, table=at.table)


@strawberry.type
class TournamentOfMatch:
    match_id: strawberry.Private[str]

    @field_of(TournamentMatch | None, "The tournament that it is played in, with its table; null for other matches.")
    async def tournament(self, info: Info) -> AtTable | None:
        return await info.context.reader.load(tables_by_match, self.match_id)
