"""`league reopen-month`: the closing of a month of the series is undone."""

from typing import Annotated

import typer
from rich.markup import escape

from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor, Json
from league.domain.league import ReopenMonth
from league.wording.language import _


def reopen_month(
    month: Annotated[str, typer.Argument(metavar="YYYY-MM", help=_("A month that is closed."))],
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Undo the closing of a month of the series.

    Its published standings and the badges that it gave are withdrawn. The league does not close the month again by
    itself; `league close-month` does.
    """
    with existing_league() as league:
        position = league.dispatcher.send(ReopenMonth(month), actor)
        league.project()
    if as_json:
        terminal.print_json({"month": month, "position": position})
        return
    terminal.out.print(
        _("The series of {month} is open again (log position {position}).", month=escape(month), position=position)
    )
