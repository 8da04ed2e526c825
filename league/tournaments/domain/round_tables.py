"""Deciders of the tables of a round: opening fixtures, pairing by hand, absences, replacing matches."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from league.domain.refusals import InvalidInput, NotFound
from league.domain.seating import competitor_of
from league.domain.sentences import Sentence, say, say_count
from league.domain.texts_and_times import check_readable
from league.tournaments.domain import commands as c
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import Relaxation
from league.tournaments.domain.entering import entry_of, open_plan
from league.tournaments.domain.refusals import (
    STATES,
    AbsenceIsClaimed,
    AbsenceIsRecorded,
    AbsenceNotClaimed,
    BracketIsFixed,
    ClaimsDisagree,
    FixtureIsOpen,
    FixtureNotOpen,
    MatchNotVoided,
    RoundIsClosed,
    RoundIsWithdrawn,
    RoundNotPaired,
    RoundNotPublished,
    TableHasBegun,
    TableIsVoided,
    TieIsOver,
    WalkoverStays,
)
from league.tournaments.domain.results import OPEN, MatchSummary, Results
from league.tournaments.domain.rounds import known_round, named_round
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState
from league.tournaments.domain.ties import game_in_play, needed_to_win, next_game, tie_result


def open_fixture(command: c.OpenFixture, state: TournamentState, match: str) -> list[e.TournamentEvent]:
    """Open a fixture's match when play begins. Raises NotFound, WrongState."""
    table = table_of(command.round, command.table, state)
    _check_drawn(table, known_round(command.round, state))
    if table.matches:
        raise FixtureIsOpen(
            _table(table.number), say("open"), say("its match is {match!r}", match=table.match), "table"
        )
    return [e.FixtureOpened(command.round, table.number, match)]


def change_pairings(
    command: c.ChangePairings,
    state: TournamentState,
    results: Results,
    matches: Mapping[int, str],
    locked: Collection[int],
) -> list[e.TournamentEvent]:
    """Pair tables by hand.

    `matches`: ids of the new matches, by table; `locked`: tables whose new sides the series has locked.
    Raises NotFound, WrongState, InvalidInput.
    """
    tables = changed_tables(command, state, results)
    of = known_round(command.round, state)
    numbers = {table.number for table in tables}
    before = {id_ for table in of.tables if table.number in numbers for id_ in table.competitors}
    playing = {id_ for table in tables for id_ in table.competitors}
    changed = tuple(
        e.ChangedTable(
            table.number,
            table.sides,
            matches.get(table.number),
            (Relaxation("series", tuple(sorted(map(competitor_of, table.sides)))),) if table.number in locked else (),
        )
        for table in tables
    )
    return [e.PairingsChanged(of.number, changed, tuple(sorted((before | set(of.byes)) - playing)), command.reason)]


def changed_tables(command: c.ChangePairings, state: TournamentState, results: Results) -> list[TableOfRound]:
    """The tables that a change names, with their new sides. Raises NotFound, WrongState, InvalidInput."""
    before = _tables_to_change(command, state, results)
    of = known_round(command.round, state)
    new = Counter(id_ for table in command.tables for side in table.sides for id_ in side)
    around = {id_ for table in before for id_ in table.competitors} | set(of.byes)
    for number, (table, was) in enumerate(zip(command.tables, before, strict=True)):
        for side, ids in enumerate(table.sides):
            at, count = f"tables.{number}.sides.{side}", len(was.sides[side])
            if len(ids) != count:
                wanted = say_count("this side has {count} competitor", "this side has {count} competitors", count)
                raise InvalidInput(at, wanted)
            for place, id_ in enumerate(ids):
                at = f"tables.{number}.sides.{side}.{place}"
                entry_of(state, id_, at)
                if id_ not in around:
                    raise InvalidInput(
                        at, say("{competitor!r} is neither at these tables nor sitting out", competitor=id_)
                    )
                if was.group is not None and id_ not in state.rounds[0].groups[was.group - 1]:
                    raise InvalidInput(at, say("{competitor!r} plays in another group", competitor=id_))
                if new[id_] > 1:
                    raise InvalidInput(at, say("{competitor!r} is named twice", competitor=id_))
    return [
        TableOfRound(was.number, table.sides, games=was.games, by_hand=True)
        for table, was in zip(command.tables, before, strict=True)
    ]


def _tables_to_change(command: c.ChangePairings, state: TournamentState, results: Results) -> list[TableOfRound]:
    """The tables that a change names, as they are now. Raises NotFound, WrongState, InvalidInput."""
    open_plan(state)
    check_readable("reason", command.reason, with_lines=True)
    of = known_round(command.round, state)
    fixed = say("its tables cannot change")
    if of.root is None:
        raise RoundNotPaired(named_round(of.number), say("not paired"), fixed, "round")
    if of.status == "closed":
        raise RoundIsClosed(named_round(of.number), STATES[of.status], fixed, "round")
    _check_not_withdrawn(of)
    if not command.tables:
        raise InvalidInput("tables", say("must not be empty"))
    if len({table.table for table in command.tables}) < len(command.tables):
        raise InvalidInput("tables", say("a table is named twice"))
    found = []
    for number, named_ in enumerate(command.tables):
        table = of.table(named_.table)
        if table is None:
            raise NotFound(f"tables.{number}.table", "table", str(named_.table))
        if table.best_of is not None:
            reason = say("the bracket says who meets; withdraw the round to draw it anew")
            raise BracketIsFixed(_table(table.number), say("part of a knock-out"), reason, f"tables.{number}")
        if table.absent or (table.match is not None and _begun(results[table.match])):
            raise TableHasBegun(
                _table(table.number), say("in play"), say("pairings change before play begins"), f"tables.{number}"
            )
        found.append(table)
    return found


def record_absence(command: c.RecordAbsence, state: TournamentState, results: Results) -> list[e.TournamentEvent]:
    """Record which sides did not come. Raises NotFound, WrongState, InvalidInput."""
    table = table_of(command.round, command.table, state)
    sides = tuple(sorted({*command.sides, *known_round(command.round, state).not_drawn(table)}))
    if not command.sides or not set(sides) <= {0, 1}:
        raise InvalidInput("sides", say("the sides are 0 and 1; name one or both"))
    _check_not_begun(table, results)
    return [e.AbsenceRecorded(command.round, table.number, sides, game_in_play(table, results))]


def claim_absence(command: c.ClaimAbsence, state: TournamentState, results: Results) -> list[e.TournamentEvent]:
    """Say that the other side of a competitor's table did not come (rules, Tournaments, Results).

    Raises NotFound, WrongState.
    """
    table, own = seat_of(command.competitor, command.round, state)
    _check_not_begun(table, results)
    if table.absent:
        raise AbsenceIsRecorded(_table(table.number), say("without play"), say("an absence is recorded there"), "round")
    if 1 - own in table.claimed:
        raise AbsenceIsClaimed(
            _table(table.number), say("waiting for an answer"), say("this was said already"), "competitor"
        )
    return [e.AbsenceClaimed(command.round, table.number, 1 - own)]


def confirm_absence(command: c.ConfirmAbsence, state: TournamentState, results: Results) -> list[e.TournamentEvent]:
    """Record the absence of a competitor's own side, which the other side claims. Raises NotFound, WrongState."""
    table, own = seat_of(command.competitor, command.round, state)
    _check_not_begun(table, results)
    if own not in table.claimed:
        raise AbsenceNotClaimed(
            _table(table.number), say("open"), say("nobody says that this side did not come"), "competitor"
        )
    if 1 - own in table.claimed:
        reason = say("each side says that the other did not come; an organiser decides")
        raise ClaimsDisagree(_table(table.number), say("disputed"), reason, "competitor")
    return [e.AbsenceRecorded(command.round, table.number, (own,), game_in_play(table, results))]


def open_game(
    state: TournamentState, of: RoundState, table: TableOfRound, results: Results, match: str
) -> list[e.TournamentEvent]:
    """Open the next game of a tie, or record the absence of who has withdrawn: they lose the games that are left.

    Empty if the tie is over, or if its latest game has no result.
    """
    game = next_game(table, results)
    if game is None:
        return []
    gone = {id_ for id_ in table.competitors if state.entries[id_].withdrawn_at is not None}
    absent = tuple(side for side in (0, 1) if not gone.isdisjoint(table.sides[side]))
    if absent:
        return [e.AbsenceRecorded(of.number, table.number, absent, game)]
    return [e.GameOpened(of.number, table.number, game, match)]


class LeftTie(NamedTuple):
    """What a withdrawal does to a tie in play."""

    events: list[e.TournamentEvent]
    side: int
    """The side that leaves."""
    forfeited: list[str]
    """The open matches in which somebody has played."""
    voided: list[str]
    """The open matches in which nobody has played."""


def leave_tie(competitor: str, state: TournamentState, results: Results) -> LeftTie | None:
    """Lose all games that are left in the tie of a competitor who withdraws; None if no tie of theirs is in play.

    `results`: those of all matches of that tie.
    """
    found = tie_in_play(competitor, state, results)
    if found is None:
        return None
    of, table = found
    side, open_ = int(competitor in table.sides[1]), open_matches(table, results)
    begun = [match for match in open_ if results[match].begun]
    left = needed_to_win(table) - tie_result(table, results).won[1 - side]
    if len(begun) >= left:
        return LeftTie([], side, begun[:left], [])
    forfeited = dict.fromkeys(begun, MatchSummary("forfeited", 1 - side))
    game = game_in_play(table, {**results, **forfeited})
    absence = e.AbsenceRecorded(of.number, table.number, (side,), game)
    return LeftTie([absence], side, begun, [match for match in open_ if match not in begun])


def tie_in_play(competitor: str, state: TournamentState, results: Results) -> tuple[RoundState, TableOfRound] | None:
    """The tie of a competitor in the last published round of a knock-out, if it is not over."""
    for of in state.knockout[-1:]:
        for table in of.tables:
            if competitor in table.competitors and not tie_result(table, results).is_over:
                return of, table
    return None


def open_matches(table: TableOfRound, results: Results) -> list[str]:
    """The matches of a table that are in play or still to be played. In a tie a voided game may be played last."""
    return [match for match in table.counting if results[match].status == "open"]


def seat_of(competitor: str, number: int, state: TournamentState) -> tuple[TableOfRound, int]:
    """The table of a competitor in a published round, and their side. Raises NotFound, WrongState."""
    open_plan(state)
    entry_of(state, competitor)
    of = _announced_round(number, state)
    for table in of.tables:
        for side in (0, 1):
            if competitor in table.sides[side]:
                return table, side
    raise NotFound("competitor", "competitor", competitor)


def claims_of(table: TableOfRound, results: Results) -> tuple[int, ...]:
    """The sides that are said to be absent, while that is open: play there has not begun."""
    begun = table.match is not None and results.get(table.match, OPEN).begun
    return () if begun or table.withdrawn else table.claimed


def _check_not_begun(table: TableOfRound, results: Results) -> None:
    """Raise TieIsOver, TableIsVoided or TableHasBegun if somebody has played there, in a tie the game in play."""
    if table.best_of is not None and tie_result(table, results).is_over and not table.absent:
        raise TieIsOver(_table(table.number), say("decided"), say("its games have decided who advances"), "table")
    match = table.match if table.best_of is None else table.by_game.get(game_in_play(table, results))
    result = OPEN if match is None else results[match]
    if result.begun and result.status == "voided":
        raise TableIsVoided(
            _table(table.number),
            say("voided"),
            say("play had begun there; replace its match, then say who does not come"),
            "table",
        )
    if result.begun or any(results[match].begun for match in open_matches(table, results)):
        raise TableHasBegun(
            _table(table.number), say("in play"), say("who leaves a match that has begun forfeits it"), "table"
        )


def replace_match(
    command: c.ReplaceMatch, state: TournamentState, results: Results, match: str
) -> list[e.TournamentEvent]:
    """Open another match at a table whose match was voided, or whose absent side came. Raises NotFound, WrongState."""
    table = table_of(command.round, command.table, state)
    check_readable("reason", command.reason, with_lines=True)
    _check_drawn(table, known_round(command.round, state))
    if table.match is None and table.best_of is None:
        raise FixtureNotOpen(_table(table.number), say("not open"), say("open its match instead"), "table")
    game = _game_to_replace(table, results)
    if game is None:
        status = STATES[results[table.match].status] if table.match is not None else say("open")
        raise MatchNotVoided(_table(table.number), status, say("void its match first"), "table")
    return [e.MatchReplaced(command.round, table.number, match, command.reason, game)]


def _game_to_replace(table: TableOfRound, results: Results) -> int | None:
    """The game whose match another one replaces: the first that was voided, or lost by an absent side."""
    if table.absent:
        return game_in_play(table, results)
    return next((number for number, match in table.by_game.items() if results[match].status == "voided"), None)


def table_of(number: int, table: int, state: TournamentState) -> TableOfRound:
    """A table of a published round. Raises NotFound, WrongState."""
    found = _announced_round(number, state).table(table)
    if found is None:
        raise NotFound("table", "table", str(table))
    return found


def _announced_round(number: int, state: TournamentState) -> RoundState:
    """A round whose tables are announced and count. Raises NotFound, WrongState."""
    open_plan(state)
    of = known_round(number, state)
    if of.status == "drawn":
        raise RoundNotPublished(named_round(number), say("not published"), say("its tables are not announced"), "round")
    _check_not_withdrawn(of)
    return of


def _check_drawn(table: TableOfRound, of: RoundState) -> None:
    """Raise WalkoverStays at a table of somebody who had left when the round was drawn."""
    if of.not_drawn(table):
        raise WalkoverStays(
            _table(table.number), say("a walkover"), say("a competitor had left when the round was drawn"), "table"
        )


def _check_not_withdrawn(of: RoundState) -> None:
    if of.status == "withdrawn":
        raise RoundIsWithdrawn(named_round(of.number), STATES[of.status], say("its tables count for nothing"), "round")


def _begun(result: MatchSummary) -> bool:
    return result.begun and result.status != "voided"


def _table(number: int) -> Sentence:
    return say("table {table}", table=number)
