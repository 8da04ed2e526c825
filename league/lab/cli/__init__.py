"""The commands of the laboratory."""

from league.cli.entry import REPLAYS, CliPart, CommandEntry

CLI = CliPart(
    {
        "tune": CommandEntry(
            REPLAYS,
            "Fit the rules of ratings to the history of the league, and say whether that helps.",
            "lab.cli.tune:tune",
        )
    }
)
