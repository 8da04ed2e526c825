"""`league tournament`: tournaments are planned, entered, drawn, published, and shown."""

import tomllib
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.competitors import find, find_player
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json
from league.cli.sending import send_once
from league.cli.spoken_commands import SpokenGroup
from league.domain.collected_refusals import Faults
from league.domain.competitor import competitor_of, players_of
from league.domain.deciders import Command
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.tournaments.application.drawing import draw_round, publish_round
from league.tournaments.application.tournament_states import stored_tournament
from league.tournaments.cli.tournament_page import print_list, print_round, print_standing, print_tournament
from league.tournaments.domain import commands as c
from league.tournaments.domain.plan import Format, faults_of_tie_breaks
from league.tournaments.domain.standing import TieBreak
from league.tournaments.projections.seen import SeenTournament, all_tournaments, tournaments_by_id
from league.tournaments.transfer.entries_sheet import entries_in
from league.transfer.input_file import read_file
from league.transfer.sheets.sheet_import import SheetFile
from league.wording.language import _

tournament = typer.Typer(
    cls=SpokenGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Plan and run tournaments: entries, rounds, standings.\n\n    A tournament is a list of rounds, a round is a "
    "list of tables, and a table is one ordinary match.\n    ",
)

TieBreakName = StrEnum("TieBreakName", {name.upper(): name for name in get_args(TieBreak)})  # type: ignore[misc]  # the names are known when it runs
Which = Annotated[str, typer.Argument(metavar="TOURNAMENT", help=_("The id of the tournament."))]
Competitor = Annotated[
    str, typer.Argument(metavar="COMPETITOR", help=_("An id or a name; for a pair, two of them joined by +."))
]
RoundArgument = Annotated[int, typer.Argument(metavar="ROUND", help=_("The number of the round."))]
TableArgument = Annotated[int, typer.Argument(metavar="TABLE", help=_("The number of the table."))]
Reason = Annotated[str, typer.Option(help=_("The reason, for readers of the log."))]


@tournament.command()
def plan(
    which: Which,
    name: Annotated[str | None, typer.Option(help=_("The name of the tournament."))] = None,
    format_: Annotated[
        Format | None, typer.Option("--format", help=_("How the tournament decides who meets whom."))
    ] = None,
    ruleset: Annotated[str | None, typer.Option(help=_("The ruleset of its matches, such as cuban-150."))] = None,
    mode: Annotated[str | None, typer.Option(help=_("1v1 or 2v2 (the default)."))] = None,
    rounds: Annotated[int | None, typer.Option(help=_("How many rounds; a round robin needs none."))] = None,
    minutes: Annotated[int | None, typer.Option(help=_("Of a round; without it there is no clock."))] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help=_("A TOML file with any settings of a plan."))
    ] = None,
    change: Annotated[bool, typer.Option("--change", help=_("Replace the plan that is there."))] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Plan a tournament, or change its plan.

    A file may have every setting that the guide to tournaments lists; the options come on top of it.
    """
    given = {
        "name": name, "format": format_, "ruleset": ruleset, "mode": mode, "rounds": rounds, "minutes": minutes,
    }  # fmt: skip
    document = {**_document(file), **{key: value for key, value in given.items() if value is not None}}
    _send(c.ChangePlan(which, document) if change else c.PlanTournament(which, document), which, actor, as_json=as_json)


@tournament.command()
def enter(
    which: Which,
    competitors: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMPETITOR...", help=_("Ids or names; the two of a pair joined by +.")),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help=_("A sheet (.csv, .xlsx) with a row for each player or pair."))
    ] = None,
    fixed_table: Annotated[int | None, typer.Option(help=_("The table that they keep."))] = None,
    replaces: Annotated[
        str | None, typer.Option(metavar="COMPETITOR", help=_("Who withdrew, and whose place they take."))
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Enter players or pairs: all of them, or none.

    A sheet has the columns player, partner and table, or jugador, pareja and mesa. A pair may stand in one cell, such
    as "Ana / Luis". The table is the one that they keep.
    """
    if (file is None) == (not competitors):
        raise InvalidInput("competitors", say("name competitors, or a file that does"))
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            pairs = [players_of(find(snapshot, one, "competitors")) for one in competitors or ()]
            replaced = None if replaces is None else _competitor(league, snapshot, which, replaces, "replaces")
        commands = [c.EnterCompetitor(which, tuple(players), fixed_table, replaced) for players in pairs]
        if file is not None:
            commands = entries_in(SheetFile(file.name, read_file(file)), which, StreamStates(league.store, clock()))
        position = league.dispatcher.send_all(commands, actor)
        _show(league, which, position, as_json=as_json)


@tournament.command()
def check_in(which: Which, competitor: Competitor, as_json: Json = False, actor: Actor = "cli") -> None:
    """Say that a competitor is there."""
    _of_competitor(which, competitor, actor, c.CheckIn, as_json=as_json)


@tournament.command()
def withdraw(
    which: Which,
    competitor: Competitor,
    reason: Annotated[str | None, typer.Option(help=_("Why, for readers of the log."))] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Take a competitor out of the rounds to come."""
    _of_competitor(which, competitor, actor, lambda id_, of: c.Withdraw(id_, of, reason), as_json=as_json)


@tournament.command(name="return")
def return_(which: Which, competitor: Competitor, as_json: Json = False, actor: Actor = "cli") -> None:
    """Let a competitor who withdrew play again."""
    _of_competitor(which, competitor, actor, c.Return, as_json=as_json)


@tournament.command()
def draw(
    which: Which,
    again: Annotated[
        str | None, typer.Option(metavar="REASON", help=_("Why a drawing of the same round is dropped."))
    ] = None,
    meeting: Annotated[
        list[str] | None,
        typer.Option(metavar="ID:ID", help=_("Of fixtures: who meets, by their ids; repeatable.")),
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Draw the next round, and show its tables; nobody else sees them before they are published.

    The round before is closed. Every drawing is an event that all can see.
    """
    command = c.DrawRound(which, again, _meetings(meeting))
    with existing_league() as league, terminal.working(_("pairing the round")):
        position = draw_round(league, command, actor)
        _show(league, which, position, as_json=as_json)


@tournament.command()
def publish(which: Which, round_: RoundArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Publish a round: its tables are announced, and their matches are open."""
    with existing_league() as league:
        position = publish_round(league, c.PublishRound(which, round_), actor)
        _show(league, which, position, as_json=as_json)


@tournament.command(name="open")
def open_(
    which: Which, round_: RoundArgument, table: TableArgument, as_json: Json = False, actor: Actor = "cli"
) -> None:
    """Open the match of a table of fixtures, for play begins."""
    _send(c.OpenFixture(which, round_, table), which, actor, as_json=as_json)


@tournament.command()
def pair(
    which: Which,
    round_: RoundArgument,
    tables: Annotated[
        list[str],
        typer.Argument(metavar="TABLE=SIDE/SIDE...", help=_("Such as 3=ana,bea/cira,dora: ids by side and seat.")),
    ],
    reason: Reason,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Pair tables by hand, before play begins at them.

    Their matches are voided, and others are opened. Who was at one of these tables and is named no more sits out.
    """
    command = c.ChangePairings(which, round_, tuple(map(_table, tables)), reason)
    _send(command, which, actor, as_json=as_json)


@tournament.command()
def absent(
    which: Which,
    round_: RoundArgument,
    table: TableArgument,
    sides: Annotated[list[int], typer.Argument(metavar="SIDE...", help=_("Who did not come: 0, 1 or both."))],
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Say that a side did not come to its table, or nobody."""
    _send(c.RecordAbsence(which, round_, table, tuple(sides)), which, actor, as_json=as_json)


@tournament.command()
def replace(
    which: Which,
    round_: RoundArgument,
    table: TableArgument,
    reason: Reason,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Open another match at a table whose match was voided."""
    _send(c.ReplaceMatch(which, round_, table, reason), which, actor, as_json=as_json)


@tournament.command()
def close(which: Which, round_: RoundArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Close a round in which every table has a result."""
    _send(c.CloseRound(which, round_), which, actor, as_json=as_json)


@tournament.command()
def end(which: Which, as_json: Json = False, actor: Actor = "cli") -> None:
    """End a tournament whose last round is closed."""
    _send(c.EndTournament(which), which, actor, as_json=as_json)


@tournament.command()
def show(
    which: Which,
    round_: Annotated[int | None, typer.Option("--round", help=_("Only this round."))] = None,
    as_json: Json = False,
) -> None:
    """Show a tournament: its last round and its standing."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            seen = _seen(snapshot, which)
            if round_ is None:
                print_tournament(snapshot, seen, as_json=as_json)
            elif seen.state.round(round_) is None:
                raise NotFound("round", "round", str(round_))
            else:
                print_round(snapshot, seen, seen.state.rounds[round_ - 1], as_json=as_json)


@tournament.command()
def standing(
    which: Which,
    tie_break: Annotated[
        list[TieBreakName] | None,
        typer.Option(help=_("What the standing would be under this order; repeatable. Nothing is stored.")),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the standing of a tournament, with the ranks that are still possible."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            seen = _seen(snapshot, which)
            names = None if tie_break is None else cast(list[TieBreak], [name.value for name in tie_break])
            assert seen.state.plan is not None, "it is planned"
            Faults.check(faults_of_tie_breaks("tie_break", names or (), seen.state.plan.format))
            print_standing(snapshot, seen, names, as_json=as_json)


@tournament.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the tournaments."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            ids = all_tournaments(snapshot)
            found = tournaments_by_id(snapshot, ids)
            print_list([found[id_] for id_ in ids], as_json=as_json)


def _send(command: Command, which: str, actor: str, *, as_json: bool) -> None:
    with existing_league() as league:
        _show(league, which, send_once(league, command, actor), as_json=as_json)


def _of_competitor(which: str, competitor: str, actor: str, make: Any, *, as_json: bool) -> None:
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            id_ = _competitor(league, snapshot, which, competitor, "competitor")
        _show(league, which, send_once(league, make(which, id_), actor), as_json=as_json)


def _show(league: League, which: str, position: int, *, as_json: bool) -> None:
    league.project()
    with reading(league) as conn:
        snapshot = snapshot_of(conn, chosen_run(conn, None))
        print_tournament(snapshot, _seen(snapshot, which), position, as_json=as_json)


def _seen(snapshot: Snapshot, which: str) -> SeenTournament:
    seen = tournaments_by_id(snapshot, [which]).get(which)
    if seen is None:
        raise NotFound("tournament", "tournament", which, tuple(all_tournaments(snapshot)), "league tournament list")
    return seen


def _competitor(league: League, snapshot: Snapshot, which: str, who: str, at: str) -> str:
    """The id under which somebody entered, by an id or a name; a pair also by one of its players."""
    entries = stored_tournament(league.dispatcher.kept_states, which).entries
    if who in entries:
        return who
    with suppress(InvalidInput):
        player = find_player(snapshot, who, at) if "+" not in who else None
        theirs = [entry.id for entry in entries.values() if player in entry.players]
        if len(theirs) == 1:
            return theirs[0]
    return competitor_of(players_of(find(snapshot, who, at)))


def _document(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput("file", f"{file}: {error}") from error


def _meetings(given: Sequence[str] | None) -> tuple[tuple[str, str], ...] | None:
    if given is None:
        return None
    found = [one.split(":") for one in given]
    for number, two in enumerate(found):
        if len(two) != len("ab"):
            raise InvalidInput(f"meeting.{number}", _("write two ids with a colon between them"))
    return tuple((one, other) for one, other in found)


def _table(text: str) -> c.NewTable:
    number, _equals, rest = text.partition("=")
    sides = [tuple(side.split(",")) for side in rest.split("/")]
    if not number.isdigit() or len(sides) != len("ab"):
        raise InvalidInput("tables", _("write a table as 3=ana,bea/cira,dora"))
    return c.NewTable(int(number), (sides[0], sides[1]))
