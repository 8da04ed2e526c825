"""Random tournaments, played on the deciders alone, so that thousands take minutes. A seed decides every choice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from msgspec.structs import replace
from played_tournaments import bytes_of, commitment_of
from random_plans import RULEBOOK, least_entrants, random_plan
from random_tables import RandomTables
from tournament_rows import Drawings, Rows, drawings_in, rows_of, rows_of_matches, written

from league.domain.refusals import Refusal
from league.tournaments.domain import commands as c
from league.tournaments.domain import entering, round_tables, rounds
from league.tournaments.domain import events as e
from league.tournaments.domain.corrected_results import RoundThen
from league.tournaments.domain.drawn import match_id, seed_of
from league.tournaments.domain.evolve import evolve
from league.tournaments.domain.inputs import inputs, to_draw
from league.tournaments.domain.outcomes import PointRules, point_rules_of
from league.tournaments.domain.plan import WITH_KNOCKOUT, WITH_REQUESTED_BYES
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.schedule import is_knockout
from league.tournaments.domain.state import TournamentState
from league.tournaments.exports import pairings_of
from league.tournaments.pairing import pair
from league.tournaments.seen_tournaments import SeenTournament

START = datetime(2026, 3, 1, 18, tzinfo=UTC)
REGIONS = ("Granma", "Holguín", None)


class PlayedTournament(RandomTables):
    """A tournament in which chance decides the plan, who takes part, and every result."""

    def __init__(
        self,
        chance: Random,
        most: int = 60,
        rules: int = 2,
        format_: str | None = None,
        plan: dict[str, Any] | None = None,
    ) -> None:
        """`most`: competitors; `format_`: None lets chance decide; `plan`: given, with that many competitors."""
        self.rules = rules
        self.chance, self.now = chance, START
        self.luck = Random(7)
        """Decides which devices take part in drawings."""
        self.state = TournamentState("copa")
        self.results: dict[str, MatchSummary] = {}
        self.events: list[Any] = []
        self.corrected = False
        self.bounds: list[dict[str, tuple[int, int]]] = []
        self.then: dict[int, RoundThen] = {}
        """Each round as it was when the next one was published."""
        self.then_exported: dict[int, list[dict[str, Any]]] = {}
        """The pairings of each round that would have been exported when the next one was published."""
        self.snapshots: list[tuple[Rows, bool, dict[int, list[dict[str, Any]]]]] = []
        """What would have been exported on the way, whether something had been corrected, and those pairings."""
        self.ratings: dict[str, float] = {}
        self.plan = plan or random_plan(chance, rules, format_)
        self.absences = chance.choice((0.05, 0.05, 0.3)) if self.plan["format"] in WITH_KNOCKOUT else 0.0
        planned = entering.plan_tournament(c.PlanTournament("copa", self.plan), self.state, RULEBOOK)
        self._take([_under_rules_1(event) for event in planned] if rules == 1 else planned)
        self.early_end = 0.03 if self.plan["format"] in WITH_KNOCKOUT else 0.01
        """How likely the organiser ends it after a round, before the last one."""
        self.calm = self.plan["format"] in WITH_KNOCKOUT and chance.random() < 0.5
        """Whether nobody returns and no result is corrected, so that all inputs can be checked."""
        self.pairs = self.plan["mode"] == "2v2" and self.plan["format"] != "rotating_partners"
        self.names = [f"p{number:03}" for number in range(1, 4 * max(most, 24))]
        self.late = iter(self.names[::-1])
        least = least_entrants(self.plan)
        count = chance.randint(least, max(least, most)) if plan is None else most
        if self.plan.get("full_cycle"):
            count = chance.choice((8, 12, 16))
        for number in range(count):
            self.enter(self.names[2 * number : 2 * number + 2] if self.pairs else self.names[number : number + 1])

    @property
    def in_knockout(self) -> bool:
        """Whether the next round belongs to a knock-out."""
        return bool(self.state.published) and is_knockout(
            self.state.known_plan, self.state.groups, self.state.next_round
        )

    @property
    def points(self) -> PointRules:
        assert self.state.plan is not None
        return point_rules_of(self.state.plan, RULEBOOK.rulesets[self.state.plan.ruleset])

    @property
    def drawings(self) -> Drawings:
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
        if self.plan.get("first_round") == "rating":
            self.ratings["+".join(players)] = self.chance.choice((1500, 1500, 1600, 1710.5))

    def play(self) -> None:
        """Play until no further round can be drawn, then end the tournament."""
        while True:
            try:
                self.draw()
            except Refusal:
                break
            self.play_round()
            if self.chance.random() < self.early_end:
                break
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
        ranked = inputs(self.state, number, available, self.results, self.points, self.ratings)
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
        self._keep_results()
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
            if self.plan["format"] in WITH_KNOCKOUT and chance.random() < 0.03:
                self.snapshots.append((self.rows(), self.corrected, self.then_exported))
            if not table.absent:  # nobody had left when the round was drawn
                self._play(table)
        self._come_and_go()
        if self.plan["format"] in WITH_KNOCKOUT:
            self._upset()
        if len(self.state.rounds) > 1 and chance.random() < 0.1 and not self.calm:
            self._correct()

    def _come_and_go(self) -> None:
        chance = self.chance
        annuls = self.plan["format"] in {"round_robin", "groups"} and self.rules > 1
        for entry in list(self.state.entries.values()):
            if entry.withdrawn_at is None and chance.random() < (0.08 if annuls else 0.03):
                self._leave(entry.id)
                self.corrected_entries(returned=False)
            elif entry.withdrawn_at is not None and chance.random() < 0.2 and not self.calm:
                self._take(entering.return_(c.Return("copa", entry.id), self.state))
                self.corrected_entries(returned=True)
        if chance.random() < 0.2:
            try:
                self.enter([next(self.late) for _ in range(1 + self.pairs)])
                self.corrected_entries(returned=False)
            except Refusal:
                pass

    def corrected_entries(self, *, returned: bool) -> None:
        """Forget the bounds so far, because entries changed.

        Who leaves a round robin changes earlier results. The checker of groups knows who had left at each drawing.
        """
        self.bounds.clear()
        changing = {"round_robin", "groups"} if returned else {"round_robin"}
        self.corrected = self.corrected or (self.plan["format"] in changing and self.rules > 1)

    def _upset(self) -> None:
        """What is rare, and matters in knock-outs and groups."""
        happens, chance = self.chance.random(), self.chance
        ties = [table for table in self.state.rounds[-1].tables if table.best_of is not None]
        if happens < 0.1:  # one or two of those who are through leave
            through = [entry.id for entry in to_draw(self.state, self.results, self.points)] if self.in_knockout else []
            for id_ in chance.sample(through, min(len(through), chance.randint(1, 2))):
                self._leave(id_)
                self.corrected_entries(returned=False)
        elif happens < 0.15 and self.state.groups:  # most of a group leave
            for id_ in chance.choice(self.state.groups):
                if self.state.entries[id_].withdrawn_at is None and chance.random() < 0.8:
                    self._leave(id_)
                    self.corrected_entries(returned=False)
        elif happens < 0.3 and ties:
            self._reopen(chance.choice(ties))
        elif happens < 0.33 and not self.calm:
            self._correct_a_tie()

    def _keep_results(self) -> None:
        """Remember the results on which the next round is published, and what would be exported of them."""
        if len(self.state.rounds) > 1:
            before = self.state.rounds[-2]
            self.then = {**self.then, before.number: RoundThen(before, dict(self.results))}
            pairings = written("pairings", pairings_of(self.seen, self.drawings, {}))
            kept = [row for row in pairings if row["round"] == before.number]
            self.then_exported = {**self.then_exported, before.number: kept}

    def _keep_bounds(self) -> None:
        self.bounds.append({id_: (one.best, one.worst) for id_, one in self.seen.possible().items()})

    def rows(self) -> Rows:
        """The rows that would be exported."""
        return {**rows_of(self.seen, self.drawings, self.then), **rows_of_matches(self.results)}


def _under_rules_1(event: Any) -> Any:
    """The planning of a tournament before version 2 of the rules."""
    return replace(event, plan=replace(event.plan, rules=1))
