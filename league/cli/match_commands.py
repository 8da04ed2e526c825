"""`league match`: matches are opened, listed, shown, ended, reopened and forfeited, and get their results."""

from datetime import datetime
from typing import Annotated

import typer
from msgspec.structs import replace

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.cli import asking, match_page, terminal
from league.cli.competitors import BETWEEN_PARTNERS, find, find_player
from league.cli.confirm import confirm
from league.cli.correcting import Reason, Settles
from league.cli.found_matches import match_id, matches_listed
from league.cli.opened_sides import seats_of_sides
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json, MatchArgument, Yes
from league.cli.sending import send_once
from league.cli.time_of_play import PlayedAt, played_since, time_of_play
from league.domain.match import EndMatch, ForfeitMatch, MatchCommand, OpenMatch, RecordResult, ReopenMatch
from league.domain.refusals import AlreadyExists, InvalidInput
from league.domain.result import Announced
from league.domain.rules import Competition
from league.domain.seating import FULL_TABLE
from league.domain.sentences import say
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import snapshot_of
from league.wording.language import _

match_commands = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Open, show and end matches, and record their results.

    `league hand` records the hands of a match, `league void` voids a match.
    """,
)
match_commands.command()(confirm)

SIDES_OF_PAIRS = 2
MOST_A_DAY = 10_000
"""Matches of one day that get a number by themselves."""

Score = Annotated[
    str | None, typer.Option(metavar="A-B", help=_("The announced score, in the order of the sides: 200-135."))
]


@match_commands.command(name="open")
def open_(
    sides: Annotated[
        list[str] | None,
        typer.Argument(metavar="SIDE SIDE...", help=_('The sides: "Ana & Luis" "Rosa & Juan", or one player each.')),
    ] = None,
    ruleset: Annotated[
        str | None, typer.Option(metavar="NAME", help=_("The ruleset (`league rules show` lists them)."))
    ] = None,
    competition: Annotated[Competition, typer.Option(help=_("The kind of match."))] = "competitive",
    played_at: PlayedAt = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help=_("The match's id (default: its day and a number)."))
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Open a match.

    The number of partners gives the mode: two against two, one against one, or three or four individuals. Order of
    play: the first players of the sides, then their partners. At a terminal the command asks for what is missing.
    """
    with existing_league() as league:
        league.project()
        states = StreamStates(league.store, league.dispatcher.clock())
        zone = states.zone()
        began_at = None if played_at is None else time_of_play(played_at, zone)
        with asking.nothing_stored():
            ruleset = ruleset or _asked_ruleset(sorted(states.rulebook().at(began_at or states.now).rulesets))
            sides = sides or _asked_sides()
            with reading(league) as conn:
                snapshot = snapshot_of(conn, chosen_run(conn, None))
                mode, seats = seats_of_sides(sides, lambda name: find_player(snapshot, name, "sides"))
        command = OpenMatch(id_ or "", ruleset, mode, competition, seats, played_at=began_at)
        match = _opened(league, command, (began_at or states.now).astimezone(zone), actor)
        league.project()
        page = match_page.page_of(league, match)
    if as_json:
        terminal.print_json(match_page.document_of(page))
        return
    match_page.print_summary(page)
    terminal.out.print(_("Next: `league hand {match}` records a hand.", match=match), markup=False)


def _asked_ruleset(known: list[str]) -> str:
    if not asking.at_terminal():
        reason = say("name the ruleset with --ruleset; there are {known}", known=", ".join(known))
        raise InvalidInput("ruleset", reason)
    chosen = asking.choose(_("Ruleset"), known)
    if chosen is None:
        raise typer.Abort
    return known[chosen]


def _asked_sides() -> list[str]:
    if not asking.at_terminal():
        raise InvalidInput("sides", say('name the sides, such as "Ana & Luis" "Rosa & Juan"'))
    sides: list[str] = []
    while len(sides) < FULL_TABLE:
        question = _("Side {number} (join partners by &; Enter: no more)", number=len(sides) + 1)
        side = asking.ask(question)
        if not side:
            break
        sides.append(side)
        if len(sides) == SIDES_OF_PAIRS and all(BETWEEN_PARTNERS.search(one) for one in sides):
            break
    return sides


def _opened(league: League, command: OpenMatch, day: datetime, actor: str) -> str:
    """The id under which the match is open: the given one, or its day and the first number that is free."""
    if command.match:
        send_once(league, command, actor)
        return command.match
    with reading(league) as conn:
        taken = matches_listed(snapshot_of(conn, chosen_run(conn, None)), id_prefix=f"{day:%Y-%m-%d}-")
    for number in range(len(taken) + 1, MOST_A_DAY):
        numbered = replace(command, match=f"{day:%Y-%m-%d}-{number}")
        try:
            send_once(league, numbered, actor)
        except AlreadyExists:
            continue  # opened by somebody else meanwhile, or under an id that looks so
        return numbered.match
    raise InvalidInput("id", say("this day has too many matches: name an id with --id"))


@match_commands.command(name="list")
def list_(
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help=_("Only matches of this player or pair (an id or a name)."))
    ] = None,
    only_open: Annotated[bool, typer.Option("--open", help=_("Only open matches."))] = False,
    first: Annotated[int, typer.Option(help=_("How many matches to print."), min=1)] = 20,
    as_json: Json = False,
) -> None:
    """List the matches, the latest first."""
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            whose = None if player is None else find(snapshot, player, "player")
            found = matches_listed(snapshot, whose=whose, only_open=only_open)
    if as_json:
        terminal.print_json([one.document for one in found])
        return
    if not found:
        terminal.out.print(_("No match is open.") if only_open else _("No matches yet. `league match open` opens one."))
        return
    columns = (_("match"), _("began"), _("sides"), _("ruleset"), _("score"), _("status"))
    rows = [one.row for one in found[:first]]
    terminal.table(_("Matches"), columns, rows)
    terminal.print_more(min(first, len(found)), len(found), "league match list")


@match_commands.command()
def show(match: MatchArgument, as_json: Json = False) -> None:
    """Print a match with its hands, its score, and what was not judged."""
    with existing_league() as league:
        page = match_page.page_of(league, match_id(league, match))
    if as_json:
        terminal.print_json(match_page.document_of(page))
    else:
        match_page.print_match(page)


@match_commands.command()
def end(
    match: MatchArgument,
    winner: Annotated[
        str | None, typer.Option(metavar="SIDE", help=_("The side that the table announced as the winner."))
    ] = None,
    score: Score = None,
    played_at: PlayedAt = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """End a match before its end condition holds.

    The side that leads has won. A match that reaches its end condition ends by itself.
    """
    with existing_league() as league:
        page = match_page.page_of(league, match_id(league, match, only_open=True))
        announced = _announced(page, winner, score)
        when = played_since(played_at, page.played.began_at, page.zone)
        _send(league, page, EndMatch(page.id, announced, when), actor, as_json=as_json)


@match_commands.command()
def result(
    match: MatchArgument,
    winner: Annotated[str, typer.Option(metavar="SIDE", help=_("The side that won."))],
    score: Score = None,
    played_at: PlayedAt = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Record the result of a match whose hands are not known."""
    with existing_league() as league:
        page = match_page.page_of(league, match_id(league, match, only_open=True))
        announced = _announced(page, winner, score)
        assert announced is not None, "the winner is given"
        when = played_since(played_at, page.played.began_at, page.zone)
        _send(league, page, RecordResult(page.id, announced, when), actor, as_json=as_json)


@match_commands.command()
def forfeit(
    match: MatchArgument,
    by: Annotated[str, typer.Option(metavar="SIDE", help=_("The side that gives up."))],
    played_at: PlayedAt = None,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Record that a side gives up: the other side has won.

    The command asks for confirmation first: a forfeit cannot be taken back, only the match can be voided.
    """
    with existing_league() as league:
        page = match_page.page_of(league, match_id(league, match, only_open=True))
        side = page.seated.side(by, "by")
        when = played_since(played_at, page.played.began_at, page.zone)
        command = ForfeitMatch(page.id, side, when)
        if not yes:
            question = _("{side} give up match {match}?", side=page.seated.side_name(side), match=page.id)
            with asking.nothing_stored():
                if not asking.confirmed(question):
                    terminal.err.print(_("Nothing is stored."))
                    return
        _send(league, page, command, actor, as_json=as_json)


@match_commands.command()
def reopen(
    match: MatchArgument, reason: Reason, settles: Settles = None, as_json: Json = False, actor: Actor = "cli"
) -> None:
    """Take back that a match ended, or its recorded result."""
    with existing_league() as league:
        page = match_page.page_of(league, match_id(league, match))
        _send(league, page, ReopenMatch(page.id, reason, settles), actor, as_json=as_json)


def _announced(page: match_page.MatchPage, winner: str | None, score: str | None) -> Announced | None:
    """What the table announced. Raises InvalidInput."""
    if winner is None:
        if score is not None:
            raise InvalidInput("winner", say("a score needs the side that won: name it with --winner"))
        return None
    return Announced(page.seated.side(winner, "winner"), None if score is None else _score(score))


def _score(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split("-"))
    except ValueError:
        reason = say("{text} is not a score; write it in the order of the sides, such as 200-135", text=repr(text))
        raise InvalidInput("score", reason) from None


def _send(league: League, page: match_page.MatchPage, command: MatchCommand, actor: str, *, as_json: bool) -> None:
    send_once(league, command, actor)
    league.project()
    after = match_page.page_of(league, page.id)
    if as_json:
        terminal.print_json(match_page.document_of(after))
    else:
        match_page.print_summary(after)
