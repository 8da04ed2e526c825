"""What tournaments add to the GraphQL schema."""

from league.api.graphql.executing.context import Info
from league.api.schema_part import SchemaPart
from league.tournaments.api.round_mutations import DrawingMutations, RoundMutations
from league.tournaments.api.tournament_mutations import REFUSALS, TournamentMutations
from league.tournaments.api.tournaments import Tournament, TournamentQueries, TournamentSubscriptions
from league.tournaments.drawing import working
from league.tournaments.entries_sheet import endpoints
from league.tournaments.tournament_queries import SeenTournament, has_bell, tournament_with


async def _tournament(info: Info, local: str) -> SeenTournament | None:
    # The rows of tournaments are written with their events, so they may be newer than the state of the read side.
    return await info.context.read_beyond_the_state(tournament_with, local)


SCHEMA = SchemaPart(
    queries=(TournamentQueries,),
    mutations=(TournamentMutations, RoundMutations, DrawingMutations),
    subscriptions=(TournamentSubscriptions,),
    refusals=REFUSALS,
    nodes={"Tournament": (_tournament, Tournament.of)},
    has_bell=has_bell,
    endpoints=endpoints,
    serving=lambda process: working(process.league),  # it finishes drawings that wait for bytes of devices
)
