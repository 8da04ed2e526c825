"""The `league` command: parses, calls, prints.

Exit codes: 0 done, 1 failed (the database is away, a bug), 2 refused (bad input, or the league says no).
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from msgspec.structs import replace
from psycopg import OperationalError
from rich.markup import escape
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from league import (
    acts,
    board_command,
    console,
    difference_command,
    explain_command,
    history_command,
    log_rows,
    player_command,
    preview_command,
    prove_command,
    replays_command,
    rules_command,
    standings_command,
    trail_command,
    verify_command,
)
from league import export as exports
from league.api.logs import configure_logs
from league.bootstrap import (
    CannotListen,
    League,
    ProjectorStuck,
    clock,
    follow,
    founding,
    open_league,
    required_key,
    secret_of,
)
from league.database import connect, engine, open_database, wait_until_reachable
from league.database import migrate as run_migrations
from league.difference_rows import LISTS
from league.dispatch import Command, World
from league.domain.league import ChangeSettings, CloseMonth
from league.domain.match import CorrectHand, VoidMatch
from league.domain.player import ErasePlayer, erase_player, pseudonym
from league.domain.refusals import InvalidInput, Refusal, WrongState
from league.domain.rulebook_document import parse_rulebook
from league.domain.trail import RowsExported
from league.embedded_postgres import EmbeddedDatabaseFailed, EmbeddedDatabaseMissing
from league.event_store import Request, StoreUnavailable
from league.head_signing import ChainBroken, stored_heads
from league.jobs import Jobs, broker_for
from league.log_file import write_log
from league.preview import preview as previewed
from league.prints import print_report
from league.projections.boards import Board
from league.projections.official import chosen_run
from league.projections.projector import AnotherProjector
from league.projections.reads.played import StatisticsFilter
from league.projections.reads.series import month_named, open_months
from league.projections.reads.snapshot import Snapshot, snapshot_of
from league.projections.reads.trail import TrailFilter
from league.projections.replay import Period, edition_to_revise, period_of_season
from league.recorded import import_season
from league.replays_command import Asked
from league.settings import BadSetting, Settings, from_environment
from league.signed_heads import public_pem

app = typer.Typer(
    name="league",
    help="A domino league: hands go in; ratings, boards and the reason behind every number come out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
Actor = Annotated[str, typer.Option(help="Who does it, as recorded in the log.", envvar="LEAGUE_ACTOR")]


def moment(text: str) -> datetime:
    """A time as people write it; without an offset it is meant where the league is."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        example = "2026-03-01, 2026-03-01T14:30 or 2026-03-01T14:30-05:00"
        raise typer.BadParameter(f"{text!r} is not a time; write it as {example}.") from None


Run = Annotated[int | None, typer.Option(help="The run of a replay (default: the official run).")]
KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", parser=moment, metavar="TIME", help="What had been recorded by then."),
]
AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", parser=moment, metavar="TIME", help="As it stood at this moment of play."),
]

SUCCESS, FAILURE, REFUSED = 0, 1, 2
FAILURES = (
    StoreUnavailable, EmbeddedDatabaseFailed, EmbeddedDatabaseMissing, BadSetting, AnotherProjector, ProjectorStuck,
    CannotListen, OperationalError, DBAPIError, ChainBroken,
)  # fmt: skip


def main() -> NoReturn:
    """Run the command and end the process with its exit code."""
    as_json = "--json" in sys.argv
    # So that what was opened is closed, the embedded database too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        app(standalone_mode=True)
    except Refusal as refusal:
        console.refusal(refusal, as_json=as_json)
        sys.exit(REFUSED)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except FAILURES as failure:
        console.err.print("[bold red]failed[/]", escape(str(failure)))
        sys.exit(FAILURE)
    sys.exit(SUCCESS)


def settings() -> Settings:
    """The settings of this process."""
    return from_environment(os.environ)


@contextmanager
def existing_league() -> Iterator[League]:
    """The league. Raises WrongState where there is none."""
    with open_league(settings()) as league:
        if not league.exists():
            raise WrongState("the league", "not there", "create it first (`league init`, or `league import`)")
        yield league


@app.command()
def init(
    name: Annotated[str, typer.Option(help="The name of the league.")] = "Domino league",
    time_zone: Annotated[str, typer.Option(help="The time zone of its months, such as America/Havana.")] = "UTC",
    actor: Actor = "cli",
) -> None:
    """Create the league with a name, a time zone and edition 1 of the rules."""
    with open_league(settings()) as league:
        position = league.create(name, time_zone, actor)
        league.project()
    console.out.print(f"The league {escape(repr(name))} exists, with edition 1 of the rules (log position {position}).")


@app.command(name="settings")
def settings_(
    name: Annotated[str | None, typer.Option(help="The name of the league.")] = None,
    time_zone: Annotated[str | None, typer.Option(help="The time zone of its months.")] = None,
    actor: Actor = "cli",
) -> None:
    """Show the league's name and time zone, or change them."""
    with existing_league() as league:
        if name is not None or time_zone is not None:
            league.dispatcher.send(ChangeSettings(name, time_zone), actor)
            league.project()
        now = World(league.store, clock()).league()
    console.table("Settings", ("", ""), [("name", now.name), ("time zone", now.time_zone)])


@app.command(name="import")
def import_(
    season_dir: Annotated[Path, typer.Argument(help="A folder with players.jsonl and matches.jsonl.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing; list every bad line.")] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Import a recorded season: all of it, or nothing if a line is bad. Creates the league if there is none."""
    with open_league(settings()) as league:
        existed = league.exists()
        with console.progress("checking lines") as progress:
            report = import_season(
                season_dir, league.store, clock, actor, founding=founding(), dry_run=dry_run, progress=progress
            )
        if not dry_run:
            with console.progress("projecting events") as progress:
                league.project(progress)
        if not existed and not dry_run and not as_json:
            console.err.print("Created the league 'Domino league' in UTC; `league settings` changes that.")
    print_report(report, dry_run=dry_run, as_json=as_json)
    if report.refused:
        raise typer.Exit(REFUSED)


class Format(StrEnum):
    """How rows are written."""

    JSONL = "jsonl"
    CSV = "csv"


What = StrEnum("What", {name.upper(): name for name in ("log", "trail", *exports.EXPORTS)})  # type: ignore[misc]  # the names are known when it runs


@app.command()
def export(
    what: Annotated[What, typer.Argument(help="What to write.")],
    run: Run = None,
    known_at: KnownAt = None,
    format_: Annotated[Format, typer.Option("--format", help="JSON Lines or CSV.")] = Format.JSONL,
    actor: Actor = "cli",
) -> None:
    """Write rows to standard output, unrounded and in a stable order; `log` writes the events as stored."""
    request = Request(actor, "manual")
    if what.value == "log":
        with existing_league() as league:
            acts.record(league.store, RowsExported("log", "log", None), request)
            with connect(league.database.url) as log, _reader_may_leave():
                write_log(log_rows.rows(log), sys.stdout.buffer)
        return
    write = exports.write_csv if format_ is Format.CSV else exports.write_jsonl
    if what.value == "trail":
        with existing_league() as league:
            acts.record(league.store, RowsExported("trail", format_.value, None), request)
            with _reading(league) as conn, _reader_may_leave():
                write(trail_command.rows(conn), sys.stdout)
        return
    with _reading_run(run, known_at) as (league, snapshot):
        acts.record(league.store, RowsExported(what.value, format_.value, snapshot.run), request)
        rows = exports.EXPORTS[what.value](snapshot.conn, snapshot.run)
        with _reader_may_leave():
            write(rows, sys.stdout)


@app.command()
def trail(
    player: Annotated[str | None, typer.Option(help="About this player, by id: matches, series, tokens too.")] = None,
    match: Annotated[str | None, typer.Option(help="About this match.")] = None,
    actor: Annotated[str | None, typer.Option(help="Written by this actor.")] = None,
    source: Annotated[str | None, typer.Option(help="By this door: manual, import, live or photo.")] = None,
    kind: Annotated[str | None, typer.Option(help="Of this kind, such as match-voided.")] = None,
    from_: Annotated[
        datetime | None, typer.Option("--from", parser=moment, metavar="TIME", help="Recorded then or later.")
    ] = None,
    to: Annotated[datetime | None, typer.Option("--to", parser=moment, metavar="TIME", help="Recorded before.")] = None,
    first: Annotated[int, typer.Option(help="How many events, the latest first.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print who did what: events of play, changes of the rules, tokens, replays, exports; the latest first."""
    with _reading_run(None, None) as (league, snapshot):
        start, end = _in_zone(from_, league), _in_zone(to, league)
        wanted = TrailFilter(player, match, actor, source, kind, recorded_from=start, recorded_before=end)
        trail_command.show(snapshot, wanted, first, as_json=as_json)


@app.command()
def replay(
    rules: Annotated[Path | None, typer.Option(help="A TOML file; it may contain only what it changes.")] = None,
    edition: Annotated[int | None, typer.Option(help="The number of a published edition, instead of a file.")] = None,
    season: Annotated[str | None, typer.Option(help="Revise only the matches of this season.")] = None,
    from_: Annotated[
        datetime | None,
        typer.Option(
            "--from", parser=moment, metavar="TIME", help="Revise only matches that began at this time or later."
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
        candidate = None if edition is None else World(league.store, clock()).rulebook().edition(edition)
        if rules is not None:
            candidate = parse_rulebook(rules_command.read_rules(rules), edition_to_revise(url))
        period = period_of_season(url, season) if season else Period(_in_zone(from_, league), _in_zone(to, league))
        run = replays_command.fold(league, Asked(candidate, period, _in_zone(known_at, league)), actor)
        with _reading(league) as conn:
            asked = difference_command.Asked("json" if as_json else "table")
            difference_command.show(conn, chosen_run(conn, None), chosen_run(conn, run), asked)


@app.command()
def replays(as_json: Json = False) -> None:
    """List the replays: progress, run, and what each revises."""
    with existing_league() as league:
        league.project()
        with _reading(league) as conn:
            replays_command.show(conn, as_json=as_json)


RunArgument = Annotated[int, typer.Argument(metavar="RUN", help="The run of a replay.")]


@app.command()
def promote(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Make the run of a replay official: its rules are adopted and everybody reads it, in one step."""
    with existing_league() as league, _reading(league) as conn:
        replays_command.promote(league, run, actor, conn, as_json=as_json)


@app.command()
def rollback(as_json: Json = False, actor: Actor = "cli") -> None:
    """Go back to the rules in force before the last adoption."""
    with existing_league() as league, _reading(league) as conn:
        replays_command.roll_back(league, actor, conn, as_json=as_json)


@app.command()
def drop(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Remove the run of a replay; not the official one, nor the one a rollback would need."""
    with existing_league() as league:
        replays_command.drop(league, run, actor, as_json=as_json)


Differing = StrEnum("Differing", {name.upper(): name for name in ("totals", *LISTS)})  # type: ignore[misc]  # as above


class DifferenceFormat(StrEnum):
    """How a difference is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


@app.command()
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
) -> None:
    """Compare two runs: ratings, ranks, standings, badges, results, and the events where they diverge."""
    with existing_league() as league:
        league.project()
        with _reading(league) as conn, _reader_may_leave():
            asked = difference_command.Asked(format_.value, what and what.value, player, first)
            difference_command.show(conn, chosen_run(conn, against), chosen_run(conn, run), asked)


@app.command(epilog="Forms: " + explain_command.FORMS)
def explain(
    what: Annotated[
        list[str],
        typer.Argument(help="A match and a player or a team (ids or names, joined by +); or another form, see below."),
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
    with _reading_run(run, known_at) as (_, snapshot):
        asked = explain_command.Asked(what, hand)
        if against is None:
            explain_command.show(snapshot, asked, as_json=as_json)
        else:
            other = snapshot_of(snapshot.conn, chosen_run(snapshot.conn, against))
            explain_command.show_beside(other, snapshot, asked, as_json=as_json)


Kind = StrEnum("Kind", {name.upper(): name for name in board_command.NAMES})  # type: ignore[misc]  # as above


class SeriesMode(StrEnum):
    """Who competes in a series."""

    ONE_ON_ONE = "1v1"
    TWO_ON_TWO = "2v2"


Region = Annotated[str | None, typer.Option(help="Only this region.")]
Around = Annotated[
    str | None, typer.Option(metavar="PLAYER", help="The places around a player or a team, by id or name.")
]
First = Annotated[
    int | None,
    typer.Option(
        help=f"How many places; with --around how many on either side (default: {board_command.FIRST}, or "
        f"{board_command.AROUND} on either side).",
        min=1,
    ),
]


@app.command()
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
    if kind.value != "series" and (month or mode):
        raise InvalidInput("month" if month else "mode", "only the series has months and modes")
    with _reading_run(run, known_at) as (league, snapshot):
        wanted = Board(kind.value, region, everybody, _in_zone(as_of, league))  # type: ignore[arg-type]  # one of them
        if kind.value == "series":
            named = month_named(snapshot, mode or SeriesMode.ONE_ON_ONE, month, clock())
            wanted = replace(wanted, month=named.month, mode=named.mode)
        board_command.show(snapshot, wanted, around, first, as_json=as_json)


@app.command()
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
    with _reading_run(run, known_at) as (league, snapshot):
        named = month_named(snapshot, mode.value, month, clock())
        asked = standings_command.Asked(region, around, first, _in_zone(as_of, league), published, as_json)
        standings_command.show(snapshot, named, asked, clock())


@app.command(name="close-month")
def close_month(
    month: Annotated[str | None, typer.Argument(metavar="YYYY-MM", help="A month that is over.")] = None,
    all_ended: Annotated[
        bool, typer.Option("--all-ended", help="Every month that is over and still open, the oldest first.")
    ] = False,
    actor: Actor = "cli",
) -> None:
    """Close a month of the series that is over: publish its standings, and award its badges."""
    if (month is None) != all_ended:
        raise InvalidInput("month", "name a month, or give --all-ended")
    with existing_league() as league:
        league.project()
        if all_ended:
            with _reading(league) as conn:
                months = open_months(snapshot_of(conn, chosen_run(conn, None)), clock())
        else:
            months = [month or ""]
        for one in months:
            position = league.dispatcher.send(CloseMonth(one), actor)
            league.project()
            console.out.print(f"The series of {escape(one)} is closed, its standings are published ({position}).")
    if not months:
        console.out.print("No month that is over is open.")


MatchArgument = Annotated[str, typer.Argument(help="The match's id.")]
Reason = Annotated[str, typer.Option(help="Why, for those who read the log.")]
OnlyPreview = Annotated[bool, typer.Option("--preview", help="Only show what it would change.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command()
def void(
    match: MatchArgument,
    reason: Reason,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Void a match for good: show what that changes, ask, and do it."""
    with existing_league() as league:
        _correct(league, VoidMatch(match, reason), actor, ask=not yes, only_preview=preview, as_json=as_json)


@app.command()
def correct(
    match: MatchArgument,
    hand: Annotated[int, typer.Argument(help="The number of the hand, from 1.")],
    facts: Annotated[Path, typer.Option(help="A JSON file with the hand, as in a recorded season.")],
    reason: Reason,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Replace the facts of a hand: show what that changes, ask, and do it."""
    with existing_league() as league:
        read = preview_command.read_facts(facts, match, World(league.store, clock()))
        command = CorrectHand(match, hand, read, reason)
        _correct(league, command, actor, ask=not yes, only_preview=preview, as_json=as_json)


def _correct(league: League, command: Command, actor: str, *, ask: bool, only_preview: bool, as_json: bool) -> None:
    """Print what a command would change, ask, and carry it out."""
    league.project()
    found = previewed(league.database.url, league.store, clock, [command])
    with _reading(league) as conn:
        preview_command.show(conn, found, as_json=as_json)
    if only_preview or (ask and not typer.confirm("Do it?", err=True)):
        return
    position = league.dispatcher.send(command, actor)
    league.project()
    console.err.print(f"Done (log position {position}); `league history` tells whom it moved, and why.")


class Mode(StrEnum):
    """How a match is played."""

    ONE_ON_ONE = "1v1"
    TWO_ON_TWO = "2v2"
    INDIVIDUALS = "individuals"


@app.command()
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
    with _reading_run(run, known_at) as (league, snapshot):
        wanted = StatisticsFilter(mode and mode.value, season, month, decided_until=_in_zone(as_of, league))
        if against is None:
            player_command.show(snapshot, who, wanted, as_json=as_json)
        else:
            player_command.show_meeting(snapshot, who, against, wanted, as_json=as_json)


@app.command()
def history(
    who: Annotated[str, typer.Argument(metavar="PLAYER", help="An id or a name; for a team two, joined by +.")],
    mode: Annotated[SeriesMode | None, typer.Option(help="Only the rating of this mode.")] = None,
    first: Annotated[int, typer.Option(help="How many moves.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print how a rating came about: matches, corrections, and changes of the rules."""
    with existing_league() as league:
        league.project()
        with _reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            id_ = player_command.find(snapshot, who, "player")
            history_command.show(snapshot, id_, mode and mode.value, first, as_json=as_json)


@app.command()
def erase(
    player: Annotated[str, typer.Argument(help="The player's id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    actor: Actor = "cli",
) -> None:
    """Erase a player's names for good. Matches and ratings stay, under a pseudonym."""
    with existing_league() as league:
        known, command = World(league.store, clock()).player(player), ErasePlayer(player)
        erase_player(command, known)  # what would be refused is not asked for
        if not yes:
            typer.confirm(f"Erase the names of {known.name} ({player}) for good?", abort=True, err=True)
        position = league.dispatcher.send(command, actor)
        league.project()
    console.out.print(
        f"{escape(player)} is erased (position {position}) and shows as {pseudonym(player)}; matches, ratings and "
        "region stay.\nThe name may still stand in backups made before, in files that were imported, and in what "
        "people wrote as reasons."
    )


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=0, max=65535)] = 8000,
) -> None:
    """Serve the GraphQL API; with the embedded database also project and run jobs."""
    from league.api.tokens import checking_secret  # noqa: PLC0415  # the API takes a second to import
    from league.serving import serve as run_server  # noqa: PLC0415

    given = settings()
    checking_secret(given)
    with open_league(given) as league:
        if league.database.embedded and not league.exists():
            league.create("Domino league", "UTC", "cli")
        run_server(league, given, host, port)


@app.command()
def project(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Project the whole log again, then stop.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Stop when the log is projected.")] = False,
) -> None:
    """Follow the log and keep the read tables up to date."""
    given = settings()
    with open_league(given) as league:
        if rebuild or once:
            with console.progress("projecting events") as progress:
                league.project(progress, rebuild=rebuild)
            return
        configure_logs(given.log_level)
        with _stop_on_signal() as stop:
            follow(league, stop)


@app.command()
def worker() -> None:
    """Run the replays that are queued as jobs."""
    given = settings()
    configure_logs(given.log_level)
    with open_league(given) as league, _stop_on_signal() as stop:
        Jobs(league.database.url, broker_for(given.broker_url)).work(stop)


@app.command()
def migrate() -> None:
    """Migrate the database to the newest version."""
    with open_database(settings()) as database:
        wait_until_reachable(database.url, timeout=30)
        run_migrations(database.url)
    console.out.print("The database is up to date.")


Heads = Annotated[
    list[Path] | None, typer.Option("--heads", metavar="FILE", help="Signed heads kept elsewhere; may be repeated.")
]
PublicKeys = Annotated[
    list[Path] | None, typer.Option("--public-key", metavar="FILE", help="The public keys to trust; may be repeated.")
]


@app.command()
def verify(
    heads: Heads = None,
    public_key: PublicKeys = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A log from `league export log`; needs no database.")
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild/--no-rebuild", help="Also rebuild the league from the log, and compare.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Check that the log is unchanged and the official league follows from it; exit code 1 if not."""
    if log is not None:
        found = verify_command.verify_file(log, heads or [], public_key or [])
    else:
        with existing_league() as league:
            found = verify_command.verify_league(league, heads or [], public_key or [], rebuild=rebuild)
    verify_command.show(found, as_json=as_json)
    if found.faults:
        raise typer.Exit(FAILURE)


heads_app = typer.Typer(help="Signed heads of the log, to be kept elsewhere.")
app.add_typer(heads_app, name="heads")


@heads_app.callback(invoke_without_command=True)
def heads_(context: typer.Context, as_json: Json = False) -> None:
    """List the signed heads; --json writes the file that `league verify --heads` reads."""
    if context.invoked_subcommand is None:
        with existing_league() as league, connect(league.database.url) as conn:
            verify_command.show_heads(stored_heads(conn), as_json=as_json)


@heads_app.command(name="sign")
def heads_sign(as_json: Json = False) -> None:
    """Sign the head of the log with LEAGUE_SIGNING_KEY (or the key beside the embedded database)."""
    with existing_league() as league:
        head = league.sign_head()
    verify_command.show_heads([] if head is None else [head], as_json=as_json)


@heads_app.command(name="public-key")
def heads_public_key() -> None:
    """Print the public key of the signed heads, as PEM."""
    print(public_pem(required_key(settings())), end="")  # noqa: T201


@app.command()
def prove(
    what: Annotated[str, typer.Argument(metavar="MATCH|POSITION", help="A match's id, or a position of the log.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the proof is written.")],
) -> None:
    """Write a small file that proves that a match is in the log, under the last signed head."""
    with existing_league() as league:
        prove_command.prove(league, what, out)


@app.command(name="check-proof")
def check_proof(
    file: Annotated[Path, typer.Argument(help="What `league prove` wrote.")],
    public_key: Annotated[Path, typer.Option(metavar="FILE", help="The league's public key, from a source you trust.")],
) -> None:
    """Check a proof, without a database; exit code 1 if it does not hold."""
    if not prove_command.check(file, public_key):
        raise typer.Exit(FAILURE)


rules_app = typer.Typer(no_args_is_help=True, help="Show the rulebook, and check candidates for a new edition.")
app.add_typer(rules_app, name="rules")


@rules_app.command(name="show")
def rules_show(
    edition: Annotated[
        int | None, typer.Option(help="The number of an edition (default: the one in force now).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the rulebook."""
    rules_command.show(settings(), edition, as_json=as_json)


@rules_app.command(name="check")
def rules_check(
    file: Annotated[Path, typer.Argument(help="A TOML file; it may contain only what it changes.")],
    as_json: Json = False,
) -> None:
    """Validate a rulebook and print what it changes in the edition in force."""
    rules_command.check(settings(), file, as_json=as_json)


class Role(StrEnum):
    """What a token allows; see the table in the README."""

    PLAYER = "player"
    SCOREKEEPER = "scorekeeper"
    ADMIN = "admin"
    AUDITOR = "auditor"


@app.command()
def token(
    sub: Annotated[str, typer.Argument(help="Who it is for: a player's id, or any name.")],
    role: Annotated[list[Role], typer.Option(help="A role; may be repeated.")],
    hours: Annotated[float, typer.Option(help="How many hours it is valid.", min=0.01)] = 24.0,
    actor: Actor = "cli",
) -> None:
    """Make a bearer token for development, signed with LEAGUE_SECRET (or the league's own development secret)."""
    from league import token_command  # noqa: PLC0415  # the API takes a second to import

    secret = secret_of(settings())
    with existing_league() as league:
        made = token_command.make(league, secret, sub, [r.value for r in role], hours * 3600, actor)
    print(made)  # noqa: T201


@app.command()
def demo(
    season: Annotated[Path, typer.Option(help="The recorded season.")] = Path("examples/cuban-2026"),
    rules: Annotated[Path, typer.Option(help="The revision to replay.")] = Path(
        "examples/revisions/cuban-ratings.toml"
    ),
    serve_: Annotated[bool, typer.Option("--serve/--no-serve", help="Keep the API up at the end.")] = True,
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8000,
) -> None:
    """Show it all: a season becomes a league, one change is explained, the season is replayed."""
    from league.demo import run_demo  # noqa: PLC0415  # the API takes a second to import

    run_demo(settings(), season, rules, port=port, serve=serve_)


@contextmanager
def _reading_run(run: int | None, known_at: datetime | None) -> Iterator[tuple[League, Snapshot]]:
    """The league, brought up to its log, and what the run says that is asked for."""
    if run is not None and known_at is not None:
        raise InvalidInput("known-at", "name a run, or a moment, not both")
    with existing_league() as league:
        league.project()
        number = replays_command.run_asked_for(league, run, _in_zone(known_at, league), "cli")
        with _reading(league) as conn:
            yield league, snapshot_of(conn, chosen_run(conn, number))


@contextmanager
def _reading(league: League) -> Iterator[Connection]:
    """A connection to the read tables."""
    pool = engine(league.database.url, pool_size=1)
    try:
        with pool.connect() as conn:
            yield conn
    finally:
        pool.dispose()


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """Write to standard output until its reader has gone: `league export hands | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _stop_on_signal() -> Iterator[Any]:
    """A function that says whether the process was asked to end."""
    asked = False

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, ask)
    yield lambda: asked


def _in_zone(time: datetime | None, league: League) -> datetime | None:
    """A time without an offset is meant in the league's time zone."""
    if time is None or time.tzinfo is not None:
        return time
    return time.replace(tzinfo=league.time_zone())
