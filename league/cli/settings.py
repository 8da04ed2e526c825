"""`league init` and `settings`: the name and time zone of the league, and what it demands of results and photos."""

import os
import zoneinfo
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from league.application.bootstrap import League, clock, open_league
from league.application.preview import preview_time_zone
from league.application.stream_states import StreamStates
from league.cli import asking, terminal
from league.cli.asking import ask_until, at_terminal, nothing_stored
from league.cli.opening import existing_league, reading
from league.cli.opening import settings as configured
from league.cli.options import Actor, Json, OnlyPreview, Yes
from league.cli.preview_tables import plain_preview, print_preview
from league.domain.collected_refusals import Faults
from league.domain.league import ChangeSettings, check_name, check_time_zone
from league.domain.refusals import AlreadyExists, InvalidInput
from league.domain.sentences import say
from league.wording.language import _, counted

LOCAL = Path("/etc/localtime")
"""Links to the file of the zone on Linux and macOS."""


def machine_zone() -> str | None:
    """The name of the zone, such as America/Havana; None where the machine does not tell it."""
    linked = os.path.realpath(LOCAL).partition("zoneinfo/")[2]
    for name in (os.environ.get("TZ", "").lstrip(":"), linked):
        if name in zoneinfo.available_timezones():
            return name
    return None


def init(
    name: Annotated[str | None, typer.Option(help="The name of the league.")] = None,
    time_zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The time zone of its months, such as America/Havana.")
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Create the league.

    It begins with edition 1 of the rules. A database holds one league. At a terminal the command asks for the name and
    the time zone when they are not given.
    """
    with open_league(configured(), prepare=True) as league:
        if league.exists():
            raise AlreadyExists("league", "league", league.name())
        name, time_zone = _asked(name, time_zone)
        position = league.create(name, time_zone, actor)
        league.project()
    if as_json:
        terminal.print_json({"name": name, "time_zone": time_zone, "position": position})
        return
    said = _(
        "Created the league {name} in the time zone {zone}, with edition 1 of the rules (log position {position}).",
        name=escape(repr(name)),
        zone=time_zone,
        position=position,
    )
    terminal.out.print(said)
    terminal.out.print(
        _("Next: `league serve` serves its pages, and `league token NAME --role admin --link` signs you in to them.")
    )


def _asked(name: str | None, time_zone: str | None) -> tuple[str, str]:
    """Both, asked for where they are not given. Raises InvalidInput in a script, which cannot be asked."""
    if not at_terminal():
        missing = [
            InvalidInput(at, say("is not given: name it with {option}", option=option))
            for at, option, value in (("name", "--name", name), ("time_zone", "--time-zone", time_zone))
            if value is None
        ]
        Faults.check(missing)
    with nothing_stored():
        if name is None:
            name = ask_until(_("Name of the league"), check_name)
        if time_zone is None:
            time_zone = ask_until(_("Time zone of its months"), check_time_zone, machine_zone() or "")
    return name, time_zone


def settings(
    name: Annotated[str | None, typer.Option(help="The new name of the league.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The new time zone of its months.")] = None,
    confirmation: Annotated[
        bool | None,
        typer.Option(help="Whether matches that end from now on await confirmation by their players."),
    ] = None,
    photo_confidence: Annotated[
        float | None,
        typer.Option(help="The confidence below which a count of a photo says that it cannot tell.", min=0.0, max=1.0),
    ] = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Show or change the league's settings.

    Without options the command shows them. Another time zone moves matches near midnight to other months. The command
    then shows what would change, and asks.
    """
    with existing_league() as league:
        changes = ChangeSettings(name, time_zone, confirmation, photo_confidence)
        if preview and time_zone is None:
            raise InvalidInput("preview", say("only another time zone changes what is stored: name it"))
        if time_zone is not None and not _time_zone_agreed(league, time_zone, preview, yes=yes, as_json=as_json):
            return
        if changes != ChangeSettings():
            league.dispatcher.send(changes, actor)
            league.project()
        now = StreamStates(league.store, clock()).league()
    if as_json:
        terminal.print_json(
            {
                "name": now.name,
                "time_zone": now.time_zone,
                "confirmation": now.confirmation,
                "photo_confidence": now.photo_confidence,
            }
        )
        return
    demanded = _("demanded") if now.confirmation else _("not demanded")
    rows = [(_("name"), now.name), (_("time zone"), now.time_zone), (_("confirmation of results"), demanded)]
    rows.append((_("confidence of photos"), f"{now.photo_confidence:g}"))
    terminal.table(_("Settings"), ("", ""), rows)


def _time_zone_agreed(league: League, time_zone: str, only_preview: bool, *, yes: bool, as_json: bool) -> bool:
    """Whether to go on; where matches would move to other months, says what would change, and asks."""
    league.project()
    with terminal.working(_("folding what would change")):
        found = preview_time_zone(league.database.url, league.store, clock, time_zone)
    if only_preview and as_json:
        changes = plain_preview(found.changes)
        terminal.print_json({"matches": found.matches, "closed_months": found.closed_months, "changes": changes})
    elif only_preview or (found.matches and not as_json):
        terminal.out.print(
            counted(
                "{count} match would count in another month.", "{count} matches would count in another month.",
                found.matches,
            )
        )  # fmt: skip
        if found.closed_months:
            months = ", ".join(found.closed_months)
            terminal.out.print(_("Closed months among them: {months}. Their published lists stay.", months=months))
        with reading(league) as conn:
            print_preview(conn, found.changes, as_json=False)
    return not only_preview and asking.agreed(_("Change the time zone?"), ask=found.matches > 0 and not yes)
