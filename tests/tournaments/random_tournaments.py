"""Random tournaments, played on the deciders alone, so that thousands take minutes. A seed decides every choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace
from played_tournaments import bytes_of, commitment_of

from league.domain.refusals import Refusal
from league.rulebook import shipped_edition
from league.tournaments.domain import commands as c
from league.tournaments.domain import entering, round_tables, rounds
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import match_id, seed_of
from league.tournaments.domain.evolve import evolve
from league.tournaments.domain.inputs import inputs, to_draw
from league.tournaments.domain.outcomes import PointRules, point_rules_of
from league.tournaments.domain.plan import WITH_KNOCKOUT, WITH_REQUESTED_BYES
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.state import TableOfRound, TournamentState
from league.tournaments.domain.ties import tie_result
from league.tournaments.exports import EXPORTS, entries_of, pairings_of, rounds_of, standing_of
from league.tournaments.pairing import pair
from league.tournaments.tournament_queries import SeenTournament

RULEBOOK = shipped_edition(1)
START = datetime(2026, 3, 1, 18, tzinfo=UTC)
TIE_BREAKS = [
    "difference", "points_for", "buchholz", "buchholz_cut", "buchholz_median", "sonneborn_berger", "best_hand",
    "fewest_byes",
]  # fmt: skip
REGIONS = ("Granma", "Holguín", None)


class PlayedTournament:
    """A tournament in which chance decides the plan, who takes part, and every result."""

    def __init__(self, chance: Random, most: int = 60, rules: int = 2, format_: str | None = None) -> None:
        """`most`: competitors; `format_`: None lets chance decide."""
        self.rules, self.format = rules, format_
        self.chance, self.now = chance, START
        self.luck = Random(7)
        """Decides which devices take part in drawings."""
        self.state = TournamentState("copa")
        self.results: dict[str, MatchSummary] = {}
        self.events: list[Any] = []
        self.corrected = False
        self.bounds: list[dict[str, tuple[int, int]]] = []
        self.plan = self._plan()
        planned = entering.plan_tournament(c.PlanTournament("copa", self.plan), self.state, RULEBOOK)
        self._take([_under_rules_1(event) for event in planned] if rules == 1 else planned)
        self.pairs = self.plan["mode"] == "2v2" and self.plan["format"] != "rotating_partners"
        self.names = [f"p{number:03}" for number in range(1, 4 * most)]
        self.late = iter(self.names[::-1])
        count = chance.choice((8, 12, 16)) if self.plan.get("full_cycle") else chance.randint(self._least(), most)
        for number in range(count):
            self.enter(self.names[2 * number : 2 * number + 2] if self.pairs else self.names[number : number + 1])

    def _least(self) -> int:
        """The fewest competitors that the plan can be played with, and a few more."""
        if self.plan["format"] == "groups":
            return self.plan["groups"] * max(3, self.plan.get("advance", 2) + 1)
        return 2 if self.plan["format"] == "knockout" else 4

    def _plan(self) -> dict[str, Any]:
        chance = self.chance
        usual = ("swiss", "swiss", "rotating_partners", "rotating_partners", "round_robin", "fixtures")
        format_ = self.format or chance.choice(usual)
        plan: dict[str, Any] = {
            "name": "Copa",
            "format": format_,
            "ruleset": chance.choice(("cuban-150", "caribbean-500-bonus")),
            "mode": "2v2" if format_ == "rotating_partners" else chance.choice(("1v1", "2v2")),
            "tie_breaks": self._tie_breaks(format_),
            "late_entries": chance.choice((0, 3)) if format_ in {"swiss", "rotating_partners", "fixtures"} else 0,
            "region_rounds": chance.choice((0, 1)),
            "partners": chance.choice(("near", "drawn")),
            "bye": {"won": chance.random() < 0.8, "for": chance.choice((None, 30)), "against": chance.choice((0, 20))},
        }
        if plan["mode"] not in RULEBOOK.rulesets[plan["ruleset"]].modes:
            plan["ruleset"] = "cuban-150"
        if format_ in {"swiss", "rotating_partners", "fixtures"}:
            plan["rounds"] = chance.randint(1, 6)
        if format_ in WITH_KNOCKOUT:
            del plan["bye"]
            self._plan_knockout(plan)
        if format_ == "rotating_partners":
            plan["full_cycle"] = chance.random() < 0.1
        for window in ("opponent_window", "partner_window"):
            if chance.random() < 0.4:
                plan[window] = chance.choice(("all", 0, 1, 2, 4))
        if chance.random() < 0.3:
            plan["score_cap"] = chance.choice((20, 100))
        if self.rules > 1:
            plan["walkover"] = {"won": chance.random() < 0.7, "for": chance.choice((None, 20)), "against": 0}
            plan["difference_cap"] = chance.choice((None, 15, 60))
            if format_ in {"round_robin", "groups"}:
                plan["legs"] = chance.choice((1, 1, 1, 2))
                plan["withdrawals"] = chance.choice((None, None, "annul_below_half", "keep"))
        return plan

    def _plan_knockout(self, plan: dict[str, Any]) -> None:
        chance = self.chance
        if plan["format"] == "groups":
            plan["groups"] = chance.choice((2, 2, 3, 4))
            plan["advance"] = chance.choice((1, 2, 2, 3))
        plan["best_of"] = chance.choice((1, 1, 3, [1, 3, 5], [3, 1]))
        plan["third_place"] = chance.choice((None, True, False))

    def _tie_breaks(self, format_: str) -> list[str]:
        if format_ == "knockout":
            return []
        known = TIE_BREAKS if format_ == "rotating_partners" else [*TIE_BREAKS, "direct"]
        return self.chance.sample(known, self.chance.randint(0, 4))

    @property
    def points(self) -> PointRules:
        assert self.state.plan is not None
        return point_rules_of(self.state.plan, RULEBOOK.rulesets[self.state.plan.ruleset])

    @property
    def drawings(self) -> dict[tuple[int, int], e.RoundDrawn]:
        return drawings_in(self.events)

    @property
    def seen(self) -> SeenTournament:
        assert self.state.plan is not None
        return SeenTournament(self.state, START, RULEBOOK.rulesets[self.state.plan.ruleset], self.results)

    def _take(self, events: list[Any]) -> None:
        self.now += timedelta(seconds=1)
        self.events += events
        for event in events:
            self.state = evolve(self.state, event, self.now)

    def enter(self, players: list[str]) -> None:
        regions = {player: self.chance.choice(REGIONS) for player in players}
        ids_of = {player: frozenset({player}) for player in players}
        command = c.EnterCompetitor("copa", tuple(players))
        self._take(entering.enter(command, self.state, regions, ids_of))

    def play(self) -> None:
        """Play until no further round can be drawn, then end the tournament."""
        while True:
            try:
                self.draw()
            except Refusal:
                break
            self.play_round()
        last = self.state.rounds[-1] if self.state.rounds else None
        if last is not None and last.status == "published":
            self._take(rounds.close_round(c.CloseRound("copa", last.number), self.state, self.results, self.points))
        if self.state.rounds:
            self._take(entering.end_tournament(self.state, self.results, self.points))

    def draw(self) -> None:
        """Draw the next round and publish it. Now and then it is drawn again, or withdrawn and drawn anew."""
        self._draw(None)
        if self.luck.random() < 0.1:
            self._draw("a wish")
        self._publish()
        if self.luck.random() < 0.1:
            self._withdraw()
            self._draw(None)
            self._publish()

    def _draw(self, again: str | None) -> None:
        self._ask_for_byes()
        number, available = self.state.next_round, to_draw(self.state, self.results, self.points)
        ranked = inputs(self.state, number, available, self.results, self.points, {})
        command = c.DrawRound("copa", again, self._meetings([entry.id for entry in available]))
        locked = self._locked([entry.id for entry in available])
        for entry in available:
            if self.luck.random() < 0.3 and self.state.promise(entry.id) is None:
                commitment = commitment_of(entry.id, len(self.events))
                self._take(entering.commit(c.CommitSeed("copa", entry.id, commitment), self.state))
        later = self.now + timedelta(minutes=1)
        self._take(rounds.draw_round(command, self.state, ranked, locked, self.results, self.points, later))
        self._contribute(number)
        root, of = self.chance.randbytes(32).hex(), self.state.rounds[-1]
        seed = seed_of(root, "copa", number, [one.bytes for one in of.contributions])
        plan, drawing = self.state.plan, self.drawings[number, of.drawings]
        assert plan is not None
        paired = pair(plan, drawing, seed, self.state.schedule(number))
        positions = {
            (event.competitor, event.commitment): position
            for position, event in enumerate(self.events, 1)
            if isinstance(event, e.SeedCommitted)
        }
        commitments = tuple(replace(one, position=positions[one.id, one.commitment]) for one in of.commitments)
        position = len(self.events) - self.events[::-1].index(drawing)
        pairing = c.PairRound("copa", number, of.drawings, position, root, False, paired, seed, commitments)
        self._take(rounds.pair_round(pairing, self.state))

    def _ask_for_byes(self) -> None:
        """Let some ask for a bye of the next round, and others play it after all."""
        number = self.state.next_round
        if self.plan.get("full_cycle") and number == 1:  # it needs everybody
            return
        if self.plan["format"] not in WITH_REQUESTED_BYES or number > self.plan["rounds"]:
            return
        if self.state.round(number) is not None and self.state.rounds[-1].status == "drawn":
            return
        for entry in list(self.state.entries.values()):
            if entry.withdrawn_at is None and self.luck.random() < 0.04:
                if number in entry.requested_byes:
                    self._take(entering.take_back_bye(c.TakeBackBye("copa", entry.id, number), self.state))
                else:
                    self._take(entering.request_bye(c.RequestBye("copa", entry.id, number), self.state))

    def _publish(self) -> None:
        of = self.state.rounds[-1]
        opened = [e.OpenedAt(table.number, self._new_match(table.number)) for table in of.tables if not table.absent]
        publishing = c.PublishRound("copa", of.number)
        if self.plan["format"] != "fixtures":
            self._take(rounds.publish_round(publishing, self.state, opened))
            return
        self._take(rounds.publish_round(publishing, self.state, []))
        for one in opened:
            self._take(round_tables.open_fixture(c.OpenFixture("copa", of.number, one.table), self.state, one.match))

    def _new_match(self, table: int) -> str:
        """The id of a table's match in the last round. No earlier drawing of the round has had it."""
        number = len(self.state.rounds)
        withdrawn = [of for of in self.state.drawings_of(number) if of.status == "withdrawn"]
        return match_id("copa", number, table, sum(of.table(table) is not None for of in withdrawn))

    def _withdraw(self) -> None:
        of = self.state.rounds[-1]
        results = {match: MatchSummary("open") for table in of.tables for match in table.matches}
        self._take(rounds.withdraw_round(c.WithdrawRound("copa", of.number, "wrong names"), self.state, results))
        self.results |= dict.fromkeys(results, MatchSummary("voided"))

    def _contribute(self, number: int) -> None:
        """Let most devices give the bytes that they promised, in this round or in an earlier one that did not ask."""
        of = self.state.rounds[-1]
        for one in of.commitments:
            made = next(at for at in range(len(self.events)) if commitment_of(one.id, at) == one.commitment)
            if self.luck.random() < 0.7:
                given = c.ContributeSeed("copa", number, of.drawings, one.id, bytes_of(one.id, made))
                self._take(rounds.contribute(given, self.state))

    def _meetings(self, ids: list[str]) -> tuple[tuple[str, str], ...] | None:
        """Meetings by hand for every other round of fixtures on average; otherwise None."""
        if self.plan["format"] != "fixtures" or self.chance.random() < 0.5 or len(ids) < 2:
            return None
        self.chance.shuffle(ids)
        count = self.chance.randint(1, len(ids) // 2)
        return tuple((ids[2 * at], ids[2 * at + 1]) for at in range(count))

    def _locked(self, ids: list[str]) -> list[tuple[str, str]]:
        """Now and then many locked pairs, so that some have to meet."""
        if self.chance.random() < 0.6 or len(ids) > 16:
            return []
        if self.plan["format"] == "rotating_partners":
            ids = ["+".join(two) for two in combinations(sorted(ids), 2)]
        pairs = [two for two in combinations(sorted(ids), 2) if not set(two[0].split("+")) & set(two[1].split("+"))]
        return [two for two in pairs if self.chance.random() < 0.5]

    def play_round(self) -> None:
        chance, of = self.chance, self.state.rounds[-1]
        for number in range(1, len(of.tables) + 1):
            table = self.state.rounds[-1].table(number)
            assert table is not None
            if number == 1 or chance.random() < 0.1:
                self._keep_bounds()
            if table.absent:  # somebody had left when the round was drawn
                continue
            happens = chance.random()
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
        self._come_and_go()
        if len(self.state.rounds) > 1 and chance.random() < 0.1:
            self._correct()

    def _come_and_go(self) -> None:
        chance = self.chance
        annuls = self.plan["format"] in {"round_robin", "groups"} and self.rules > 1
        for entry in list(self.state.entries.values()):
            if entry.withdrawn_at is None and chance.random() < (0.08 if annuls else 0.03):
                self._leave(entry.id)
                self.corrected_entries()
            elif entry.withdrawn_at is not None and chance.random() < 0.2:
                self._take(entering.return_(c.Return("copa", entry.id), self.state))
                self.corrected_entries()
        if chance.random() < 0.2:
            try:
                self.enter([next(self.late) for _ in range(1 + self.pairs)])
                self.corrected_entries()
            except Refusal:
                pass

    def corrected_entries(self) -> None:
        """Forget the bounds so far, because entries changed. Who leaves a round robin changes earlier results."""
        self.bounds.clear()
        self.corrected = self.corrected or (self.plan["format"] in {"round_robin", "groups"} and self.rules > 1)

    def _leave(self, competitor: str) -> None:
        left = round_tables.leave_tie(competitor, self.state, self._all_results())
        self._take(entering.withdraw(c.Withdraw("copa", competitor), self.state))
        if left is None:
            return
        self._take(left.events)
        if left.match is not None and left.is_begun:
            self.results[left.match] = MatchSummary("forfeited", 1 - left.side, begun=True)
        elif left.match is not None:
            self.results[left.match] = MatchSummary("voided")

    def _all_results(self) -> dict[str, MatchSummary]:
        return {**{match: MatchSummary("open") for match in self.state.matches()}, **self.results}

    def _play_tie(self, table: TableOfRound) -> None:
        """Play game after game until the tie is over, or one side does not come any more."""
        of = len(self.state.rounds)
        while True:
            table = self._table(table.number)
            happens = self.chance.random()
            if happens < 0.05:
                self._absent(table)
            elif happens < 0.08:
                assert table.match is not None
                self.results[table.match] = MatchSummary("open", begun=True)
                self._leave(self.chance.choice(table.competitors))
            else:
                self._decide(table)
                if happens < 0.12:
                    self._void(table, again=1.0)
            table = self._table(table.number)
            if tie_result(table, self._all_results()).is_over:
                return
            match = f"copa-r{of}-t{table.number}-g{len(self.events)}"
            opened = round_tables.open_game(self.state.rounds[-1], table, self._all_results(), match)
            if not opened:
                return
            self._take(opened)

    def _table(self, number: int) -> TableOfRound:
        table = self.state.rounds[-1].table(number)
        assert table is not None
        return table

    def _keep_bounds(self) -> None:
        self.bounds.append({id_: (one.best, one.worst) for id_, one in self.seen.possible().items()})

    def _decide(self, table: TableOfRound) -> None:
        assert table.match is not None
        target = RULEBOOK.rulesets[self.plan["ruleset"]].target
        winner, loser = self.chance.randint(0, 1), self.chance.randint(0, target - 1)
        score = (target + 7, loser) if winner == 0 else (loser, target + 7)
        status = self.chance.choice(("completed", "completed", "cut_short", "announced", "pending", "forfeited"))
        best = tuple(self.chance.randint(0, 60) for _ in range(2))
        unknown = status == "announced" and self.chance.random() < 0.3
        self.results[table.match] = MatchSummary(status, winner, None if unknown else score, best, begun=True)

    def _absent(self, table: TableOfRound) -> None:
        sides = self.chance.choice(((0,), (1,), (0, 1)))
        results = self._all_results()
        command = c.RecordAbsence("copa", len(self.state.rounds), table.number, sides)
        self._take(round_tables.record_absence(command, self.state, results))
        game = round_tables.game_in_play(table, results)
        if game <= len(table.games):
            self.results[table.counting[game - 1]] = MatchSummary("voided")
        if self.chance.random() < 0.3:
            self._replace(table)

    def _replace(self, table: TableOfRound) -> None:
        number, new = len(self.state.rounds), f"copa-r{len(self.state.rounds)}-t{table.number}-again{len(self.events)}"
        command = c.ReplaceMatch("copa", number, table.number, "they came")
        self._take(round_tables.replace_match(command, self.state, self.results, new))
        self.bounds.clear()  # they can win more than before
        changed = self.state.rounds[-1].table(table.number)
        assert changed is not None
        self._decide(changed)

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

    def _correct(self) -> None:
        """Reverse a result of an earlier round, on which later rounds were drawn."""
        of = self.chance.choice(self.state.rounds[:-1])
        for table in of.tables:
            result = None if table.match is None or table.absent else self.results[table.match]
            if result is not None and result.winner is not None and result.score is not None:
                assert table.match is not None
                turned = msgspec.structs.replace(result, winner=1 - result.winner, score=result.score[::-1])
                self.results[table.match] = turned
                self.corrected = True
                self.bounds.clear()
                return

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The rows that would be exported."""
        hands = [
            {"match": match, "hand": 1, "points": list(result.best_hands), "counted": True}
            for match, result in self.results.items()
        ]
        matches = [{"match": match, "score": _listed(result.score)} for match, result in self.results.items()]
        return {**rows_of(self.seen, self.drawings), "hands": hands, "matches": matches}


def _under_rules_1(event: Any) -> Any:
    """The planning of a tournament before version 2 of the rules."""
    return replace(event, plan=replace(event.plan, rules=1))


def _listed(score: tuple[int, ...] | None) -> list[int] | None:
    return None if score is None else list(score)


def drawings_in(events: Iterable[Any]) -> dict[tuple[int, int], e.RoundDrawn]:
    """The drawings among events, by the number of the round and the number of the drawing."""
    found: dict[tuple[int, int], e.RoundDrawn] = {}
    numbers: Counter[int] = Counter()
    for event in events:
        if isinstance(event, e.RoundDrawn):
            numbers[event.round] += 1
            found[event.round, numbers[event.round]] = event
    return found


def rows_of(seen: SeenTournament, drawings: dict[tuple[int, int], e.RoundDrawn]) -> dict[str, list[dict[str, Any]]]:
    """The rows that would be exported of a tournament."""
    parts = {
        "tournaments": [seen],
        "entries": entries_of(seen),
        "rounds": rounds_of(seen, drawings),
        "pairings": pairings_of(seen, drawings),
        "tournament_standings": standing_of(seen),
    }
    return {
        what: [{name: value(row) for name, value in EXPORTS[what].columns.items()} for row in rows]
        for what, rows in parts.items()
    }
