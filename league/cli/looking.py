"""What players come back for: boards, standings, players, and why a number is what it is."""

from enum import StrEnum
from typing import Annotated

import typer
from msgspec.structs import replace

from league.application.bootstrap import clock
from league.application.preview import preview_without
from league.cli import (
    board_command,
    explain_command,
    history_command,
    player_command,
    preview_command,
    standings_command,
    terminal,
)
from league.cli.app import (
    Around,
    AsOf,
    First,
    Json,
    KnownAt,
    Region,
    Run,
    SeriesMode,
    app,
    existing_league,
    in_utc,
    reading,
    reading_run,
)
from league.domain.refusals import InvalidInput
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.queries.official import chosen_run
from league.projections.queries.played import StatisticsFilter
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import snapshot_beside, snapshot_of

PANEL = "Players and boards"


@app.command(rich_help_panel=PANEL, epilog="Forms: " + explain_command.FORMS)
def explain(
    what: Annotated[
        list[str],
        typer.Argument(help="A match and a player or a team (ids or names, joined by +), or another form: see below."),
    ],
    hand: Annotated[int | None, typer.Option(help="With a match alone: the number of a hand.", min=1)] = None,
    against: Annotated[
        int | None, typer.Option(metavar="RUN", help="Side by side with what this run says, which comes first.")
    ] = None,
    run: Run = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Say why a rating, a hand's points, a standing, a badge or a place is what it is, to the last term and event."""
    with reading_run(run, known_at) as (_, snapshot):
        asked = explain_command.Asked(what, hand, of_run=run is not None or known_at is not None)
        if against is None:
            explain_command.show(snapshot, asked, as_json=as_json)
        else:
            explain_command.show_beside(snapshot_beside(snapshot, against), snapshot, asked, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def what_if_not(
    match: Annotated[str, typer.Argument(help="The match's id.")],
    who: Annotated[str, typer.Argument(metavar="PLAYER", help="An id or a name.")],
    as_json: Json = False,
) -> None:
    """Say what would be different for a player, and for their pairs, if a match had not been."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            player = player_command.find(snapshot_of(conn, chosen_run(conn, None)), who, "player")
        with terminal.working("folding what would change"):
            found = preview_without(league.database.url, league.store, clock, match, player)
        with reading(league) as conn:
            preview_command.show(conn, found, as_json=as_json)


Kind = StrEnum("Kind", {kind.upper(): kind for kind in BOARDS})  # type: ignore[misc]  # as above


@app.command(rich_help_panel=PANEL)
def board(
    kind: Annotated[Kind, typer.Argument(help="Which board.")] = Kind("global"),
    region: Region = None,
    around: Around = None,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="The month of the series (default: the present month).")
    ] = None,
    mode: Annotated[
        SeriesMode | None, typer.Option(help="In the series: players or fixed pairs (default: 1v1).")
    ] = None,
    as_of: AsOf = None,
    run: Run = None,
    known_at: KnownAt = None,
    first: First = None,
    everybody: Annotated[bool, typer.Option("--all", help="Show inactive players, too.")] = False,
    as_json: Json = False,
) -> None:
    """Print a leaderboard, with the ranks gained or lost in the week before."""
    if not BOARDS[kind.value].monthly and (month or mode):
        raise InvalidInput("month" if month else "mode", "only the series has months and modes")
    with reading_run(run, known_at) as (league, snapshot):
        wanted = Board(kind.value, region, everybody, in_utc(as_of, league))
        if BOARDS[kind.value].monthly:
            named = month_named(snapshot, mode or SeriesMode.ONE_ON_ONE, month, clock())
            wanted = replace(wanted, month=named.month, mode=named.mode)
        board_command.show(snapshot, wanted, around, first, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def standings(
    month: Annotated[
        str | None, typer.Argument(metavar="YYYY-MM", help="The month (default: the present month).")
    ] = None,
    mode: Annotated[SeriesMode, typer.Option(help="Players in 1v1 matches, or fixed pairs.")] = SeriesMode.ONE_ON_ONE,
    region: Region = None,
    around: Around = None,
    published: Annotated[
        bool, typer.Option("--published", help="The list as it was published when the month was closed.")
    ] = False,
    as_of: AsOf = None,
    run: Run = None,
    known_at: KnownAt = None,
    first: First = None,
    as_json: Json = False,
) -> None:
    """Print the standings of a month of the series, what was corrected since, and which matches count zero."""
    if published and (around or as_of):
        raise InvalidInput("published", "the published list is printed from its first place, and has no other moment")
    with reading_run(run, known_at) as (league, snapshot):
        named = month_named(snapshot, mode.value, month, clock())
        asked = standings_command.Asked(region, around, first, in_utc(as_of, league), published, as_json)
        standings_command.show(snapshot, named, asked, clock())


class Mode(StrEnum):
    """How a match is played."""

    ONE_ON_ONE = "1v1"
    TWO_ON_TWO = "2v2"
    INDIVIDUALS = "individuals"


@app.command(rich_help_panel=PANEL)
def player(
    who: Annotated[str, typer.Argument(metavar="PLAYER", help="An id or a name; for a team two, joined by +.")],
    against: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Only matches against this player or team.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option(help="Only matches in this mode.")] = None,
    season: Annotated[str | None, typer.Option(help="Only matches of this season.")] = None,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="Only matches of this month of the league's time zone.")
    ] = None,
    as_of: AsOf = None,
    run: Run = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Print a page about a player or a team, or how two have played against each other."""
    with reading_run(run, known_at) as (league, snapshot):
        wanted = StatisticsFilter(mode and mode.value, season, month, decided_until=in_utc(as_of, league))
        if against is None:
            player_command.show(snapshot, who, wanted, as_json=as_json)
        else:
            player_command.show_meeting(snapshot, who, against, wanted, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def history(
    who: Annotated[str, typer.Argument(metavar="PLAYER", help="An id or a name; for a team two, joined by +.")],
    mode: Annotated[SeriesMode | None, typer.Option(help="Only the rating of this mode.")] = None,
    first: Annotated[int, typer.Option(help="How many moves.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print how a rating came about: matches, corrections, and changes of the rules."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            id_ = player_command.find(snapshot, who, "player")
            history_command.show(snapshot, id_, mode and mode.value, first, as_json=as_json)
