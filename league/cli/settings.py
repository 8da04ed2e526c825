"""`league settings`: the league's name and time zone."""

from typing import Annotated

import typer

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor
from league.domain.league import ChangeSettings


def settings(
    name: Annotated[str | None, typer.Option(help="The new name of the league.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The new time zone of its months.")] = None,
    actor: Actor = "cli",
) -> None:
    """Show or change the league's name and time zone.

    Without options the command shows them.
    """
    with existing_league() as league:
        if name is not None or time_zone is not None:
            league.dispatcher.send(ChangeSettings(name, time_zone), actor)
            league.project()
        now = StreamStates(league.store, clock()).league()
    terminal.table("Settings", ("", ""), [("name", now.name), ("time zone", now.time_zone)])
