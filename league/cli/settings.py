"""`league settings`: the league's name, its time zone, and whether results await confirmation."""

from typing import Annotated

import typer

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor
from league.domain.league import ChangeSettings
from league.wording.language import _


def settings(
    name: Annotated[str | None, typer.Option(help="The new name of the league.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The new time zone of its months.")] = None,
    confirmation: Annotated[
        bool | None,
        typer.Option(help=_("Whether matches that end from now on await confirmation by their players.")),
    ] = None,
    actor: Actor = "cli",
) -> None:
    """Show or change the league's settings.

    Without options the command shows them.
    """
    with existing_league() as league:
        if name is not None or time_zone is not None or confirmation is not None:
            league.dispatcher.send(ChangeSettings(name, time_zone, confirmation), actor)
            league.project()
        now = StreamStates(league.store, clock()).league()
    demanded = _("demanded") if now.confirmation else _("not demanded")
    rows = [("name", now.name), ("time zone", now.time_zone), (_("confirmation of results"), demanded)]
    terminal.table("Settings", ("", ""), rows)
