"""`league tournament`: the commands that show tournaments and store nothing."""

from enum import StrEnum
from typing import Annotated, cast, get_args

import typer

from league.cli.opening import existing_league
from league.cli.options import Json
from league.cli.spoken_commands import SpokenGroup
from league.domain.collected_refusals import Faults
from league.domain.refusals import NotFound
from league.tournaments.application.previewing import preview_round
from league.tournaments.cli import tournament_page as page
from league.tournaments.cli.named import looking_at, seen_tournament
from league.tournaments.domain.plan import faults_of_tie_breaks
from league.tournaments.domain.standing import TieBreak
from league.tournaments.domain.state import RoundState
from league.tournaments.projections.seen import SeenTournament, all_tournaments, tournaments_by_id
from league.wording.language import _

looking = typer.Typer(cls=SpokenGroup, rich_markup_mode="markdown")

TieBreakName = StrEnum("TieBreakName", {name.upper(): name for name in get_args(TieBreak)})  # type: ignore[misc]  # the names are known when it runs
Which = Annotated[str, typer.Argument(metavar="TOURNAMENT", help=_("The id of the tournament."))]
RoundArgument = Annotated[int, typer.Argument(metavar="ROUND", help=_("The number of the round."))]


@looking.command()
def show(
    which: Which,
    round_: Annotated[int | None, typer.Option("--round", help=_("Only this round."))] = None,
    as_json: Json = False,
) -> None:
    """Show a tournament: its last round and its standing."""
    with existing_league() as league, looking_at(league) as snapshot:
        seen = seen_tournament(snapshot, which)
        if round_ is None:
            page.print_tournament(snapshot, seen, as_json=as_json)
        else:
            page.print_round(snapshot, seen, _round(seen, round_), as_json=as_json)


@looking.command()
def entries(which: Which, as_json: Json = False) -> None:
    """List who takes part: who has checked in, who has withdrawn, who plays in whose place."""
    with existing_league() as league, looking_at(league) as snapshot:
        page.print_entries(snapshot, seen_tournament(snapshot, which), as_json=as_json)


@looking.command()
def standing(
    which: Which,
    tie_break: Annotated[
        list[TieBreakName] | None,
        typer.Option(help=_("What the standing would be under this order; repeatable. Nothing is stored.")),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the standing of a tournament, with the ranks that are still possible.

    Under another order than the plan's these ranks are left out.
    """
    with existing_league() as league, looking_at(league) as snapshot:
        seen = seen_tournament(snapshot, which)
        names = None if tie_break is None else cast(list[TieBreak], [name.value for name in tie_break])
        assert seen.state.plan is not None, "it is planned"
        Faults.check(faults_of_tie_breaks("tie_break", names or (), seen.state.plan.format))
        page.print_standing(snapshot, seen, names, as_json=as_json)


@looking.command()
def preview(which: Which, as_json: Json = False) -> None:
    """Show the next round as it could come out; the real drawing will give other tables."""
    with existing_league() as league, looking_at(league) as snapshot:
        seen = seen_tournament(snapshot, which)
        page.print_preview(snapshot, seen, preview_round(league, which), as_json=as_json)


@looking.command()
def why(which: Which, round_: RoundArgument, as_json: Json = False) -> None:
    """Say why each table of a round came about."""
    with existing_league() as league, looking_at(league) as snapshot:
        seen = seen_tournament(snapshot, which)
        page.print_why(snapshot, seen, _round(seen, round_), as_json=as_json)


@looking.command()
def would_change(which: Which, round_: RoundArgument, as_json: Json = False) -> None:
    """Show the tables that a round would have if it were paired on the results of today."""
    with existing_league() as league, looking_at(league) as snapshot:
        seen = seen_tournament(snapshot, which)
        page.print_would_change(snapshot, seen, _round(seen, round_), as_json=as_json)


@looking.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the tournaments."""
    with existing_league() as league, looking_at(league) as snapshot:
        ids = all_tournaments(snapshot)
        found = tournaments_by_id(snapshot, ids)
        page.print_list([found[id_] for id_ in ids], as_json=as_json)


def _round(seen: SeenTournament, number: int) -> RoundState:
    found = seen.state.round(number)
    if found is None:
        raise NotFound("round", "round", str(number), tuple(str(one.number) for one in seen.state.rounds))
    return found
