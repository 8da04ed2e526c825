"""What happens at the tables of random tournaments: results, absences, changes of pairings, and ties of a knock-out."""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec.structs import replace
from random_plans import RULEBOOK

from league.domain.refusals import Refusal
from league.tournaments.domain import commands as c
from league.tournaments.domain import entering, round_tables
from league.tournaments.domain import events as e
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.state import TableOfRound, TournamentState
from league.tournaments.domain.ties import tie_result


class RandomTables:
    """The steps of a tournament at its tables, in which chance decides every result."""

    chance: Random
    luck: Random
    plan: dict[str, Any]
    state: TournamentState
    results: dict[str, MatchSummary]
    events: list[Any]
    bounds: list[dict[str, tuple[int, int]]]
    corrected = False
    absences = 0.05
    """How likely an absence is before each game of a tie."""

    def _take(self, events: list[Any]) -> None:
        raise NotImplementedError

    def _play(self, table: TableOfRound) -> None:
        happens = self.chance.random()
        if table.best_of is not None:
            self._play_tie(table)
        elif happens < 0.06:
            self._absent(table)
        elif happens < 0.1:
            self._by_hand(table)
        else:
            self._decide(table)
            if happens < 0.14:
                self._void(table)

    def _decide(self, table: TableOfRound) -> None:
        assert table.match is not None
        self.results[table.match] = self._result()

    def _result(self) -> MatchSummary:
        target = RULEBOOK.rulesets[self.plan["ruleset"]].target
        winner, loser = self.chance.randint(0, 1), self.chance.randint(0, target - 1)
        score = (target + 7, loser) if winner == 0 else (loser, target + 7)
        status = self.chance.choice(("completed", "completed", "cut_short", "announced", "pending", "forfeited"))
        best = tuple(self.chance.randint(0, 60) for _ in range(2))
        unknown = status == "announced" and self.chance.random() < 0.3
        return MatchSummary(status, winner, None if unknown else score, best, begun=True)

    def _absent(self, table: TableOfRound) -> None:
        sides = self.chance.choice(((0,), (1,), (0, 1)))
        results = self._all_results()
        command = c.RecordAbsence("copa", len(self.state.rounds), table.number, sides)
        self._take(round_tables.record_absence(command, self.state, results))
        self.results |= {match: MatchSummary("voided") for match in round_tables.open_matches(table, results)}
        if self.chance.random() < 0.3:
            self._replace(table)

    def _replace(self, table: TableOfRound) -> None:
        number, new = len(self.state.rounds), f"copa-r{len(self.state.rounds)}-t{table.number}-again{len(self.events)}"
        command = c.ReplaceMatch("copa", number, table.number, "they came")
        self._take(round_tables.replace_match(command, self.state, self.results, new))
        self.bounds.clear()  # they can win more than before
        self.results[new] = self._result()

    def _by_hand(self, table: TableOfRound) -> None:
        """Let two competitors at a table change sides."""
        (a, *first), (b, *second) = table.sides
        number = len(self.state.rounds)
        results = {**{match: MatchSummary("open") for match in self.state.matches()}, **self.results}
        command = c.ChangePairings(
            "copa", number, (c.NewTable(table.number, ((b, *first), (a, *second))),), "a quarrel"
        )
        new = f"{table.match}-by-hand"
        self._take(round_tables.change_pairings(command, self.state, results, {table.number: new}, ()))
        assert table.match is not None
        self.results[table.match] = MatchSummary("voided")
        changed = self.state.rounds[-1].table(table.number)
        assert changed is not None
        self._decide(changed)

    def _void(self, table: TableOfRound, again: float = 0.5) -> None:
        assert table.match is not None
        self.results[table.match] = MatchSummary("voided")
        self.bounds.clear()
        if self.chance.random() < again:
            self._replace(table)

    def _leave(self, competitor: str) -> None:
        left = round_tables.leave_tie(competitor, self.state, self._all_results())
        self._take(entering.withdraw(c.Withdraw("copa", competitor), self.state))
        if left is None:
            return
        self._take(left.events)
        forfeit = MatchSummary("forfeited", 1 - left.side, begun=True)
        self.results |= {**dict.fromkeys(left.forfeited, forfeit), **dict.fromkeys(left.voided, MatchSummary("voided"))}

    def _all_results(self) -> dict[str, MatchSummary]:
        return {**{match: MatchSummary("open") for match in self.state.matches()}, **self.results}

    def _table(self, number: int) -> TableOfRound:
        table = self.state.rounds[-1].table(number)
        assert table is not None
        return table

    def _play_tie(self, table: TableOfRound) -> None:
        """Play game after game until the tie is over, or one side does not come any more."""
        while not tie_result(table := self._table(table.number), self._all_results()).is_over:
            happens = self.chance.random()
            if self._has_voided(table):
                self._replace(table)  # who was absent came after all, and has played an earlier game
            elif table.match in self.results:
                self._opens_game(table)
            elif len(table.games) > 1 and self.luck.random() < 0.1:
                self._replay(table)
            elif happens < self.absences:
                self._absent(table)
            elif happens < self.absences + 0.03 and self._are_there(table):
                assert table.match is not None
                self.results[table.match] = MatchSummary("open", begun=True)
                self._leave(self.chance.choice(table.competitors))
            else:
                self._decide(table)
                if happens < self.absences + 0.07:
                    self._void(table, again=1.0)

    def _are_there(self, table: TableOfRound) -> bool:
        return all(self.state.entries[id_].withdrawn_at is None for id_ in table.competitors)

    def _opens_game(self, table: TableOfRound) -> bool:
        """Open the next game of a tie if one is to be played. Who has left loses it."""
        table = self._table(table.number)
        match = f"copa-r{len(self.state.rounds)}-t{table.number}-g{len(self.events)}"
        opened = round_tables.open_game(self.state, self.state.rounds[-1], table, self._all_results(), match)
        self._take(opened)
        if any(isinstance(event, e.GameOpened) for event in opened):
            return True
        assert tie_result(self._table(table.number), self._all_results()).is_over, "a tie is played to its end"
        return False

    def _has_voided(self, table: TableOfRound) -> bool:
        """Whether a game of a tie is voided and to be played again."""
        results = self._all_results()
        return not table.absent and any(results[match].status == "voided" for match in table.counting)

    def _replay(self, table: TableOfRound) -> None:
        """Void an earlier game, which both are to play again. Perhaps a side does not come any more, or leaves."""
        match = self.luck.choice(table.counting[:-1])
        if table.absent or tie_result(table, self._all_results()).is_over or not self._are_there(table):
            return
        self.results[match] = MatchSummary("voided")
        new = f"{match}-again{len(self.events)}"
        command = c.ReplaceMatch("copa", len(self.state.rounds), table.number, "wrong tiles")
        self._take(round_tables.replace_match(command, self.state, self._all_results(), new))
        self.bounds.clear()
        then = self.luck.random()
        if then < 0.4:
            self.results[new] = self._result()
        elif then < 0.7:
            self._absent(self._table(table.number))
        else:
            if then < 0.85:
                self.results[new] = MatchSummary("open", begun=True)
            self._leave(self.luck.choice(table.competitors))

    def _reopen(self, table: TableOfRound) -> None:
        """Reverse the result of a game of a tie before the next drawing, and play on if nobody has won any more."""
        if table.absent:
            return
        match = self.chance.choice([match for match in table.counting if match in self.results])
        self.results[match] = _turned(self.results[match])
        self.bounds.clear()
        self._play_tie(table)

    def _correct(self) -> None:
        """Reverse a result of an earlier round, on which later rounds were drawn."""
        of = self.chance.choice(self.state.rounds[:-1])
        for table in of.tables:
            if table.match is None or (table.absent and table.best_of is None):
                continue
            known = [match for match in table.counting if match in self.results]
            match = table.match if table.best_of is None else self.chance.choice(known)
            result = self.results[match]
            if result.winner is not None and result.score is not None:
                self.results[match] = _turned(result)
                self._forget()
                return

    def _correct_a_tie(self) -> None:
        """Void a game of an earlier tie, or play one that an absent side had lost."""
        ties = [(of.number, table) for of in self.state.rounds[:-1] for table in of.tables if table.best_of is not None]
        if not ties:
            return
        number, table = self.chance.choice(ties)
        if not table.absent:
            self.results[self.chance.choice(table.counting)] = MatchSummary("voided")
            self._forget()
            return
        new = f"copa-r{number}-t{table.number}-late{len(self.events)}"
        command = c.ReplaceMatch("copa", number, table.number, "they came")
        try:
            self._take(round_tables.replace_match(command, self.state, self.results, new))
        except Refusal:  # who has left stays absent
            return
        self.results[new] = self._result()
        self._forget()

    def _forget(self) -> None:
        self.corrected = True
        self.bounds.clear()


def _turned(result: MatchSummary) -> MatchSummary:
    """The result with the other winner."""
    score = None if result.score is None else result.score[::-1]
    return replace(result, winner=None if result.winner is None else 1 - result.winner, score=score)
