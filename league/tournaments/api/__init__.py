"""What tournaments add to the GraphQL schema."""

from league.api.schema_part import SchemaPart
from league.tournaments.api.round_mutations import DrawingMutations, RoundMutations
from league.tournaments.api.tournament_changes import TournamentSubscriptions
from league.tournaments.api.tournament_mutations import REFUSALS, TournamentMutations
from league.tournaments.api.tournaments import Tournament, TournamentQueries, tournament
from league.tournaments.drawing import working
from league.tournaments.entries_sheet import endpoints
from league.tournaments.tournament_queries import claims_to_decide, has_bell, names_by_id

SCHEMA = SchemaPart(
    queries=(TournamentQueries,),
    mutations=(TournamentMutations, RoundMutations, DrawingMutations),
    subscriptions=(TournamentSubscriptions,),
    refusals=REFUSALS,
    nodes={"Tournament": (tournament, Tournament.of)},
    has_bell=has_bell,
    titles={"tournament": names_by_id},
    waiting={"CLAIMS_OF_ABSENCE": ("recordAbsence", claims_to_decide)},
    endpoints=endpoints,
    serving=lambda process: working(process.league),  # it finishes drawings that wait for bytes of devices
)
