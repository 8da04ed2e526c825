"""`league close-month`: the standings of a month of the series become final."""

from typing import Annotated

import typer
from rich.markup import escape

from league.cli import terminal
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json
from league.domain.league import CloseMonth
from league.domain.refusals import InvalidInput
from league.projections.queries.official import chosen_run
from league.projections.queries.series import open_months
from league.projections.queries.snapshot import snapshot_of
from league.wording.language import _


def close_month(
    month: Annotated[str | None, typer.Argument(metavar="YYYY-MM", help=_("A month that has ended."))] = None,
    all_ended: Annotated[
        bool, typer.Option("--all-ended", help=_("Close every month that has ended, the oldest first."))
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Close a month of the series: publish its standings and award its badges.

    Only a month that has ended can be closed: both the newest event and the database's clock are past its end.
    `league serve` and `league project` close months by themselves.
    """
    if (month is None) != all_ended:
        raise InvalidInput("month", _("name a month, or give --all-ended"))
    with existing_league() as league:
        league.project()
        if all_ended:
            with reading(league) as conn:
                months = open_months(snapshot_of(conn, chosen_run(conn, None)), league.store.time_reached())
        else:
            months = [month or ""]
        closed = []
        for one in months:
            position = league.dispatcher.send(CloseMonth(one), actor)
            league.project()
            closed.append({"month": one, "position": position})
            if not as_json:
                terminal.out.print(
                    _(
                        "The series of {one} is closed, its standings are published (log position {position}).",
                        one=escape(one),
                        position=position,
                    )
                )
    if as_json:
        terminal.print_json({"closed": closed})
    elif not months:
        terminal.out.print(_("Every month that has ended is closed."))
