"""`league settings`: the name and time zone of the league, what it demands of results, and of counts of photos."""

from typing import Annotated

import typer

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor, Json
from league.domain.league import ChangeSettings
from league.wording.language import _


def settings(
    name: Annotated[str | None, typer.Option(help=_("The new name of the league."))] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help=_("The new time zone of its months."))] = None,
    confirmation: Annotated[
        bool | None,
        typer.Option(help=_("Whether matches that end from now on await confirmation by their players.")),
    ] = None,
    photo_confidence: Annotated[
        float | None,
        typer.Option(
            help=_("The confidence below which a count of a photo says that it cannot tell."), min=0.0, max=1.0
        ),
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Show or change the league's settings.

    Without options the command shows them.
    """
    with existing_league() as league:
        changes = ChangeSettings(name, time_zone, confirmation, photo_confidence)
        if changes != ChangeSettings():
            league.dispatcher.send(changes, actor)
            league.project()
        now = StreamStates(league.store, clock()).league()
    if as_json:
        terminal.print_json(
            {
                "name": now.name,
                "time_zone": now.time_zone,
                "confirmation": now.confirmation,
                "photo_confidence": now.photo_confidence,
            }
        )
        return
    demanded = _("demanded") if now.confirmation else _("not demanded")
    rows = [(_("name"), now.name), (_("time zone"), now.time_zone), (_("confirmation of results"), demanded)]
    rows.append((_("confidence of photos"), f"{now.photo_confidence:g}"))
    terminal.table(_("Settings"), ("", ""), rows)
