"""`league init`: creates the league."""

from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import open_league
from league.cli import terminal
from league.cli.asking import ask_until, at_terminal, nothing_stored
from league.cli.machine_zone import machine_zone
from league.cli.opening import settings
from league.cli.options import Actor, Json
from league.domain.collected_refusals import Faults
from league.domain.league import check_name, check_time_zone
from league.domain.refusals import AlreadyExists, InvalidInput
from league.domain.sentences import say
from league.wording.language import _


def init(
    name: Annotated[str | None, typer.Option(help="The name of the league.")] = None,
    time_zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The time zone of its months, such as America/Havana.")
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Create the league.

    It begins with edition 1 of the rules. A database holds one league. At a terminal the command asks for the name and
    the time zone when they are not given.
    """
    with open_league(settings(), prepare=True) as league:
        if league.exists():
            raise AlreadyExists("league", "league", league.name())
        name, time_zone = _asked(name, time_zone)
        position = league.create(name, time_zone, actor)
        league.project()
    if as_json:
        terminal.print_json({"name": name, "time_zone": time_zone, "position": position})
        return
    said = _(
        "Created the league {name} in the time zone {zone}, with edition 1 of the rules (log position {position}).",
        name=escape(repr(name)),
        zone=time_zone,
        position=position,
    )
    terminal.out.print(said)
    terminal.out.print(
        _("Next: `league serve` serves its pages, and `league token NAME --role admin --link` signs you in to them.")
    )


def _asked(name: str | None, time_zone: str | None) -> tuple[str, str]:
    """Both, asked for where they are not given. Raises InvalidInput in a script, which cannot be asked."""
    if not at_terminal():
        missing = [
            InvalidInput(at, say("is not given: name it with {option}", option=option))
            for at, option, value in (("name", "--name", name), ("time_zone", "--time-zone", time_zone))
            if value is None
        ]
        Faults.check(missing)
    with nothing_stored():
        if name is None:
            name = ask_until(_("Name of the league"), check_name)
        if time_zone is None:
            time_zone = ask_until(_("Time zone of its months"), check_time_zone, machine_zone() or "")
    return name, time_zone
