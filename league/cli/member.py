"""`league member`: members are added, listed, changed and removed, and those who asked for access are answered."""

import secrets
from typing import Annotated, Any

import typer

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.competitors import player_id
from league.cli.opening import existing_league
from league.cli.options import Actor, Json
from league.cli.sending import send_once
from league.cli.spoken_commands import SpokenGroup
from league.cli.token import Role
from league.domain.members import (
    AddMember,
    ChangeMember,
    DeclineAccess,
    GrantAccess,
    Member,
    MemberCommand,
    RemoveMember,
)
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.wording.language import _, spoken

member = typer.Typer(
    cls=SpokenGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Add, change and remove members, and answer who asked for access.\n\n    A member signs in to the pages "
    "under a subject, with roles, and perhaps as a player.\n    ",
)

Which = Annotated[str, typer.Argument(metavar="MEMBER", help=_("A member's id, or the subject."))]
Roles = Annotated[list[Role], typer.Option("--role", help=_("What the member may do. Repeatable."))]
APlayer = Annotated[str | None, typer.Option(metavar="PLAYER", help=_("Which player it is: an id or a name."))]

STANDINGS = {"member": say("member"), "waiting": say("waits"), "declined": say("declined")}


@member.command()
def add(
    subject: Annotated[
        str, typer.Argument(metavar="SUBJECT", help=_("As whom they sign in, such as a mail address, or any name."))
    ],
    role: Roles,
    player: APlayer = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Add a member.

    `league token SUBJECT --link` makes a link that signs them in.
    """
    with existing_league() as league:
        command = AddMember(secrets.token_hex(6), subject, _values(role), _player(league, player))
        _send(league, command, actor, _("Added {subject} ({id})."), as_json=as_json)


@member.command()
def change(
    which: Which,
    role: Annotated[
        list[Role] | None, typer.Option("--role", help=_("The roles from now on (default: as before). Repeatable."))
    ] = None,
    player: APlayer = None,
    no_player: Annotated[bool, typer.Option("--no-player", help=_("It is no player any more."))] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Change the roles or the player of a member, from their next request on."""
    if player is not None and no_player:
        raise InvalidInput("player", say("--player and --no-player ask for different things"))
    with existing_league() as league:
        roles = _values(role) if role else None
        named = "" if no_player else _player(league, player)
        command = ChangeMember(_find(league, which), roles, named)
        _send(league, command, actor, _("Changed {subject} ({id})."), as_json=as_json)


@member.command()
def remove(which: Which, as_json: Json = False, actor: Actor = "cli") -> None:
    """Remove a member, or somebody who asked for access, and erase the subject.

    They are signed out everywhere.
    """
    with existing_league() as league:
        command = RemoveMember(_find(league, which))
        _send(league, command, actor, _("Removed {id}."), as_json=as_json)


@member.command(name="let-in")
def let_in(which: Which, role: Roles, player: APlayer = None, as_json: Json = False, actor: Actor = "cli") -> None:
    """Let somebody in who asked for access, also after it was declined."""
    with existing_league() as league:
        command = GrantAccess(_find(league, which), _values(role), _player(league, player))
        _send(league, command, actor, _("{subject} ({id}) is a member now."), as_json=as_json)


@member.command()
def decline(which: Which, as_json: Json = False, actor: Actor = "cli") -> None:
    """Do not let somebody in who asked for access."""
    with existing_league() as league:
        command = DeclineAccess(_find(league, which))
        _send(league, command, actor, _("{subject} ({id}) does not get access."), as_json=as_json)


@member.command(name="list")
def list_(
    waiting: Annotated[bool, typer.Option("--waiting", help=_("Only who waits for an answer."))] = False,
    as_json: Json = False,
) -> None:
    """List the members, and who asked to be one."""
    with existing_league() as league:
        known = _known(league)
    found = {id_: one for id_, one in known.items() if one.standing == "waiting" or not waiting}
    if as_json:
        terminal.print_json([_document(id_, one) for id_, one in found.items()])
        return
    if not found:
        terminal.out.print(_("Nobody waits.") if waiting else _("No members yet. `league member add` adds one."))
        return
    rows = [
        (one.subject, one.name, id_, one.player, ", ".join(one.roles), spoken(STANDINGS[one.standing]))
        for id_, one in found.items()
    ]
    columns = (_("subject"), _("name"), _("id"), _("player"), _("roles"), _("standing"))
    terminal.table(_("Members"), columns, rows)


def _send(league: League, command: MemberCommand, actor: str, said: str, *, as_json: bool) -> None:
    position = send_once(league, command, actor)
    now = _known(league).get(command.member)
    if as_json:
        document = {"member": command.member} if now is None else _document(command.member, now)
        terminal.print_json({**document, "position": position})
        return
    values = {"id": command.member, "subject": None if now is None else now.subject}
    terminal.out.print(terminal.shown(said.format(**values)), markup=False, soft_wrap=True)


def _known(league: League) -> dict[str, Member]:
    """The members and who asked to be one, without those who were removed."""
    known = StreamStates(league.store, league.dispatcher.clock()).members()
    return {id_: one for id_, one in known.items() if one.standing != "removed"}


def _find(league: League, which: str) -> str:
    """The id of the member with this id or subject. Raises NotFound."""
    for id_, one in _known(league).items():
        if which in (id_, one.subject):
            return id_
    raise NotFound("member", "member", which)


def _player(league: League, who: str | None) -> str | None:
    return None if who is None else player_id(league, who)


def _values(roles: list[Role]) -> tuple[str, ...]:
    return tuple(role.value for role in roles)


def _document(id_: str, one: Member) -> dict[str, Any]:
    return {
        "member": id_, "subject": one.subject, "name": one.name, "player": one.player, "roles": one.roles,
        "standing": one.standing,
    }  # fmt: skip
