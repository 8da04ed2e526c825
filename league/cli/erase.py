"""`league erase`: erases the names of a player."""

from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor, Yes
from league.domain.player import ErasePlayer, erase_player, pseudonym


def erase(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The player's id.")],
    yes: Yes = False,
    actor: Actor = "cli",
) -> None:
    """Erase the names of a player for good.

    Matches and ratings stay, under a pseudonym. docs/erasure.md says what an erasure covers.
    """
    with existing_league() as league:
        known, command = StreamStates(league.store, clock()).player(player), ErasePlayer(player)
        erase_player(command, known)  # raises any refusal before the question
        if not yes:
            typer.confirm(f"Erase the names of {known.name} ({player}) for good?", abort=True, err=True)
        position = league.dispatcher.send(command, actor)
        league.project()
    terminal.out.print(
        f"{escape(player)} is erased (position {position}) and shows as {pseudonym(player)}; matches, ratings and "
        "region stay.\nBackups made before, imported files, and reasons that people wrote may still contain the name."
    )
