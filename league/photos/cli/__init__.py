"""The commands of photos."""

from league.cli.entry import TABLES, CliPart, Entry

CLI = CliPart(
    {"count-pips": Entry(TABLES, "Count the pips of the tiles on a photo.", "photos.cli.count_pips:count_pips")}
)
