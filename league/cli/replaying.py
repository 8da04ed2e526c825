"""Replays: fold, list, compare, promote, roll back, drop."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from league.application.bootstrap import clock
from league.application.replay_requests import Asked
from league.application.stream_states import StreamStates
from league.cli import difference_command, replays_command, rules_command
from league.cli.app import (
    TIMES,
    Actor,
    Json,
    RunArgument,
    app,
    existing_league,
    in_utc,
    moment,
    reader_may_leave,
    reading,
)
from league.domain.refusals import InvalidInput
from league.domain.rulebook_document import parse_rulebook
from league.projections.queries.official import chosen_run
from league.projections.replays.replay import Period, edition_to_revise, period_of_season
from league.transfer.difference_rows import LISTS, Part

PANEL = "Replays"


@app.command(rich_help_panel=PANEL)
def replay(
    rules: Annotated[Path | None, typer.Option(help="A TOML file; it may contain only what it changes.")] = None,
    edition: Annotated[int | None, typer.Option(help="The number of a published edition, instead of a file.")] = None,
    season: Annotated[str | None, typer.Option(help="Revise only the matches of this season.")] = None,
    from_: Annotated[
        datetime | None,
        typer.Option(
            "--from",
            parser=moment,
            metavar="TIME",
            help=f"Revise only matches that began at this time or later. {TIMES}",
        ),
    ] = None,
    to: Annotated[
        datetime | None,
        typer.Option("--to", parser=moment, metavar="TIME", help="Revise only matches that began before this time."),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(
            "--known-at",
            parser=moment,
            metavar="TIME",
            help="Replay only what had been recorded by then; needs no revision.",
        ),
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Replay the league under revised rules, beside the official one, and print who would move and why."""
    if season is not None and (from_ or to):
        raise InvalidInput("season", "name a season, or dates, not both")
    if rules is not None and edition is not None:
        raise InvalidInput("edition", "give a file or the number of an edition, not both")
    if rules is None and edition is None and (known_at is None or season or from_ or to):
        raise InvalidInput("rules", "say what is revised: a file, or the number of an edition")
    with existing_league() as league:
        league.project()
        url = league.database.url
        candidate = None if edition is None else StreamStates(league.store, clock()).rulebook().edition(edition)
        if rules is not None:
            candidate = parse_rulebook(rules_command.read_rules(rules), edition_to_revise(url))
        period = period_of_season(url, season) if season else Period(in_utc(from_, league), in_utc(to, league))
        run = replays_command.fold(league, Asked(candidate, period, in_utc(known_at, league)), actor)
        with reading(league) as conn:
            asked = difference_command.Asked("json" if as_json else "table")
            difference_command.show(conn, chosen_run(conn, None), chosen_run(conn, run), asked)


@app.command(rich_help_panel=PANEL)
def replays(as_json: Json = False) -> None:
    """List the replays, each with its number, its run's number, its progress, and what it revises."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            replays_command.show(conn, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def promote(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Make the run of a replay official: its rules are adopted and everybody reads it, in one step."""
    with existing_league() as league, reading(league) as conn:
        replays_command.promote(league, run, actor, conn, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def rollback(as_json: Json = False, actor: Actor = "cli") -> None:
    """Go back to the rules in force before the last adoption. A second time goes forward again."""
    with existing_league() as league, reading(league) as conn:
        replays_command.roll_back(league, actor, conn, as_json=as_json)


@app.command(rich_help_panel=PANEL)
def drop(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Remove the run of a replay; not the official one, nor the one a rollback would need."""
    with existing_league() as league:
        replays_command.drop(league, run, actor, as_json=as_json)


Differing = StrEnum("Differing", {name.upper(): name for name in ("totals", *LISTS)})  # type: ignore[misc]  # the names are known when it runs


class DifferenceFormat(StrEnum):
    """How a difference is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


@app.command(rich_help_panel=PANEL)
def difference(
    run: Annotated[int, typer.Argument(help="The run of a replay.")],
    against: Annotated[int | None, typer.Option(help="The run to compare with (default: the official run).")] = None,
    what: Annotated[
        Differing | None, typer.Option(help="One part only (default: a summary; in JSON everything).")
    ] = None,
    player: Annotated[str | None, typer.Option(help="In the lists, only this player (an id) and their pairs.")] = None,
    format_: Annotated[
        DifferenceFormat, typer.Option("--format", help="Tables, one JSON document, or the rows of one list.")
    ] = DifferenceFormat.TABLE,
    first: Annotated[int | None, typer.Option(help="How many rows of each list.", min=1)] = None,
    skip: Annotated[
        int, typer.Option(help="Leave out so many rows before: --first 50 --skip 50 is page two.", min=0)
    ] = 0,
) -> None:
    """Compare two runs: ratings, ranks, standings, badges, results, and the events where they diverge."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn, reader_may_leave():
            asked = difference_command.Asked(format_.value, what and what.value, Part(player, first, skip))
            difference_command.show(conn, chosen_run(conn, against), chosen_run(conn, run), asked)
