"""`league season`: seasons are opened, closed and listed."""

import re
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor, Json
from league.cli.sending import send_once
from league.cli.spoken_commands import SpokenGroup
from league.cli.time_of_play import time_of_play
from league.domain.player_names import name_key
from league.domain.refusals import InvalidInput, NotFound
from league.domain.season import CloseSeason, OpenSeason, SeasonCommand, SeasonOpened, Seasons
from league.domain.sentences import say
from league.wording.language import _
from league.wording.numbers import moment_of

season = typer.Typer(
    cls=SpokenGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Open, close and list seasons.\n\n    A season is a named span of play time. A match is of the "
    "season in which it began.\n    ",
)


@season.command(name="open")
def open_(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("The season's name."))],
    start: Annotated[
        str, typer.Option(metavar="TIME", help=_("When it begins, in the league's time zone, such as 2026-03-01."))
    ],
    end: Annotated[
        str | None, typer.Option(metavar="TIME", help=_("When it ends; matches that begin then are outside."))
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help=_("The season's id (default: made of the name)."))
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Open a season.

    Seasons do not overlap. One without an end goes on until `league season close`.
    """
    with existing_league() as league:
        zone = league.time_zone()
        until = None if end is None else time_of_play(end, zone, "end")
        command = OpenSeason(id_ or _id_of(name), name, time_of_play(start, zone, "start"), until)
        _send(league, command, actor, as_json=as_json)


@season.command()
def close(
    which: Annotated[str, typer.Argument(metavar="SEASON", help=_("An id or a name."))],
    end: Annotated[
        str | None, typer.Option(metavar="TIME", help=_("When it ends, in the league's time zone (default: now)."))
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Close a season: give it an end."""
    with existing_league() as league:
        known = StreamStates(league.store, league.dispatcher.clock()).seasons()
        until = league.dispatcher.clock() if end is None else time_of_play(end, league.time_zone(), "end")
        _send(league, CloseSeason(_find(known, which), until), actor, as_json=as_json)


@season.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the seasons, the earliest first."""
    with existing_league() as league:
        zone = league.time_zone()
        known = StreamStates(league.store, league.dispatcher.clock()).seasons()
    found = sorted(known.values(), key=lambda one: one.start)
    if as_json:
        terminal.print_json([_document(one, zone) for one in found])
        return
    if not found:
        terminal.out.print(_("No seasons yet. `league season open NAME --start TIME` opens one."))
        return
    rows = [(one.name, one.season, *_span(one, zone)) for one in found]
    terminal.table(_("Seasons"), (_("name"), _("id"), _("from"), _("until")), rows)
    terminal.out.print(_("Times are in the time zone {zone}.", zone=zone.key))


def _send(league: League, command: SeasonCommand, actor: str, *, as_json: bool) -> None:
    position = send_once(league, command, actor)
    league.project()
    states, zone = StreamStates(league.store, league.dispatcher.clock()), league.time_zone()
    now = states.seasons()[command.season]
    if as_json:
        terminal.print_json({**_document(now, zone), "position": position})
        return
    start, end = _span(now, zone)
    values = {"name": now.name, "id": now.season, "start": start, "end": end}
    said = (
        _("The season {name} ({id}) begins {start} and has no end yet.", **values)
        if now.end is None
        else _("The season {name} ({id}) lasts from {start} until {end}.", **values)
    )
    terminal.out.print(said, markup=False)


def _id_of(name: str) -> str:
    """An id that people recognise: `Verano 2026` is `verano-2026`. Raises InvalidInput."""
    made = "-".join(re.findall(r"\w+", name_key(name)))
    if not made:
        raise InvalidInput("name", say("no id can be made of this name; name one with --id"))
    return made


def _find(known: Seasons, which: str) -> str:
    """The id of the season with this id or name. Raises NotFound, InvalidInput."""
    if which in known:
        return which
    named = [one.season for one in known.values() if name_key(one.name) == name_key(which)]
    if len(named) > 1:
        raise InvalidInput("season", say("{name} may be one of {ids}", name=repr(which), ids=", ".join(named)))
    if not named:
        raise NotFound("season", "season", which, tuple(sorted(known)))
    return named[0]


def _document(one: SeasonOpened, zone: ZoneInfo) -> dict[str, Any]:
    end = one.end and one.end.astimezone(zone)
    return {"season": one.season, "name": one.name, "start": one.start.astimezone(zone), "end": end}


def _span(one: SeasonOpened, zone: ZoneInfo) -> tuple[str, str]:
    def shown(time: datetime | None) -> str:
        return "" if time is None else moment_of(time, zone)

    return shown(one.start), shown(one.end)
