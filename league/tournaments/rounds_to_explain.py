"""A round with all that its explanation follows from, and which code explains it."""

import hashlib
from functools import cached_property

import msgspec
from msgspec import Struct

from league.tournaments.domain.drawn import RoundPairings, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import opponent_window
from league.tournaments.domain.schedule import is_knockout
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.pairing import pair
from league.tournaments.why_paired import ExplainedChoice, RoundExplainer, TablesExplainer
from league.tournaments.why_placed import BracketExplainer, GroupExplainer, TieExplainer

SITTING_OUT = 0
"""The number under which the choices of all who sit out are stored. Tables count from 1."""

Choices = tuple[ExplainedChoice, ...]

_PACK = msgspec.msgpack.Encoder(order="deterministic")


class RoundToExplain(Struct, frozen=True, dict=True):
    """A round with all that its explanation follows from."""

    state: TournamentState
    of: RoundState
    drawing: RoundDrawn

    @property
    def _schedule(self) -> Schedule:
        """What earlier rounds decided for it."""
        return self.state.schedule(self.of.number)

    @property
    def _before(self) -> RoundState | None:
        """The round of the knock-out before it; None outside of knock-outs, and for its first round."""
        return self.state.round(self.of.number - 1) if self._schedule.bracket else None

    @property
    def input_hash(self) -> str:
        """The SHA-256 of what the explanation follows from, as hexadecimal: drawing, lot, plan and earlier rounds."""
        plan, before = self.state.known_plan, self._before
        settings = (
            plan.format,
            plan.full_cycle,
            opponent_window(plan),
            plan.partner_window,
            plan.region_rounds,
            plan.first_round,
            plan.partners,
            plan.groups,
            plan.advance,
            plan.legs,
        )
        ties = before and ([(one.number, one.sides, one.third_place) for one in before.tables], before.byes)
        given = (settings, self.drawing, self.of.seed, self.state.rounds[0].order, self._schedule, ties)
        return hashlib.sha256(_PACK.encode(given)).hexdigest()

    def explainer(self, *, searches: bool) -> TablesExplainer:
        """What explains its tables as they were drawn."""
        plan, drawing, seed, schedule = self.state.known_plan, self.drawing, self.of.seed, self._schedule
        if self._before is not None:
            return TieExplainer(plan, drawing, schedule, self._before)
        if is_knockout(plan, schedule.groups, self.of.number):
            return BracketExplainer(plan, drawing, seed, schedule, searches=searches)
        if plan.format == "groups":
            return GroupExplainer(plan, drawing, seed, schedule, searches=searches)
        tables = tuple(table.sides for table in self.of.tables)
        if self._is_by_hand:
            tables = tuple(table.sides for table in self._drawn_pairings.tables)
        return RoundExplainer(plan, drawing, seed, self.state.rounds[0].order, tables, searches=searches)

    def explained(self, *, searches: bool) -> dict[int, Choices]:
        """The choices that made each table, by number, and those of all who sit out. What came by hand is left out."""
        explainer = self.explainer(searches=searches)
        return {number: self.choices(number, explainer) for number in self.named}

    def choices(self, number: int, explainer: TablesExplainer) -> Choices:
        """The choices that made a table, or those by which competitors sit out."""
        if number == SITTING_OUT:
            return tuple(choice for id_ in sorted(self.named[number]) for choice in explainer.sits_out(id_))
        table = self.of.table(number)
        assert table is not None, "it is named"
        return tuple(explainer.of(table.sides))

    @cached_property
    def named(self) -> dict[int, set[str]]:
        """The competitors of each table that nobody paired by hand, by its number, and those who sit out as drawn."""
        found = {table.number: {*table.competitors} for table in self.of.tables if not table.by_hand}
        byes = {*self.of.byes} & {*self._drawn_pairings.byes} if self._is_by_hand else {*self.of.byes}
        return {**found, SITTING_OUT: byes} if byes else found

    @property
    def _is_by_hand(self) -> bool:
        return any(table.by_hand for table in self.of.tables)

    @cached_property
    def _drawn_pairings(self) -> RoundPairings:
        return pair(self.state.known_plan, self.drawing, self.of.seed, self._schedule)
