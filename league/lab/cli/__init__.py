"""The commands of the laboratory."""

from league.cli.entry import REPLAYS, CliPart, Entry

CLI = CliPart(
    {
        "tune": Entry(
            REPLAYS,
            "Fit the rules of ratings to the history of the league, and say whether that helps.",
            "lab.cli.tune:tune",
        )
    }
)
