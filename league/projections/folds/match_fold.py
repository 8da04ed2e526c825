"""Fold 1, a match: its current facts, scored under the edition in force when it began."""

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from league.domain.match import MatchState
from league.domain.player import Aliases, canonical
from league.domain.rating import RatingFormula, formula_of
from league.domain.result import Achievements, PlayerTally, ScoredMatch, Status, result_of
from league.domain.rules import Competition, Mode, Rulebook
from league.domain.sentences import say
from league.domain.timeline import Timeline, edition_at
from league.domain.wrong_states import RulesetIsInUse


class HashedEdition(Struct, frozen=True, dict=True):
    """An edition as rows refer to it."""

    hash: str
    rulebook: Rulebook

    @cached_property
    def formula(self) -> RatingFormula:
        """Its rating section, prepared for computing."""
        return formula_of(self.rulebook.rating)


class RulesTimeline:
    """Which edition applies when: a timeline of edition numbers, and the editions by number."""

    def __init__(self, timeline: Timeline, editions: Mapping[int, HashedEdition]) -> None:
        self.timeline, self.editions = timeline, editions
        self.by_hash = {edition.hash: edition for edition in editions.values()}

    def at(self, began_at: datetime) -> HashedEdition:
        """The edition for a match that began at this time."""
        return self.editions[edition_at(self.timeline, began_at)]

    def hashes(self) -> tuple[tuple[datetime | None, str], ...]:
        """The timeline by content hash, which is the same in every league."""
        return tuple((span.start, self.editions[span.edition].hash) for span in self.timeline)


class DecidedMatch(Struct, frozen=True, gc=False, array_like=True):
    """A match as the league fold reads it. Only decided matches have one."""

    match: str
    ruleset: str
    mode: Mode
    competition: Competition
    began_at: datetime
    decided_at: datetime
    sides: tuple[tuple[str, ...], ...]
    winner: int
    difference: int | None
    """The winner's final score minus the best other score; None without points."""
    status: Status
    achievements: Achievements
    edition: str
    position: int
    """The position of the event that decided it."""
    tallies: tuple[PlayerTally, ...] = ()
    """What the player in each seat did; empty if the match has no achievements."""

    def tallies_of(self, side: int) -> tuple[PlayerTally, ...]:
        """What each player of a side did; empty if the match has no achievements."""
        # In 2v2 the seats alternate between the sides; elsewhere each side is a seat.
        seats = range(side, sum(len(players) for players in self.sides), len(self.sides))
        return tuple(self.tallies[seat] if self.tallies else PlayerTally() for seat in seats)


def all_read_as(states: Mapping[str, MatchState], aliases: Aliases) -> Mapping[str, MatchState]:
    """The facts of matches, with merged players under the ids under which they are read."""
    return {match: read_as(state, aliases) for match, state in states.items()} if aliases else states


def read_as(state: MatchState, aliases: Aliases) -> MatchState:
    """The facts of a match, with merged players under the ids under which they are read."""
    played = state.played
    if played is None or aliases.keys().isdisjoint(played.seats):
        return state
    return replace(state, played=replace(played, seats=canonical(played.seats, aliases)))


def decide_match(match_id: str, state: MatchState, edition: HashedEdition) -> tuple[ScoredMatch, DecidedMatch | None]:
    """Score a match; the second value is None while the match is open or pending, and for a voided match."""
    played = state.played
    assert played is not None
    ruleset = edition.rulebook.ruleset(played.ruleset)
    if ruleset is None:
        raise RulesetIsInUse(
            say("the ruleset {ruleset}", ruleset=played.ruleset),
            say("in use"),
            say("match {match} was opened under it, and these rules lack it", match=match_id),
        )
    result = result_of(played, ruleset)
    if result.winner is None or played.decided_at is None:
        return result, None
    assert state.decided_position is not None
    difference = None
    if result.score is not None and ruleset.scoring == "points" and "differential" not in result.not_judged:
        others = (points for side, points in enumerate(result.score) if side != result.winner)
        difference = max(0, result.score[result.winner] - max(others))
    decided = DecidedMatch(
        match=match_id,
        ruleset=played.ruleset,
        mode=played.mode,
        competition=played.competition,
        began_at=played.began_at,
        decided_at=played.decided_at,
        sides=played.sides,
        winner=result.winner,
        difference=difference,
        status=result.status,
        achievements=result.achievements,
        tallies=result.tallies,
        edition=edition.hash,
        position=state.decided_position,
    )
    return result, decided
