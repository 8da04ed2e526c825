"""The commands of tournaments."""

from league.cli.entry import LOG, CliPart, Entry

CLI = CliPart(
    {
        "verify-round": Entry(
            LOG,
            "Check that the inputs of published rounds give their tables, from exports alone.",
            "tournaments.at_terminal:verify_round",
        ),
    },
    demo="tournaments.at_terminal:show_tournament",
)
