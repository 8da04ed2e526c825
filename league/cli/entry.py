"""The lines of `league --help` with their panels, and the exit codes of commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class CommandEntry(NamedTuple):
    """A command, as `league --help` shows it."""

    panel: str
    summary: str
    place: str | None = None
    """`module:function` below `league`, if it is not `cli.NAME:NAME`."""


@dataclass(frozen=True)
class CliPart:
    """What a feature adds to the terminal. `league --help` imports it, so it must import next to nothing."""

    place: ClassVar[str] = "cli"
    commands: Mapping[str, CommandEntry]
    demo: str | None = None
    """`module:function` below `league`. `league demo` passes it its league, and it shows what the feature adds."""


LEAGUE = "The league"
BOARDS = "Boards and reasons"
TABLES = "At the table"
REPLAYS = "Replays"
ROWS = "Data in and out"
LOG = "Integrity of the log"
PROCESSES = "Processes"


SUCCESS = 0
FAILURE = 1
"""The database cannot be reached, a check found a fault, or the program has a bug."""
REFUSED = 2
"""The input is bad, or the rules of the league do not allow the command."""
