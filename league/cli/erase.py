"""`league erase`: erases the names of a player."""

import typer
from rich.markup import escape

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.asking import confirmed
from league.cli.named import player_id
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, OnePlayer, Yes
from league.domain.player import ErasePlayer, erase_player, pseudonym
from league.wording.language import _


def erase(
    who: OnePlayer,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Erase the names of a player for good.

    Matches and ratings stay, under a pseudonym. docs/erasure.md says what an erasure covers.
    """
    with existing_league() as league:
        player = player_id(league, who)
        known, command = StreamStates(league.store, clock()).player(player), ErasePlayer(player)
        erase_player(command, known)  # raises any refusal before the question
        if not yes:
            question = _("Erase the names of {name} ({player}) for good?", name=known.name, player=player)
            if not confirmed(question):
                raise typer.Abort
        position = league.dispatcher.send(command, actor)
        league.project()
    if as_json:
        terminal.print_json({"player": player, "pseudonym": pseudonym(player), "position": position})
        return
    terminal.out.print(
        _(
            "{player} is erased (position {position}) and shows as {pseudonym}; matches, ratings and region stay.\n"
            "Backups made before, imported files, and reasons that people wrote may still contain the name.",
            player=escape(player),
            position=position,
            pseudonym=pseudonym(player),
        )
    )
