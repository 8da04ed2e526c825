"""`league match confirm`: confirms the result of a match."""

from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.found_matches import match_id
from league.cli.match_page import player_of_match
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, MatchArgument
from league.domain.disputes import ConfirmResult
from league.wording.language import _


def confirm(
    match: MatchArgument,
    player: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help=_("Who confirms it (default: an admin, for everybody): an id or a name.")),
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Confirm the result of a match.

    A match that awaits confirmation is decided by an admin, or when a player of each side has confirmed it.
    """
    with existing_league() as league:
        id_ = match_id(league, match)
        command = ConfirmResult(id_, None if player is None else player_of_match(league, id_, player))
        position = league.dispatcher.send(command, actor)
        league.project()
        played = StreamStates(league.store, clock()).match(command.match).played
    pending = played is not None and played.pending
    if as_json:
        terminal.print_json({"position": position, "pending": pending})
    elif pending:
        terminal.out.print(_("Confirmed. Match {match} still awaits the other side.", match=escape(command.match)))
    else:
        terminal.out.print(_("Confirmed. Match {match} is decided.", match=escape(command.match)))
