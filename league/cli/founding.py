"""A league comes into being, and its settings."""

from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import clock, open_league
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.app import Actor, app, existing_league, settings
from league.domain.league import ChangeSettings

PANEL = "The league"


@app.command(rich_help_panel=PANEL)
def init(
    name: Annotated[str, typer.Option(help="The name of the league.")] = "Domino league",
    time_zone: Annotated[str, typer.Option(help="The time zone of its months, such as America/Havana.")] = "UTC",
    actor: Actor = "cli",
) -> None:
    """Create the league with a name, a time zone and edition 1 of the rules."""
    with open_league(settings()) as league:
        position = league.create(name, time_zone, actor)
        league.project()
    terminal.out.print(
        f"The league {escape(repr(name))} exists, with edition 1 of the rules (log position {position})."
    )


@app.command(rich_help_panel=PANEL, name="settings")
def settings_(
    name: Annotated[str | None, typer.Option(help="The name of the league.")] = None,
    time_zone: Annotated[str | None, typer.Option(help="The time zone of its months.")] = None,
    actor: Actor = "cli",
) -> None:
    """Show the league's name and time zone, or change them."""
    with existing_league() as league:
        if name is not None or time_zone is not None:
            league.dispatcher.send(ChangeSettings(name, time_zone), actor)
            league.project()
        now = StreamStates(league.store, clock()).league()
    terminal.table("Settings", ("", ""), [("name", now.name), ("time zone", now.time_zone)])
