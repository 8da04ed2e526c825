"""What `league void` and `league hand correct` share: show what would change, ask, and execute the command."""

from typing import Annotated

import typer

from league.application.bootstrap import League, clock
from league.application.preview import preview
from league.cli import asking, terminal
from league.cli.opening import reading
from league.cli.preview_tables import print_preview
from league.cli.sending import send_once
from league.domain.deciders import Command
from league.wording.language import _

Reason = Annotated[str, typer.Option(help=_("Why, for those who read the log."))]

Settles = Annotated[
    int | None,
    typer.Option(metavar="DISPUTE", help=_("The number of the dispute of the match that this settles.")),
]

OnlyPreview = Annotated[bool, typer.Option("--preview", help=_("Only print what would change; store nothing."))]


def preview_and_send(
    league: League,
    command: Command,
    actor: str,
    *,
    ask: bool,
    only_preview: bool,
    as_json: bool,
    expected: int | None = None,
) -> None:
    """Print what a command would change, ask, and execute it. `expected`: as `send_once` has it."""
    league.project()
    with terminal.working(_("folding what would change")):
        found = preview(league.database.url, league.store, clock, [command])
    with reading(league) as conn:
        print_preview(conn, found, as_json=as_json)
    if only_preview:
        return
    with asking.nothing_stored():
        if ask and not asking.confirmed(_("Do it?")):
            terminal.err.print(_("Nothing is stored."))
            return
    position = send_once(league, command, actor, expected=expected)
    league.project()
    terminal.err.print(
        _("Done (log position {position}). `league history PLAYER` shows the changed ratings.", position=position)
    )
