"""What was wrong is put right: matches, hands, names."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import League, clock
from league.application.preview import preview as previewed
from league.application.stream_states import StreamStates
from league.cli import preview_command, terminal
from league.cli.app import Actor, Json, app, existing_league, reading
from league.domain.deciders import Command
from league.domain.match import CorrectHand, VoidMatch
from league.domain.player import ErasePlayer, erase_player, pseudonym

PANEL = "Corrections"

MatchArgument = Annotated[str, typer.Argument(help="The match's id.")]


Reason = Annotated[str, typer.Option(help="Why, for those who read the log.")]


OnlyPreview = Annotated[bool, typer.Option("--preview", help="Only show what it would change.")]


Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command(rich_help_panel=PANEL)
def void(
    match: MatchArgument,
    reason: Reason,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Void a match for good: show what that changes, ask, and do it."""
    with existing_league() as league:
        _correct(league, VoidMatch(match, reason), actor, ask=not yes, only_preview=preview, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def correct(
    match: MatchArgument,
    hand: Annotated[int, typer.Argument(help="The number of the hand, from 1.")],
    facts: Annotated[Path, typer.Option(help="A JSON file with the hand, as in a recorded season.")],
    reason: Reason,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Replace the facts of a hand: show what that changes, ask, and do it."""
    with existing_league() as league:
        read = preview_command.read_facts(facts, match, StreamStates(league.store, clock()))
        command = CorrectHand(match, hand, read, reason)
        _correct(league, command, actor, ask=not yes, only_preview=preview, as_json=as_json)


def _correct(league: League, command: Command, actor: str, *, ask: bool, only_preview: bool, as_json: bool) -> None:
    """Print what a command would change, ask, and carry it out."""
    league.project()
    with terminal.working("folding what would change"):
        found = previewed(league.database.url, league.store, clock, [command])
    with reading(league) as conn:
        preview_command.show(conn, found, as_json=as_json)
    if only_preview or (ask and not typer.confirm("Do it?", err=True)):
        return
    position = league.dispatcher.send(command, actor)
    league.project()
    terminal.err.print(f"Done (log position {position}); `league history` tells whom it moved, and why.")


@app.command(rich_help_panel=PANEL)
def erase(
    player: Annotated[str, typer.Argument(help="The player's id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    actor: Actor = "cli",
) -> None:
    """Erase a player's names for good. Matches and ratings stay, under a pseudonym."""
    with existing_league() as league:
        known, command = StreamStates(league.store, clock()).player(player), ErasePlayer(player)
        erase_player(command, known)  # what would be refused is not asked for
        if not yes:
            typer.confirm(f"Erase the names of {known.name} ({player}) for good?", abort=True, err=True)
        position = league.dispatcher.send(command, actor)
        league.project()
    terminal.out.print(
        f"{escape(player)} is erased (position {position}) and shows as {pseudonym(player)}; matches, ratings and "
        "region stay.\nThe name may still stand in backups made before, in files that were imported, and in what "
        "people wrote as reasons."
    )
