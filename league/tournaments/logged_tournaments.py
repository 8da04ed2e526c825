"""What exports of tournaments read from the log, because no row has it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from sqlalchemy import text

from league.audit.head_signing import head_at, last_head, root_of
from league.domain.deciders import Event
from league.projections.queries.log import EVENTS, LogEntry, logged, newest_by_stream, story_of
from league.projections.queries.snapshot import Snapshot
from league.tournaments.domain.corrected_results import RoundThen
from league.tournaments.domain.drawn import seed_of
from league.tournaments.domain.events import RoundDrawn, RoundPublished, SeedCommitted
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
    for number, (following, of) in _rounds(snapshot, seen).items():
        position = following.position
        now = seen.state.rounds[number - 1]
        matches = sorted({match for each in (of, now) for table in each.tables for match in table.counting})
        newest = newest_by_stream(snapshot, [f"match:{match}" for match in matches])
        changed = [match for match in matches if newest.get(f"match:{match}", 0) > position]
        stood = {match: result for match in changed if (result := _result(snapshot, match, position)) is not None}
        found[number] = RoundThen(of, {**seen.results, **stood}, following.source == IMPORT)
    return found


def _rounds(snapshot: Snapshot, seen: SeenTournament) -> Mapping[int, tuple[LogEntry, RoundState]]:
    """Each of these rounds as it was, with the entry of the publication of the next one."""
    state, found = TournamentState(seen.state.id), dict[int, tuple[LogEntry, RoundState]]()
    for entry, event in _events(snapshot, seen):
        if isinstance(event, RoundPublished) and event.round > 1:
            found[event.round - 1] = entry, state.rounds[event.round - 2]
        state = evolve(state, event, entry.played_at or entry.recorded_at)
    followed = {of.number - 1 for of in seen.state.published}
    return {number: one for number, one in found.items() if number in followed}


def _events(snapshot: Snapshot, seen: SeenTournament) -> list[tuple[LogEntry, Event]]:
    return logged(snapshot, _STREAM, stream=STREAM + seen.state.id)


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


# ---------------------------------------------------------------- drawings that were dropped before their tables


def dropped_drawings(snapshot: Snapshot, seen: SeenTournament) -> Mapping[tuple[int, int], RoundState]:
    """Drawings that were dropped before their tables were computed, by round and drawing, with root and seed."""
    unpaired = [of for of in seen.state.former if of.root is None]
    if not unpaired:
        return {}
    positions, numbers = dict[tuple[int, int], int](), Counter[int]()
    promised: dict[tuple[str, str], int] = {}
    for entry, event in _events(snapshot, seen):
        if isinstance(event, RoundDrawn):
            numbers[event.round] += 1
            positions[event.round, numbers[event.round]] = entry.position
        elif isinstance(event, SeedCommitted):
            promised.setdefault((event.competitor, event.commitment), entry.position)
    return {(of.number, of.drawings): _with_root(snapshot, seen, of, positions, promised) for of in unpaired}


def _with_root(
    snapshot: Snapshot,
    seen: SeenTournament,
    of: RoundState,
    positions: Mapping[tuple[int, int], int],
    promised: Mapping[tuple[str, str], int],
) -> RoundState:
    conn: Any = snapshot.conn.connection.driver_connection  # SQLAlchemy does not type it
    position, newest = positions[of.number, of.drawings], last_head(conn)
    key = b"" if newest is None else newest.key
    root = root_of(conn, key, 0, position).hex()
    return replace(
        of,
        position=position,
        root=root,
        signed=head_at(conn, key, position) is not None,
        seed=seed_of(root, seen.state.id, of.number, [one.bytes for one in of.contributions]),
        commitments=tuple(replace(one, position=promised[one.id, one.commitment]) for one in of.commitments),
    )
