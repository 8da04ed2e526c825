"""Ties of a knock-out: their games, and who wins them (rules, Tournaments, `knockout`)."""

from collections.abc import Iterator

from msgspec import Struct

from league.tournaments.domain.results import COUNTED, OPEN, Results, TableStatus
from league.tournaments.domain.state import TableOfRound


class TieGame(Struct, frozen=True):
    """A game of a tie: a match, or a loss without play."""

    number: int
    """From 1."""
    status: TableStatus
    winner: int | None = None
    """The side that won."""
    match: str | None = None
    """The match that counts; None if the game is lost without play."""
    score: tuple[int, ...] | None = None
    """Match points by side as the match has them."""


class TieResult(Struct, frozen=True):
    """How a tie stands."""

    games: tuple[TieGame, ...]
    """The games up to the one that decides."""
    won: tuple[int, int]
    """Games won by each side."""
    winner: int | None = None
    """The side that won the tie; None if it is undecided, or if both sides were absent."""
    is_over: bool = False


def tie_result(table: TableOfRound, results: Results) -> TieResult:
    """How a tie stands. A pending result of a game counts, and an absence loses all games that are left."""
    games, won, needed = [], [0, 0], needed_to_win(table)
    for game in _games(table, results):
        games.append(game)
        if game.winner is not None:
            won[game.winner] += 1
            if won[game.winner] == needed:
                return TieResult(tuple(games), (won[0], won[1]), game.winner, is_over=True)
    return TieResult(tuple(games), (won[0], won[1]), is_over=len(table.absent) > 1)


def needed_to_win(table: TableOfRound) -> int:
    """How many games a side must win to win a tie."""
    assert table.best_of is not None, "it is a tie of a knock-out"
    return table.best_of // 2 + 1


def next_game(table: TableOfRound, results: Results) -> int | None:
    """The number of the game to open now; None if the tie is over, or if its latest game has no result."""
    found = tie_result(table, results)
    if found.is_over or table.absent or len(found.games) >= (table.best_of or 1):
        return None
    return None if found.games[-1].winner is None else len(found.games) + 1


def _games(table: TableOfRound, results: Results) -> Iterator[TieGame]:
    """The games of a tie, with those that an absent side loses without play."""
    number = 0
    for number, match in enumerate(table.counting, 1):
        found = results.get(match, OPEN)
        counts = found.status in COUNTED
        yield TieGame(number, found.status, found.winner if counts else None, match, found.score)
    if len(table.absent) > 1:
        yield TieGame(number + 1, "double_absence")
    elif table.absent:
        left = (table.best_of or 1) - number
        for each in range(number + 1, number + 1 + left):
            yield TieGame(each, "walkover", 1 - table.absent[0])
    elif not number:
        yield TieGame(1, "scheduled")
