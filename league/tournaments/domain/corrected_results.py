"""Results of a round that are not those on which the next round was published. Only exports tell them apart."""

from collections.abc import Sequence

from msgspec import Struct

from league.tournaments.domain.outcomes import PointRules, table_result
from league.tournaments.domain.results import COUNTED, Results, TableStatus
from league.tournaments.domain.state import RoundState, TableOfRound
from league.tournaments.domain.ties import tie_result

WITHOUT_PLAY: frozenset[TableStatus] = frozenset({"forfeited", "walkover", "double_absence"})

_Result = tuple[str, int | None, Sequence[int] | None]
"""How it was decided, the side that has won, and the score of the match."""
_NONE: _Result = ("", None, None)


class RoundThen(Struct, frozen=True):
    """A round as it was when the next one was published."""

    of: RoundState
    results: Results
    is_imported: bool = False
    """Whether the next round came with an import. Then results are the last ones, and nobody knows the earlier ones."""


def corrected_games(of: RoundState, results: Results, then: RoundThen, points: PointRules) -> set[tuple[int, int]]:
    """The table and the game of each result that has changed since. A table outside of a knock-out has one game.

    The confirmation of a pending result changes nothing.
    """
    found = set()
    for table in of.tables:
        before = then.of.table(table.number)
        stood = {} if before is None else _results(before, then.results, points)
        for game, result in _results(table, results, points).items():
            if result != stood.get(game, _NONE):
                found.add((table.number, game))
    return found


def _results(table: TableOfRound, results: Results, points: PointRules) -> dict[int, _Result]:
    """The result of each game at a table."""
    if table.best_of is None:
        found = table_result(table, results, points)
        return {1: _result(found.status, found.winner, found.score)}
    games = tie_result(table, results).games
    return {game.number: _result(game.status, game.winner, game.score) for game in games}


def _result(status: TableStatus, winner: int | None, score: Sequence[int] | None) -> _Result:
    if status in WITHOUT_PLAY:
        return status, winner, score
    return ("played", winner, score) if status in COUNTED else _NONE
