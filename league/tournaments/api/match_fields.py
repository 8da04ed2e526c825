"""What tournaments add to a match in the GraphQL schema: at which table it is played, and which game of a tie it is."""

import strawberry
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.object_fields import loaded_field
from league.api.schema_part import FieldPart
from league.tournaments.api.tournaments import Tournament, tournament
from league.tournaments.domain.state import TableOfRound
from league.tournaments.tournament_queries import stored_tournaments, tables_by_match


@strawberry.type(description="The tournament, round and table of a match.")
class TournamentMatch(FromRow):
    tournament_id: str = field(description="The id of the tournament in the league.")
    round: int = field(description="The number of the round.")
    table: int = field(description="The number of the table.")
    match_id: strawberry.Private[str]

    tournament = loaded_field(Tournament | None, "The tournament.", stored_tournaments, lambda of: of.tournament_id)

    @field(
        description="Which game of the tie of a knock-out it is, from 1; null outside of knock-outs, and for a match "
        "that the tie does not have any more."
    )
    @cacheable
    async def game(self, info: Info) -> int | None:
        return self._game_of(await self._tie(info))

    @field(description="The most games of that tie; null outside of knock-outs.")
    @cacheable
    async def best_of(self, info: Info) -> int | None:
        table = await self._tie(info)
        return None if table is None else table.best_of

    @field(description="The id of the match of the next game of that tie; null if it has none.")
    @cacheable
    async def next_match_id(self, info: Info) -> str | None:
        table = await self._tie(info)
        game = self._game_of(table)
        return None if table is None or game is None else table.by_game.get(game + 1)

    def _game_of(self, table: TableOfRound | None) -> int | None:
        games = () if table is None else table.games
        return next((number for number, game in enumerate(games, 1) if self.match_id in game), None)

    async def _tie(self, info: Info) -> TableOfRound | None:
        """The tie to which it belongs; None for other tables."""
        stored = await tournament(info, self.tournament_id)
        of = None if stored is None else stored.state.round(self.round)
        table = None if of is None else of.table(self.table)
        return table if table is not None and table.best_of is not None and self.match_id in table.matches else None


@strawberry.type
class TournamentOfMatch:
    match_id: strawberry.Private[str]

    tournament = loaded_field(
        TournamentMatch | None,
        "The tournament and the table of this match; null if it belongs to no tournament.",
        tables_by_match,
        lambda of: of.match_id,
    )


FIELDS = FieldPart(match=TournamentOfMatch)
