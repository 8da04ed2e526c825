"""The commands of photos."""

from league.cli.entry import TABLES, Entry

COMMANDS = {"count-pips": Entry(TABLES, "Count the pips of the tiles on a photo.", "photos.cli.count_pips:count_pips")}
