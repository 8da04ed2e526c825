"""Who is still in a knock-out, and the places that it gives (rules, Tournaments, `knockout`).

Who plays on follows the published tables: a result that is corrected after the next round was published changes
nothing there.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec import Struct

from league.tournaments.domain.brackets import rounds_of_bracket, ties_in
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.results import Results
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState
from league.tournaments.domain.ties import TieResult, tie_result

THIRD, FOURTH = 3, 4


class KnockoutPlace(Struct, frozen=True):
    """What a competitor has reached in a knock-out."""

    rank: int
    """From 1. Who is still in shares the best rank that all of them can still reach."""
    worst: int
    """The worst final rank that is still possible."""
    reached: int
    """The last published round of the tournament in which they have a row of the bracket."""
    won: int
    """Ties won, with that for the third place."""
    lost: int


def plays_for_third(plan: Plan, entrants: int) -> bool:
    """Whether the losers of the semi-finals play for the third place."""
    wanted = entrants >= FOURTH if plan.third_place is None else plan.third_place
    return wanted and rounds_of_bracket(entrants) > 1


def worst_of_first_round(plan: Plan, entrants: int) -> int:
    """The worst rank of somebody who enters a knock-out of this many."""
    return _after_loss(plan, entrants, 1)


def _after_loss(plan: Plan, entrants: int, number: int) -> int:
    """The worst rank of somebody who loses in a round of the knock-out."""
    if plays_for_third(plan, entrants) and number == rounds_of_bracket(entrants) - 1:
        return min(FOURTH, entrants)
    return ties_in(entrants, number) + 1


def still_in(state: TournamentState, results: Results) -> set[str]:
    """Who is through to the next round of the knock-out, also if they have withdrawn since."""
    rounds = state.knockout
    return _through(rounds[-1], results) if rounds else set()


def losers_of_semi_finals(state: TournamentState, results: Results) -> set[str]:
    """Who may play for the third place in the round that is drawn next. Empty if no final is next, or none play."""
    rounds = state.knockout
    if not rounds or not plays_for_third(state.known_plan, len(rounds[0].bracket)):
        return set()
    if len(rounds) + 1 != rounds_of_bracket(len(rounds[0].bracket)):
        return set()
    found = ((table, tie_result(table, results).winner) for table in rounds[-1].tables)
    return {table.sides[1 - winner][0] for table, winner in found if winner is not None}


def knockout_places(state: TournamentState, results: Results) -> dict[str, KnockoutPlace]:
    """The place of each who entered the knock-out. Empty before its first round is published."""
    rounds = state.knockout
    if not rounds:
        return {}
    bracket = rounds[0].bracket
    won, lost = dict.fromkeys(bracket, 0), dict.fromkeys(bracket, 0)
    for _, table, result in _ties(rounds, results):
        for side in (0, 1) if result.is_over else ():
            count = won if result.winner == side else lost
            count[table.sides[side][0]] += 1
    last = {id_: at for at, of in enumerate(rounds) for id_ in entered(of)}
    # Who left loses in the next round, also without an opponent and so without a row there.
    left = {id_: at for at, of in enumerate(rounds) for id_ in of.left}
    through = _through(rounds[-1], results)
    found, ranks = {}, _Ranks(state, results)
    for id_ in bracket:
        at = left.get(id_, last[id_])
        rank, worst = ranks.of(id_, at + 1, is_through=at + 1 == len(rounds) and id_ in through)
        found[id_] = KnockoutPlace(rank, worst, rounds[last[id_]].number, won[id_], lost[id_])
    return found


def corrected_ties(state: TournamentState, results: Results) -> tuple[TableOfRound, ...]:
    """Ties whose winner is not who plays on: their results changed after the next round was published."""
    found = []
    for of, later in pairwise(state.knockout):
        here = entered(later)
        for _, table, result in _ties([of], results):
            on = here.intersection(table.competitors)
            winner = None if result.winner is None else table.sides[result.winner][0]
            # Who wins, withdraws and has no opponent in the next round has no row there.
            is_out = winner in later.left and not on
            is_as_published = is_out or (result.is_over and on == {winner} - {None})
            if not table.third_place and not is_as_published:
                found.append(table)
    return tuple(found)


class _Ranks:
    """The ranks of a knock-out, each with the worst one that is still possible."""

    def __init__(self, state: TournamentState, results: Results) -> None:
        self._state, self._results, self._rounds = state, results, state.knockout
        self._entrants = len(self._rounds[0].bracket)
        self._last = rounds_of_bracket(self._entrants)
        self._has_third = plays_for_third(state.known_plan, self._entrants)
        self._in_play = {
            id_
            for _, table, result in _ties(self._rounds[-1:], results)
            if not result.is_over and not table.third_place
            for id_ in table.competitors
        }

    def of(self, id_: str, number: int, *, is_through: bool) -> tuple[int, int]:
        """The rank of somebody who came as far as this round of the knock-out, from 1."""
        if is_through:
            if number == self._last:
                return 1, 1
            if self._state.entries[id_].withdrawn_at is not None:
                return self._out(id_, number + 1)
            return 1, self._after_loss(number + 1)
        if number == len(self._rounds) and id_ in self._in_play:
            return 1, self._after_loss(number)
        return self._out(id_, number)

    def _after_loss(self, number: int) -> int:
        return _after_loss(self._state.known_plan, self._entrants, number)

    def _out(self, id_: str, number: int) -> tuple[int, int]:
        """The ranks of somebody who lost in a round."""
        if not self._has_third or number != self._last - 1:
            return (self._after_loss(number),) * 2
        if len(self._rounds) < self._last:
            return THIRD, self._after_loss(number)
        final = self._rounds[-1]
        if final.third_place_bye is not None:
            return (THIRD,) * 2 if id_ == final.third_place_bye else (FOURTH,) * 2
        table = next((one for one in final.tables if one.third_place), None)
        if table is None:  # nobody could play for it
            return THIRD, THIRD
        result = tie_result(table, self._results)
        if not result.is_over:
            return THIRD, FOURTH
        is_third = result.winner is not None and id_ in table.sides[result.winner]
        return (THIRD,) * 2 if is_third else (FOURTH,) * 2


def entered(of: RoundState) -> set[str]:
    """Who has a row of the bracket in a round. The tie for the third place does not count."""
    return {id_ for table in of.tables if not table.third_place for id_ in table.competitors} | _byes(of)


def _through(of: RoundState, results: Results) -> set[str]:
    """Who wins a tie of the bracket in a round, or has a bye there."""
    won = (
        table.sides[result.winner][0]
        for _, table, result in _ties([of], results)
        if result.winner is not None and not table.third_place
    )
    return {*won, *_byes(of)}


def _byes(of: RoundState) -> set[str]:
    return {id_ for id_ in of.byes if id_ != of.third_place_bye}


def _ties(rounds: Iterable[RoundState], results: Results) -> Iterator[tuple[RoundState, TableOfRound, TieResult]]:
    for of in rounds:
        for table in of.tables:
            yield of, table, tie_result(table, results)
