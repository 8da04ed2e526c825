"""The commands of tournaments at the terminal."""

from league.cli.entry import LOG, CliPart, CommandEntry

CLI = CliPart(
    {
        "verify-round": CommandEntry(
            LOG,
            "Check that the inputs of published rounds give their tables, from exports alone.",
            "tournaments.at_terminal:verify_round",
        ),
    },
    demo="tournaments.at_terminal:show_tournament",
)
