"""What `league void` and `league correct` share: show what would change, ask, and execute the command."""

from typing import Annotated

import typer

from league.application.bootstrap import League, clock
from league.application.preview import preview
from league.cli import terminal
from league.cli.opening import reading
from league.cli.preview_tables import print_preview
from league.domain.deciders import Command
from league.wording.language import _

Reason = Annotated[str, typer.Option(help="Why, for those who read the log.")]

Settles = Annotated[
    int | None,
    typer.Option(metavar="DISPUTE", help=_("The number of the dispute of the match that this settles.")),
]

OnlyPreview = Annotated[bool, typer.Option("--preview", help="Only print what would change; store nothing.")]


def preview_and_send(
    league: League, command: Command, actor: str, *, ask: bool, only_preview: bool, as_json: bool
) -> None:
    """Print what a command would change, ask, and execute it."""
    league.project()
    with terminal.working("folding what would change"):
        found = preview(league.database.url, league.store, clock, [command])
    with reading(league) as conn:
        print_preview(conn, found, as_json=as_json)
    if only_preview or (ask and not typer.confirm("Do it?", err=True)):
        return
    position = league.dispatcher.send(command, actor)
    league.project()
    terminal.err.print(f"Done (log position {position}). `league history PLAYER` shows the changed ratings.")
