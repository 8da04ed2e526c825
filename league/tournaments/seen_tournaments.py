"""Tournaments as people see them: with the results of a run, and all that follows from both, computed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct

from league.domain.rules import Ruleset
from league.projections.runs import ReadState
from league.tournaments.domain.drawn import PairedTable
from league.tournaments.domain.final_standing import bounds_of, places_after_rounds, places_of
from league.tournaments.domain.knockout import corrected_ties
from league.tournaments.domain.leaving import annulled
from league.tournaments.domain.outcomes import Outcomes, PointRules, outcomes, pending_matches, point_rules_of
from league.tournaments.domain.plan import TieBreak, tie_breaks_of
from league.tournaments.domain.possible import RankBounds
from league.tournaments.domain.results import Results, as_if_ended_now
from league.tournaments.domain.shown_bracket import ShownTie, shown_bracket
from league.tournaments.domain.standing import StandingPlace
from league.tournaments.domain.state import TableOfRound, TournamentState, state_after
from league.tournaments.match_results import ByRound


class StoredTournament(Struct, frozen=True):
    """A tournament without the results of its matches."""

    state: TournamentState
    planned_at: datetime
    seen: SeenTournament | None = None
    """The tournament with its results, if this process has read them in the same state."""


MOST_ROUNDS = 4
"""Limit on the earlier rounds whose standings a tournament caches."""


class SeenTournament(Struct, frozen=True, dict=True):
    """A tournament with the results of one run. What it computes is cached."""

    state: TournamentState
    planned_at: datetime
    ruleset: Ruleset
    results: Results
    ratings: Mapping[str, float] = {}
    """Ratings by competitor, while a first round by rating is drawn and not published; otherwise empty."""

    @cached_property
    def points(self) -> PointRules:
        """How its plan counts results."""
        return point_rules_of(self.state.known_plan, self.ruleset)

    @cached_property
    def annulled(self) -> frozenset[str]:
        """Who left before having played half, so that none of their meetings counts."""
        return annulled(self.state, self.results)

    @cached_property
    def _outcomes(self) -> Outcomes:
        return outcomes(self.state, self.results, self.points, None, self.annulled)

    @cached_property
    def _everything(self) -> Outcomes:
        """The outcomes if no meeting is annulled."""
        if not self.annulled:
            return self._outcomes
        return outcomes(self.state, self.results, self.points, None, frozenset())

    @cached_property
    def _standing(self) -> list[StandingPlace]:
        return self._places(tie_breaks_of(self.state.known_plan))

    @cached_property
    def _possible(self) -> dict[str, RankBounds]:
        return bounds_of(self.state, self._standing, self.results, self.points)

    @cached_property
    def corrected_ties(self) -> tuple[TableOfRound, ...]:
        """Ties whose winner is not who plays on: their results changed after the next round was published."""
        return corrected_ties(self.state, self.results)

    @cached_property
    def pending(self) -> dict[int, list[str]]:
        """The matches whose results await confirmation, by round. Rounds without any are left out."""
        found = {of.number: pending_matches(of, self.results) for of in self.state.published}
        return {number: matches for number, matches in found.items() if matches}

    @cached_property
    def tables_today(self) -> dict[tuple[int, int], list[PairedTable]]:
        """The tables that corrections would have changed, by round and drawing, where somebody has asked."""
        return {}

    @cached_property
    def outdated(self) -> dict[tuple[int, int], bool]:
        """Whether rounds would have other inputs now, by round and drawing, where somebody has asked."""
        return {}

    @cached_property
    def lists(self) -> dict[str, Any]:
        """Lists that the API has made of it, by name, where somebody has asked."""
        return {}

    def outcomes(self, before: int | None = None) -> Outcomes:
        """The outcomes of its published rounds by competitor. `before`: only rounds before this one."""
        if before is None:
            return self._outcomes
        return outcomes(self.state, self.results, self.points, before, self.annulled)

    def standing(self, tie_breaks: Sequence[TieBreak] | None = None) -> list[StandingPlace]:
        """The places by rank, under the given tie-breaks or else those of the plan."""
        if self.is_order_of_plan(tie_breaks):
            return self._standing
        return self._places(tie_breaks or ())

    def _places(self, tie_breaks: Sequence[TieBreak]) -> list[StandingPlace]:
        return places_of(self.state, self.results, self._outcomes, tie_breaks, self.annulled)

    def after(self, number: int) -> SeenTournament:
        """The tournament as it was after a round, on the results of the rounds up to it as they are now."""
        return self._after(number)

    @cached_property
    def _after(self) -> Callable[[int], SeenTournament]:
        def after(number: int) -> SeenTournament:
            return msgspec.structs.replace(self, state=state_after(self.state, number))

        return lru_cache(MOST_ROUNDS)(after)

    def places_after_rounds(self, competitor: str) -> Iterator[StandingPlace]:
        """The rank and the matches won of a competitor after each published round; no rank before they entered."""
        return places_after_rounds(self.state, self.results, self._everything, competitor)

    @cached_property
    def provisional_standing(self) -> list[StandingPlace]:
        """The places if each open match ended now; none if no open match has a leading side."""
        results = as_if_ended_now(self.results)
        return [] if results is None else msgspec.structs.replace(self, results=results).standing()

    @property
    def has_provisional_places(self) -> bool:
        """Whether somebody has asked for `provisional_places`."""
        return "provisional_places" in vars(self)

    @cached_property
    def provisional_places(self) -> dict[str, StandingPlace]:
        """The places of the provisional standing, by competitor."""
        return {place.id: place for place in self.provisional_standing}

    def possible(self, tie_breaks: Sequence[TieBreak] | None = None) -> dict[str, RankBounds]:
        """The best and worst final rank of each competitor. Empty for tie-breaks that are not those of the plan."""
        return self._possible if self.is_order_of_plan(tie_breaks) else {}

    def bracket(self) -> list[ShownTie]:
        """All ties of the bracket, also those to come. Empty before the knock-out."""
        return shown_bracket(self.state, self.results)

    def is_order_of_plan(self, tie_breaks: Sequence[TieBreak] | None) -> bool:
        """Whether these tie-breaks are those of the plan, in its order."""
        return tie_breaks is None or tuple(tie_breaks) == tie_breaks_of(self.state.known_plan)


class SeenTournaments:
    """The tournaments that this process has read last, each in one state of the read side.

    In another state most tournaments are as they were. These are the same objects, with what they have computed.
    """

    MOST = 32
    """Limit on their number. One with 1,000 competitors and ten rounds takes 10 MB."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: OrderedDict[tuple[str, str], tuple[ReadState, SeenTournament, ByRound]] = OrderedDict()

    def find(self, database: str, id_: str, state: ReadState | None) -> SeenTournament | None:
        """A tournament as it is in this state of a database, if it was read in it; None otherwise."""
        found = self._seen.get((database, id_))
        return found[1] if found is not None and found[0] == state else None

    def results(self, database: str, id_: str) -> ByRound:
        """The results of a tournament as they were read last, in whatever state. Empty if it is not remembered."""
        found = self._seen.get((database, id_))
        return {} if found is None else found[2]

    def add(self, database: str, state: ReadState | None, seen: SeenTournament, results: ByRound) -> SeenTournament:
        """Remember a tournament. Returns the one that was known before if it is equal. `state`: None for other runs."""
        if state is None:
            return seen
        with self._lock:
            key = (database, seen.state.id)
            known = self._seen.pop(key, None)
            if known is not None and known[1].state is seen.state and known[1] == seen:
                seen = known[1]
            self._seen[key] = (state, seen, results)
            if len(self._seen) > self.MOST:
                self._seen.popitem(last=False)
        return seen
