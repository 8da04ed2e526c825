"""What tournaments add to a match."""

from typing import Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.references import field_of
from league.tournaments.api.tournaments import Tournament, tournament
from league.tournaments.projections.seen import AtTable, SeenTournament, tables_by_match


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
