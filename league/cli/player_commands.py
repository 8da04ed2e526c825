"""`league player`: players are registered, renamed, moved, merged and listed, and their pages are printed."""

import secrets
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from league.application.bootstrap import League
from league.cli import asking, terminal
from league.cli.competitors import described_player, player_id
from league.cli.groups import ShowByDefault
from league.cli.merging import merge, unmerge
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json, OnePlayer, Yes
from league.cli.player import player as show
from league.domain.player import MovePlayer, PlayerCommand, RegisterPlayer, RenamePlayer, displayed
from league.domain.readable_text import tidied
from league.projections.queries import named_players
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import snapshot_of
from league.wording.language import _
from league.wording.numbers import date_of

player_commands = typer.Typer(
    cls=ShowByDefault,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Register, rename, move and merge players, and print their pages.

    `league player NAME` is short for `league player show NAME`. `league erase` erases the names of a player.
    """,
)
player_commands.command(name="show")(show)
player_commands.command()(merge)
player_commands.command()(unmerge)


@player_commands.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("The player's name."))],
    region: Annotated[str | None, typer.Option(help=_("The player's region."))] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help=_("The player's id (default: a random one)."))
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Register a player.

    When the name is close to a known one, the command shows that player and asks; in a script it prints a note.
    """
    with existing_league() as league:
        close = _close_to(league, name)
        if close and asking.at_terminal() and not yes:
            with asking.nothing_stored():
                terminal.err.print(_("These players have a similar name:"))
                for one in close:
                    terminal.err.print(f"  {terminal.shown(one['described'])}", markup=False)
                if not asking.confirmed(_("Is {name} somebody else?", name=tidied(name))):
                    terminal.err.print(_("Nothing is stored."))
                    raise typer.Exit
        command = RegisterPlayer(id_ or new_player_id(), name, region)
        position = league.dispatcher.send(command, actor)
        league.project()
    if as_json:
        added = {"player": command.player, "name": tidied(name), "region": command.region, "position": position}
        terminal.print_json({**added, "close": [{key: one[key] for key in ("id", "name", "region")} for one in close]})
        return
    terminal.out.print(_("Registered {name} ({id}).", name=escape(tidied(name)), id=escape(command.player)))
    if close and (yes or not asking.at_terminal()):
        for one in close:
            note = _("Note: a similar name is registered: {player}", player=one["described"])
            terminal.err.print(terminal.shown(note), markup=False, soft_wrap=True)


def new_player_id() -> str:
    """An id that tells nothing of the name: the log keeps it when the name is erased."""
    return f"p-{secrets.token_hex(4)}"


@player_commands.command()
def rename(
    who: OnePlayer,
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("The new name."))],
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Change the name of a player."""
    with existing_league() as league:
        command = RenamePlayer(player_id(league, who), name)
        _change(league, command, actor, {"player": command.player, "name": tidied(name)}, as_json=as_json)
    if not as_json:
        terminal.out.print(_("{id} is called {name} now.", id=escape(command.player), name=escape(tidied(name))))


@player_commands.command()
def move(
    who: OnePlayer,
    region: Annotated[str | None, typer.Argument(metavar="[REGION]", help=_("The new region (default: none)."))] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Change the region of a player."""
    with existing_league() as league:
        command = MovePlayer(player_id(league, who), region)
        _change(league, command, actor, {"player": command.player, "region": region}, as_json=as_json)
    if as_json:
        return
    if region is None:
        terminal.out.print(_("{id} has no region now.", id=escape(command.player)))
    else:
        terminal.out.print(_("{id} plays in {region} now.", id=escape(command.player), region=escape(region)))


@player_commands.command(name="list")
def list_(
    region: Annotated[str | None, typer.Option(help=_("Only players of this region."))] = None,
    first: Annotated[int, typer.Option(help=_("How many players to print."), min=1)] = 100,
    as_json: Json = False,
) -> None:
    """List the players by name."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            found = named_players.players_by_name(conn, region)
    zone = ZoneInfo(snapshot.zone)
    players: list[dict[str, Any]] = [
        {
            "id": one.player_id,
            "name": displayed(one.player_id, one.name),
            "region": one.region,
            "last_match": one.last_match and one.last_match.astimezone(zone),
        }
        for one in found
    ]
    if as_json:
        terminal.print_json(players)
        return
    if not players:
        terminal.out.print(_("No players yet. `league player add NAME` registers one."))
        return
    terminal.table(
        _("Players"),
        (_("name"), _("id"), _("region"), _("last match")),
        [
            (one["name"], one["id"], one["region"], one["last_match"] and date_of(one["last_match"]))
            for one in players[:first]
        ],
    )
    terminal.print_more(min(first, len(players)), len(players), "league player list")


def _change(league: League, command: PlayerCommand, actor: str, said: dict[str, Any], *, as_json: bool) -> None:
    position = league.dispatcher.send(command, actor)
    league.project()
    if as_json:
        terminal.print_json({**said, "position": position})


def _close_to(league: League, name: str) -> list[dict[str, Any]]:
    """The players whose names are close to this one."""
    league.project()
    with reading(league) as conn:
        snapshot = snapshot_of(conn, chosen_run(conn, None))
        return [
            {
                "id": one.player_id,
                "name": one.name,
                "region": one.region,
                "described": described_player(one, snapshot.zone),
            }
            for one in named_players.players_close_to(conn, name)
        ]
