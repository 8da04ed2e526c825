"""Who may do what in tournaments; apart from the events, so that permissions import no rules of play."""

from league.api.auth.reach import ADMIN, KEEPER, PLAYER, SEATED, Reach, Role

PERMISSIONS: dict[str, dict[Role, Reach]] = {
    "planTournament": KEEPER,
    "changeTournamentPlan": KEEPER,
    "enterTournament": PLAYER,
    "checkInToTournament": PLAYER,
    "withdrawFromTournament": PLAYER,
    "returnToTournament": KEEPER,
    "commitToDrawing": SEATED,
    "contributeToDrawing": SEATED,
    "drawRound": KEEPER,
    "publishRound": KEEPER,
    "openFixture": KEEPER,
    "changePairings": KEEPER,
    "recordAbsence": KEEPER,
    "replaceTournamentMatch": KEEPER,
    "closeRound": KEEPER,
    "endTournament": ADMIN,
}
"""By the name of the operation in the API."""
