"""What exports of tournaments read from the log, because no row has it."""

from collections.abc import Mapping

from sqlalchemy import text

from league.projections.queries.log import EVENTS, logged, newest_by_stream, story_of
from league.projections.queries.snapshot import Snapshot
from league.tournaments.domain.corrected_results import RoundThen
from league.tournaments.domain.events import RoundPublished
from league.tournaments.domain.evolve import evolve
from league.tournaments.domain.results import OPEN, MatchSummary, match_result
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.events import STREAM
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import rules_at

IMPORT = "import"
"""The source of events that came with a recorded season. They have only the last result of each match."""
_STREAM = text(f"{EVENTS} originator_id = :stream ORDER BY originator_version")


def rounds_then(snapshot: Snapshot, seen: SeenTournament) -> Mapping[int, RoundThen]:
    """Each published round that another one follows, by its number, as it was when that was published."""
    found: dict[int, RoundThen] = {}
    for number, (position, of) in _rounds(snapshot, seen).items():
        now = seen.state.rounds[number - 1]
        matches = sorted({match for each in (of, now) for table in each.tables for match in table.counting})
        newest = newest_by_stream(snapshot, [f"match:{match}" for match in matches])
        changed = [match for match in matches if newest.get(f"match:{match}", 0) > position]
        stood = {match: result for match in changed if (result := _result(snapshot, match, position)) is not None}
        found[number] = RoundThen(of, {**seen.results, **stood})
    return found


def _rounds(snapshot: Snapshot, seen: SeenTournament) -> Mapping[int, tuple[int, RoundState]]:
    """Each of these rounds as it was, with the position of the publication of the next one."""
    state, found = TournamentState(seen.state.id), dict[int, tuple[int, RoundState]]()
    for entry, event in logged(snapshot, _STREAM, stream=STREAM + seen.state.id):
        if isinstance(event, RoundPublished) and event.round > 1:
            found[event.round - 1] = entry.position, state.rounds[event.round - 2]
        state = evolve(state, event, entry.played_at or entry.recorded_at)
    followed = {of.number - 1 for of in seen.state.published}
    return {number: one for number, one in found.items() if number in followed}


def _result(snapshot: Snapshot, match: str, position: int) -> MatchSummary | None:
    """The result of a match up to a position; None if nothing happened to it since."""
    events = story_of(snapshot, match).events
    later = next((one for one in events if one.entry.position > position and one.entry.source != IMPORT), None)
    if later is None:
        return None
    played = later.before.played
    if played is None:
        return OPEN
    return match_result(played, rules_at(snapshot, played.began_at).rulesets[played.ruleset])
