"""The bracket of a knock-out as people see it: every tie, also those to come."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from league.tournaments.domain.brackets import rounds_of_bracket, ties_in, ties_of
from league.tournaments.domain.knockout import (
    corrected_ties,
    entered,
    losers_of_semi_finals,
    plays_for_third,
    still_in,
)
from league.tournaments.domain.results import Results
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState
from league.tournaments.domain.ties import tie_result


class ShownTie(NamedTuple):
    """A place for a tie in a bracket."""

    round: int
    """The round of the tournament."""
    ties: int
    """How many ties that round of the bracket has place for: 1 in the final."""
    place: int
    """From 1, from the top of the bracket. The tie for the third place comes after the final."""
    sides: tuple[str | None, str | None]
    """Who plays there; None: nobody, or nobody who is known yet."""
    third_place: bool = False
    table: int | None = None
    """The number of its table; None if the round is not published, or if there is no table."""
    games_won: tuple[int, int] | None = None
    """Games won by each side; None without a table."""
    winner: str | None = None
    """Who plays on, or has won the last tie; None if that is undecided, or if nobody has."""
    won_by: str | None = None
    """Who has won it, by its results as they are now; None if nobody has, or without a table."""
    corrected: bool = False
    """Whether its results changed after the next round was published, so that `winner` is not `won_by`."""
    is_bye: bool = False
    """Whether one of the two has no opponent, and the round is published."""


def shown_bracket(state: TournamentState, results: Results) -> list[ShownTie]:
    """All ties of the bracket, round by round from the top. Empty before the knock-out is published."""
    rounds = state.knockout
    if not rounds:
        return []
    bracket, found = rounds[0].bracket, list[ShownTie]()
    corrected = corrected_ties(state, results)
    last, has_third = rounds_of_bracket(len(bracket)), plays_for_third(state.known_plan, len(bracket))
    for number in range(1, last + 1):
        of = rounds[number - 1] if number <= len(rounds) else None
        on = entered(rounds[number]) if number < len(rounds) else still_in(state, results)
        here = entered(of) if of is not None else still_in(state, results) if number == len(rounds) + 1 else set()
        tie = ShownTie(rounds[0].number + number - 1, ties_in(len(bracket), number), 0, (None, None))
        tables = {} if of is None else {frozenset(table.competitors): table for table in of.tables}
        for one in ties_of(bracket, number, here):
            placed = tie._replace(place=one.place + 1, sides=one.sides)
            found.append(placed if of is None else _filled(placed, tables, on, results, corrected))
        if number == last and has_third:
            found.append(_third(tie, of, state, results))
    return found


def _filled(
    tie: ShownTie,
    tables: Mapping[frozenset[str], TableOfRound],
    on: set[str],
    results: Results,
    corrected: Collection[TableOfRound],
) -> ShownTie:
    """A tie of a published round.

    `tables`: those of the round, by who meets there; `on`: who plays on; `corrected`: see `corrected_ties`.
    """
    here = frozenset(id_ for id_ in tie.sides if id_ is not None)
    winner, table = next(iter(on & here), None), tables.get(here)
    if table is None:
        return tie._replace(winner=winner, is_bye=bool(here))
    result = tie_result(table, results)
    first, second = result.won
    won = (first, second) if table.sides[0][0] == tie.sides[0] else (second, first)
    won_by = None if result.winner is None else table.sides[result.winner][0]
    tie = tie._replace(table=table.number, games_won=won, corrected=table in corrected)
    return tie._replace(winner=winner, won_by=won_by)


def _third(tie: ShownTie, of: RoundState | None, state: TournamentState, results: Results) -> ShownTie:
    """The tie for the third place."""
    tie = tie._replace(place=2, third_place=True)
    if of is None:
        first, second, *_ = (*sorted(losers_of_semi_finals(state, results)), None, None)
        return tie._replace(sides=(first, second))
    if of.third_place_bye is not None:
        return tie._replace(sides=(of.third_place_bye, None), winner=of.third_place_bye, is_bye=True)
    table = next((one for one in of.tables if one.third_place), None)
    if table is None:
        return tie
    result = tie_result(table, results)
    winner = None if result.winner is None else table.sides[result.winner][0]
    sides = table.sides[0][0], table.sides[1][0]
    return tie._replace(sides=sides, winner=winner, won_by=winner, table=table.number, games_won=result.won)
