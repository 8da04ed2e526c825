"""`league tournament`: tournaments are planned, entered, drawn, published, and shown."""

import tomllib
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.competitors import find
from league.cli.opening import existing_league
from league.cli.options import Actor, Json
from league.cli.sending import send_once
from league.cli.spoken_commands import SpokenGroup
from league.domain.competitor import players_of
from league.domain.deciders import Command
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.projections.queries.snapshot import Snapshot
from league.tournaments.application.drawing import draw_and_wait, publish_round
from league.tournaments.application.tournament_states import stored_tournament
from league.tournaments.cli.looking import RoundArgument, Which, looking
from league.tournaments.cli.named import competitor_named, day_of, looking_at, seen_tournament
from league.tournaments.cli.tournament_page import print_tournament
from league.tournaments.domain import commands as c
from league.tournaments.domain.plan import Format
from league.tournaments.transfer.entries_sheet import entries_in
from league.transfer.input_file import read_file
from league.transfer.sheets.sheet_import import SheetFile
from league.wording.language import _, spoken

tournament = typer.Typer(
    cls=SpokenGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Plan and run tournaments: entries, rounds, standings.\n\n    A tournament is a list of rounds, a round is a "
    "list of tables, and a table is one ordinary match.\n    ",
)

Competitor = Annotated[
    str, typer.Argument(metavar="COMPETITOR", help=_("An id or a name; for a pair, two of them joined by +."))
]
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
    change: Annotated[
        bool, typer.Option("--change", help=_("Change the plan that is there: only what is given."))
    ] = False,
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
    if not change:
        _send(c.PlanTournament(which, document), which, actor, as_json=as_json)
        return
    with existing_league() as league:
        stored = stored_tournament(league.dispatcher.kept_states, which).plan
        command = c.ChangePlan(which, {**msgspec.to_builtins(stored or {}), **document})
        _show(league, which, send_once(league, command, actor), as_json=as_json)


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
        with looking_at(league) as snapshot:
            pairs = [players_of(find(snapshot, one, "competitors")) for one in competitors or ()]
            replaced = None if replaces is None else competitor_named(league, snapshot, which, replaces, "replaces")
        commands = [c.EnterCompetitor(which, tuple(players), fixed_table, replaced) for players in pairs]
        if file is not None:
            entries = entries_in(SheetFile(file.name, read_file(file)), which, StreamStates(league.store, clock()))
            commands = entries.commands
            for note in entries.notes:
                terminal.err.print(terminal.shown(spoken(note)), markup=False, soft_wrap=True)
        position = league.dispatcher.send_all(commands, actor)
        _show(league, which, position, as_json=as_json)


@tournament.command()
def check_in(
    which: Which,
    competitors: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMPETITOR...", help=_("Ids or names; the two of a pair joined by +.")),
    ] = None,
    everybody: Annotated[bool, typer.Option("--all", help=_("All who take part and have not checked in yet."))] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Record that competitors are there: all that are named, or none."""
    if everybody == bool(competitors):
        raise InvalidInput("competitors", say("name competitors, or give --all"))
    with existing_league() as league, looking_at(league) as snapshot:
        entries = stored_tournament(league.dispatcher.kept_states, which).entries.values()
        missing = [one.id for one in entries if not one.checked_in and one.withdrawn_at is None]
        named = [competitor_named(league, snapshot, which, one, "competitors") for one in competitors or ()]
        commands = [c.CheckIn(which, id_) for id_ in (missing if everybody else named)]
        position = league.dispatcher.send_all(commands, actor) if commands else None
        _show(league, which, position, as_json=as_json)


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
        typer.Option(metavar="ONE:OTHER", help=_("Of fixtures: who meets, by ids or names; repeatable.")),
    ] = None,
    day: Annotated[
        date | None, typer.Option(parser=day_of, metavar="DAY", help=_("Of fixtures: when they meet."))
    ] = None,
    until: Annotated[
        date | None, typer.Option(parser=day_of, metavar="DAY", help=_("Of fixtures: the last day for them."))
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Draw the next round, and show its tables.

    Until it is published, only scorekeepers and admins see the tables; anyone with the log can compute them. The round
    before is closed. Every drawing is an event that all can see.
    """
    with existing_league() as league:
        command = c.DrawRound(which, again, None if meeting is None else _meetings(league, which, meeting), day, until)
        with terminal.working(_("pairing the round")):
            position = draw_and_wait(league, command, actor)
        _show(league, which, position, as_json=as_json)


@tournament.command()
def publish(
    which: Which,
    round_: RoundArgument,
    even_if_outdated: Annotated[
        bool, typer.Option("--even-if-outdated", help=_("Also where its inputs would be different now."))
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Publish a round: its tables are announced, and their matches are open."""
    with existing_league() as league:
        position = publish_round(league, c.PublishRound(which, round_, even_if_outdated), actor)
        _show(league, which, position, as_json=as_json)


@tournament.command(name="open")
def open_(
    which: Which, round_: RoundArgument, table: TableArgument, as_json: Json = False, actor: Actor = "cli"
) -> None:
    """Open a fixture's match when play begins."""
    _send(c.OpenFixture(which, round_, table), which, actor, as_json=as_json)


@tournament.command()
def pair(
    which: Which,
    round_: RoundArgument,
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE=SIDE/SIDE...", help=_("Such as 3=ana,bea/cira,dora: ids or names by side and seat.")
        ),
    ],
    reason: Reason,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Pair tables by hand, before play begins at them.

    Their matches are voided, and others are opened. A competitor who was at one of these tables and is not in the new
    ones sits out.
    """
    with existing_league() as league:
        with looking_at(league) as snapshot:
            changed = tuple(_table(league, snapshot, which, number, text) for number, text in enumerate(tables))
        position = send_once(league, c.ChangePairings(which, round_, changed, reason), actor)
        _show(league, which, position, as_json=as_json)


@tournament.command()
def absent(
    which: Which,
    round_: RoundArgument,
    table: TableArgument,
    sides: Annotated[list[int], typer.Argument(metavar="SIDE...", help=_("Who did not come: 0, 1 or both."))],
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Record that one side, or both, did not come."""
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


tournament.add_typer(looking)


def _send(command: Command, which: str, actor: str, *, as_json: bool) -> None:
    with existing_league() as league:
        _show(league, which, send_once(league, command, actor), as_json=as_json)


def _of_competitor(which: str, competitor: str, actor: str, make: Any, *, as_json: bool) -> None:
    with existing_league() as league:
        with looking_at(league) as snapshot:
            id_ = competitor_named(league, snapshot, which, competitor, "competitor")
        _show(league, which, send_once(league, make(which, id_), actor), as_json=as_json)


def _show(league: League, which: str, position: int | None, *, as_json: bool) -> None:
    with looking_at(league) as snapshot:
        print_tournament(snapshot, seen_tournament(snapshot, which), position, as_json=as_json)


def _document(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput("file", f"{file}: {error}") from error


def _meetings(league: League, which: str, given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    found = []
    with looking_at(league) as snapshot:
        for number, text in enumerate(given):
            two, at = text.split(":"), f"meetings.{number}"
            if len(two) != len("ab"):
                raise InvalidInput(at, say("write two ids or names with a colon between them"))
            one, other = (competitor_named(league, snapshot, which, who.strip(), at) for who in two)
            found.append((one, other))
    return tuple(found)


def _table(league: League, snapshot: Snapshot, which: str, at: int, text: str) -> c.NewTable:
    number, _equals, rest = text.partition("=")
    sides = [
        tuple(
            competitor_named(league, snapshot, which, who.strip(), f"tables.{at}.sides.{side}") for who in of.split(",")
        )
        for side, of in enumerate(rest.split("/"))
    ]
    if not number.isdigit() or len(sides) != len("ab"):
        raise InvalidInput("tables", say("write a table as 3=ana,bea/cira,dora"))
    return c.NewTable(int(number), (sides[0], sides[1]))
