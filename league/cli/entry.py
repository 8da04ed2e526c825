"""The lines of `league --help`, and the panels in which they stand."""

from typing import NamedTuple

from league.domain.sentences import say


class Entry(NamedTuple):
    """A command, as `league --help` shows it. Its docstring puts the summary into the catalogues."""

    panel: str
    summary: str
    module: str | None = None
    """Its module, where that is not `league.cli.NAME`; the function in it has the module's name."""


LEAGUE = say("The league")
BOARDS = say("Boards and reasons")
TABLES = say("At the table")
REPLAYS = say("Replays")
ROWS = say("Data in and out")
LOG = say("Integrity of the log")
PROCESSES = say("Processes")
