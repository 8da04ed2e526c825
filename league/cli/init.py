"""`league init`: creates the league."""

from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import open_league
from league.cli import terminal
from league.cli.opening import settings
from league.cli.options import Actor


def init(
    name: Annotated[str, typer.Option(help="The name of the league.")] = "Domino league",
    time_zone: Annotated[
        str, typer.Option(metavar="ZONE", help="The time zone of its months, such as America/Havana.")
    ] = "UTC",
    actor: Actor = "cli",
) -> None:
    """Create the league.

    It begins with edition 1 of the rules. A database holds one league.
    """
    with open_league(settings()) as league:
        position = league.create(name, time_zone, actor)
        league.project()
    terminal.out.print(
        f"Created the league {escape(repr(name))} with edition 1 of the rules (log position {position})."
    )
