"""`league dispute`: disputes of results are listed, opened, withdrawn and rejected."""

from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from league.application.bootstrap import League
from league.cli import terminal
from league.cli.found_matches import match_id
from league.cli.match_page import player_of_match
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json, MatchArgument
from league.cli.spoken_commands import SpokenGroup
from league.domain.deciders import Command
from league.domain.disputes import DisputeResult, RejectDispute, WithdrawDispute
from league.projections.queries.disputes import OLDEST_FIRST, DisputeRow, disputes
from league.projections.queries.rows import typed
from league.wording.disputes import outcome_words
from league.wording.language import _
from league.wording.numbers import moment_of

dispute = typer.Typer(
    cls=SpokenGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="List, open, withdraw and reject disputes of results.\n\n    A dispute changes nothing by itself. "
    "`league void`, `league hand correct` and `league match reopen` settle one with\n    "
    "`--settles`.\n    ",
)

Number = Annotated[int, typer.Argument(metavar="DISPUTE", help=_("The number of the dispute in the match."))]


@dispute.command(name="list")
def list_(
    every: Annotated[bool, typer.Option("--all", help=_("Also those that are closed."))] = False,
    as_json: Json = False,
) -> None:
    """List the disputes that are open, the oldest first."""
    with existing_league() as league:
        league.project()
        zone = league.time_zone()
        query = disputes(is_open=None if every else True).order_by(*OLDEST_FIRST.columns)
        with reading(league) as conn:
            found = list(typed(DisputeRow, conn.execute(query)))
    if as_json:
        terminal.print_json([row._asdict() for row in found])
    elif not found:
        terminal.out.print(_("There are no disputes.") if every else _("No dispute is open."))
    else:
        columns = (_("match"), _("no."), _("player"), _("opened"), _("reason"), _("outcome"))
        rows = [_line(row, zone) for row in found]
        terminal.table(_("Disputes"), columns, rows, (_("no."),))


def _line(row: DisputeRow, zone: ZoneInfo) -> tuple[Any, ...]:
    opened = moment_of(row.opened_at, zone)
    return row.match_id, row.dispute, row.player_id, opened, row.reason, outcome_words(row.outcome, row.answer)


@dispute.command(name="open")
def open_(
    match: MatchArgument,
    player: Annotated[str, typer.Option(metavar="PLAYER", help=_("Who disputes it: an id or a name."))],
    reason: Annotated[str, typer.Option(help=_("What is wrong with the result, for everybody to read."))],
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Dispute the result of a match for one of its players.

    The result stands until the dispute is settled.
    """
    with existing_league() as league:
        id_ = match_id(league, match)
        command = DisputeResult(id_, player_of_match(league, id_, player), reason)
        _send(league, command, actor, as_json=as_json)
    if not as_json:
        terminal.out.print(_("The result of match {match} is disputed.", match=escape(match)))


@dispute.command()
def withdraw(match: MatchArgument, number: Number, as_json: Json = False, actor: Actor = "cli") -> None:
    """Take a dispute back, for the player who opened it."""
    with existing_league() as league:
        _send(league, WithdrawDispute(match_id(league, match), number, None), actor, as_json=as_json)
    if not as_json:
        terminal.out.print(_("Dispute {number} of match {match} is withdrawn.", number=number, match=escape(match)))


@dispute.command()
def reject(
    match: MatchArgument,
    number: Number,
    reason: Annotated[str, typer.Option(help=_("Why the result stands, for everybody to read."))],
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Let a disputed result stand."""
    with existing_league() as league:
        _send(league, RejectDispute(match_id(league, match), number, reason), actor, as_json=as_json)
    if not as_json:
        terminal.out.print(_("Dispute {number} of match {match} is rejected.", number=number, match=escape(match)))


def _send(league: League, command: Command, actor: str, *, as_json: bool) -> None:
    position = league.dispatcher.send(command, actor)
    league.project()
    if as_json:
        terminal.print_json({"position": position})
