"""The events of tournaments: the names under which the log stores them, and the state that is folded from them."""

from league.eventlog.records import CachedStream, EventKind, EventPart
from league.tournaments.domain import events as e
from league.tournaments.domain.evolve import evolve
from league.tournaments.domain.state import TournamentState

KIND = "tournament"
STREAM = f"{KIND}:"
"""Prefix of the names of tournaments' streams."""
CACHED = CachedStream(KIND, TournamentState, evolve)


def _kind(name: str, event: type[e.TournamentEvent]) -> EventKind:
    return EventKind(f"tournament-{name}/1", event, is_folded=False, boards="none")


EVENTS = EventPart(
    kinds=(
        _kind("planned", e.TournamentPlanned),
        _kind("plan-changed", e.PlanChanged),
        _kind("competitor-entered", e.CompetitorEntered),
        _kind("competitor-checked-in", e.CompetitorCheckedIn),
        _kind("competitor-withdrew", e.CompetitorWithdrew),
        _kind("competitor-returned", e.CompetitorReturned),
        _kind("bye-requested", e.ByeRequested),
        _kind("bye-taken-back", e.ByeTakenBack),
        _kind("seed-committed", e.SeedCommitted),
        _kind("seed-contributed", e.SeedContributed),
        _kind("round-drawn", e.RoundDrawn),
        _kind("round-paired", e.RoundPaired),
        _kind("round-published", e.RoundPublished),
        _kind("round-withdrawn", e.RoundWithdrawn),
        _kind("fixture-opened", e.FixtureOpened),
        _kind("game-opened", e.GameOpened),
        _kind("pairings-changed", e.PairingsChanged),
        _kind("absence-claimed", e.AbsenceClaimed),
        _kind("absence-recorded", e.AbsenceRecorded),
        _kind("match-replaced", e.MatchReplaced),
        _kind("round-closed", e.RoundClosed),
        _kind("ended", e.TournamentEnded),
    ),
    cached=CACHED,
)
