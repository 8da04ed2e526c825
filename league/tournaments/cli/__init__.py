"""The commands of tournaments."""

from league.cli.entry import LOG, PLAY, Entry

COMMANDS = {
    "tournament": Entry(
        PLAY,
        "Plan and run tournaments: entries, rounds, standings.",
        module="league.tournaments.cli.tournament",
    ),
    "verify-round": Entry(
        LOG,
        "Check that the inputs of published rounds give their tables, from exports alone.",
        module="league.tournaments.cli.verify_round",
    ),
}
