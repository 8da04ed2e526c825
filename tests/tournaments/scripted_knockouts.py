"""Knock-outs whose results a test names."""

from __future__ import annotations

from random import Random
from typing import Any

from random_tournaments import PlayedTournament

from league.tournaments.domain import commands as c
from league.tournaments.domain import entering, round_tables
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.state import TableOfRound


def won_by(side: int) -> MatchSummary:
    """A match that a side has won."""
    return MatchSummary("completed", side, (150, 20) if side == 0 else (20, 150), begun=True)


class Knockout(PlayedTournament):
    """A knock-out whose results a test names."""

    def __init__(self, entrants: int, **plan: Any) -> None:
        usual = {"name": "Copa", "format": "knockout", "ruleset": "cuban-150", "mode": "1v1"}
        super().__init__(Random(1), most=entrants, plan={**usual, **plan})
        self.draw()

    def tie_of(self, id_: str) -> TableOfRound:
        """The table of a competitor in the last round."""
        return next(one for one in self.state.rounds[-1].tables if id_ in one.competitors)

    def meetings(self) -> list[tuple[str, str]]:
        """Who meets in the last round, from the top of the bracket."""
        return [(first, second) for (first,), (second,) in (one.sides for one in self.state.rounds[-1].tables)]

    def win(self, id_: str) -> None:
        """Let a competitor win the game that is in play in their tie, and open the next one if there is one."""
        table = self.tie_of(id_)
        assert table.match is not None
        side = table.sides.index((id_,))
        self.results[table.match] = won_by(side)
        self._opens_game(table)

    def play_again(self, game: int) -> str:
        """Void a game of the first tie and replace its match, whose id this returns."""
        table = self.state.rounds[-1].tables[0]
        self.results[table.by_game[game]] = MatchSummary("voided", begun=True)
        command, new = c.ReplaceMatch("copa", len(self.state.rounds), table.number, "wrong tiles"), f"again-{game}"
        self._take(round_tables.replace_match(command, self.state, self._all_results(), new))
        return new

    def tie(self) -> list[tuple[int, str, int | None]]:
        """Number, status and winner of each game of the first tie of the first round."""
        of = self.state.rounds[0]
        rows = [row for row in self.rows()["pairings"] if (row["drawing"], row["table"]) == (of.drawings, 1)]
        return [(row["game"], row["status"], row["winner"]) for row in rows]

    def miss(self, *ids: str) -> None:
        """Let competitors of one table be absent."""
        table = self.tie_of(ids[0])
        sides = tuple(side for side, (id_,) in enumerate(table.sides) if id_ in ids)
        command = c.RecordAbsence("copa", len(self.state.rounds), table.number, sides)
        self._take(round_tables.record_absence(command, self.state, self._all_results()))

    def leave(self, id_: str) -> None:
        """Let a competitor withdraw."""
        self._leave(id_)

    def return_(self, id_: str) -> None:
        """Let a competitor return."""
        self._take(entering.return_(c.Return("copa", id_), self.state))

    def come_after_all(self, id_: str, number: int) -> None:
        """Let two who were absent in an earlier round play a game of their tie, which this competitor wins."""
        of = self.state.rounds[number - 1]
        table = next(one for one in of.tables if id_ in one.competitors)
        command, new = c.ReplaceMatch("copa", number, table.number, "they came"), f"late-{number}-{table.number}"
        self._take(round_tables.replace_match(command, self.state, self._all_results(), new))
        self.results[new] = MatchSummary("completed", table.sides.index((id_,)), (150, 20), begun=True)

    def ranks(self) -> dict[str, int | None]:
        """The rank of each."""
        return {place.id: place.rank for place in self.seen.standing()}

    def bounds_of(self, id_: str) -> tuple[int, int]:
        """The best and the worst rank that are still possible."""
        found = self.seen.possible()[id_]
        return found.best, found.worst

    def changed(self) -> set[tuple[int, int | None]]:
        """The rounds and tables that say that they were corrected."""
        return {(row["round"], row["table"]) for row in self.rows()["pairings"] if row["corrected"]}
