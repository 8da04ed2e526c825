"""The commands of photos."""

from league.cli.entry import TABLES, CliPart, CommandEntry

CLI = CliPart(
    {"count-pips": CommandEntry(TABLES, "Count the pips of the tiles on a photo.", "photos.cli.count_pips:count_pips")}
)
