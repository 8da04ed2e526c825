"""Ties of a knock-out: their games, and who wins them (rules, Tournaments, `knockout`)."""

from collections.abc import Iterator

from msgspec import Struct

from league.tournaments.domain.results import COUNTED, OPEN, MatchSummary, Results, TableStatus
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

    @property
    def status(self) -> TableStatus:
        """The status of the game that decides, or else of the latest one."""
        return "double_absence" if self.is_over and self.winner is None else self.games[-1].status


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


def game_in_play(table: TableOfRound, results: Results) -> int:
    """The first game of a tie that nobody has won at the table, from 1. Other tables have one game."""
    if table.best_of is None:
        return 1
    return next(number for number in range(1, table.best_of + 2) if _won_at(table, number, results) is None)


def next_game(table: TableOfRound, results: Results) -> int | None:
    """The number of the game to open now; None if the tie is over, or if its latest game has no result.

    A game that was voided before anybody played in it opens again: an absence or an earlier end of the tie voided it.
    """
    found = tie_result(table, results)
    if found.is_over or table.absent:
        return None
    *before, last = found.games
    if last.winner is not None:
        return last.number + 1 if last.number < (table.best_of or 1) else None
    is_waiting = last.status == "voided" and not results[last.match or ""].begun
    return last.number if is_waiting and before and before[-1].winner is not None else None


def _won_at(table: TableOfRound, number: int, results: Results) -> int | None:
    """The side that has won a game with a match; None if nobody has."""
    return _winner(results.get(table.by_game.get(number, ""), OPEN))


def _winner(found: MatchSummary) -> int | None:
    return found.winner if found.status in COUNTED else None


def _games(table: TableOfRound, results: Results) -> Iterator[TieGame]:
    """The games of a tie. Who is absent loses all games that nobody has won at the table."""
    by_game = table.by_game
    if not by_game and not table.absent:
        yield TieGame(1, "scheduled")
    lost_by_both = game_in_play(table, results) if len(table.absent) > 1 else None
    for number in range(1, (table.best_of or 1) + 1):
        match = by_game.get(number)
        found = OPEN if match is None else results.get(match, OPEN)
        if number == lost_by_both:
            yield TieGame(number, "double_absence")
        elif match is not None and (not table.absent or _winner(found) is not None):
            yield TieGame(number, found.status, _winner(found), match, found.score)
        elif len(table.absent) == 1:
            yield TieGame(number, "walkover", 1 - table.absent[0])
