"""`league settings`: the name and time zone of the league, what it demands of results, and of counts of photos."""

from typing import Annotated

import typer

from league.application.bootstrap import League, clock
from league.application.preview import preview_time_zone
from league.application.stream_states import StreamStates
from league.cli import asking, terminal
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json, OnlyPreview, Yes
from league.cli.preview_tables import plain_preview, print_preview
from league.domain.league import ChangeSettings
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.wording.language import _, counted


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
