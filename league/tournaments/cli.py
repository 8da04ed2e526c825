"""The commands of tournaments."""

from league.cli.entry import LOG, Entry

COMMANDS = {
    "verify-round": Entry(
        LOG,
        "Check that the inputs of published rounds give their tables, from exports alone.",
        "tournaments.at_terminal:verify_round",
    ),
}
