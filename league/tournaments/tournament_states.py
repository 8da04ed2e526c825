"""The state that commands on tournaments read, and the rows that they write.

Each process caches the states of tournaments. From the core come results of matches, ratings, and the pairs that have
met as often as the series of the month allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast

import msgspec
import psycopg
from psycopg.rows import tuple_row

from league.application.stream_states import StateCache, StreamStates
from league.domain.deciders import Event
from league.domain.match_refusals import SeriesLocked
from league.domain.rules import SeriesRules
from league.domain.seating import CompetitorId, competitor_of, players_of, sides_of
from league.domain.series import Encounter, bounds, enter_match, is_entered, month_of, months_around
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections.row_part import RowPart, RowsAgain, SampledResults
from league.projections.runs import raise_generation
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import ratings_of_competitors
from league.tournaments.domain.outcomes import PointRules, point_rules_of
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.results import MatchSummary, match_result
from league.tournaments.domain.state import CompetitorEntry, TournamentState
from league.tournaments.events import CACHED, STREAM
from league.tournaments.explained_rounds import (
    BOOKKEEPING,
    TABLES,
    follow_rounds,
    make_explanations,
    sample_explanations,
)


def tournament_state(states: StreamStates, tournament: str) -> TournamentState:
    """A tournament with all that this request has decided so far. Without a plan if it does not exist."""
    return cast(TournamentState, states.cached_state(STREAM + tournament))


def stored_tournament(cache: StateCache, tournament: str) -> TournamentState:
    """A tournament as it is stored now. Without a plan if it does not exist."""
    return cast(TournamentState, cache.load(STREAM + tournament))


def results_of(matches: Sequence[str], states: StreamStates) -> dict[str, MatchSummary]:
    """The results of opened matches by id, under the editions in force when they began."""
    states.prefetch(f"match:{match}" for match in matches)
    found = {}
    for match in matches:
        played = states.match(match).played
        if played is not None:
            ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
            found[match] = match_result(played, ruleset)
    return found


def point_rules_in_force(state: TournamentState, states: StreamStates) -> PointRules:
    """How the plan counts results, in the edition in force when the first round was published, or else now."""
    began_at = state.published[0].published_at if state.published else states.now
    assert began_at is not None, "a published round has a time"
    plan = state.known_plan
    return point_rules_of(plan, states.rulebook().at(began_at).rulesets[plan.ruleset])


# ---------------------------------------------------------------- ratings that rank the first round


RATINGS = """
    SELECT id, rating FROM ratings JOIN official_run USING (run)
    WHERE subject = 'player' AND mode = %s AND id = ANY(%s)
"""


def ratings_of(state: TournamentState, states: StreamStates) -> dict[str, float]:
    """The rating of each competitor in the tournament's mode, if ratings rank the first round; otherwise empty.

    A pair has the mean of both players. A player without a rating has that of a beginner.
    """
    if state.published or state.known_plan.first_round != "rating":
        return {}
    start = float(states.rulebook().at(states.now).rating.start)
    with connect(states.store.url) as conn:
        rows = conn.execute(RATINGS, [state.known_plan.mode, sorted(state.players())]).fetchall()
    return ratings_of_competitors(state, dict(rows), start)


# ---------------------------------------------------------------- pairs that the series has locked


Two = tuple[str, str]


def locked_pairs(plan: Plan, available: Sequence[CompetitorEntry], states: StreamStates) -> tuple[Two, ...]:
    """The pairs of competitors that the series has locked, as ids under which they entered.

    Empty if matches under this plan do not count in the series, or if locked pairs may play casually.
    """
    rules = states.rulebook().at(states.now).series
    if plan.locked_play_casually or not is_entered(plan.mode, plan.competition, rules):
        return ()
    month = month_of(states.now, states.zone())
    _, free_at = bounds(month, states.zone())
    entered_as = {player: given for entry in available for given in entry.players for player in states.read_as([given])}
    asked: dict[Encounter, Two] = {}
    for a, b in _met_often(plan, month, rules, states):
        sides = tuple(states.read_as(players_of(CompetitorId(competitor))) for competitor in (a, b))
        one, other = (_ours(players, entered_as) for players in sides)
        if one is not None and other is not None:
            encounter = Encounter.of(plan.mode, sides, states.now, states.zone())
            asked[encounter] = (min(one, other), max(one, other))
    states.prefetch_entered(asked)
    return tuple(sorted({two for encounter, two in asked.items() if _is_locked(encounter, rules, free_at, states)}))


def are_locked(plan: Plan, players: tuple[str, ...], states: StreamStates, voided: Collection[str] = ()) -> bool:
    """Whether players in these seats have met as often as the series allows. `voided`: matches not to count."""
    rules = states.rulebook().at(states.now).series
    if not is_entered(plan.mode, plan.competition, rules):
        return False
    encounter = Encounter.of(plan.mode, sides_of(plan.mode, states.read_as(players)), states.now, states.zone())
    _, free_at = bounds(encounter.month, states.zone())
    return _is_locked(encounter, rules, free_at, states, voided)


def prefetch_for_matches(plan: Plan, seats: Sequence[tuple[str, ...]], states: StreamStates) -> None:
    """Load what opening matches of players in these seats reads: a few queries, where each match would take several."""
    states.prefetch(f"player:{player}" for players in seats for player in players)
    rules = states.rulebook().at(states.now).series
    if is_entered(plan.mode, plan.competition, rules):
        sides = (sides_of(plan.mode, states.read_as(players)) for players in seats)
        states.prefetch_entered([Encounter.of(plan.mode, each, states.now, states.zone()) for each in sides])


def _met_often(plan: Plan, month: str, rules: SeriesRules, states: StreamStates) -> list[Two]:
    """The pairs of sides that may have met in the series of the month as often as its limit allows.

    Each match has an entry in the stream of its pair. Only where it may be in another stream are all streams needed.
    """
    least = 1 if states.may_be_entered_elsewhere() else max(1, rules.limit)
    months = months_around(month) if states.league().zone_changed else (month,)
    prefixes = [f"series:{plan.mode}:{one}:" for one in months]
    streams = (stream for prefix in prefixes for stream in states.store.streams_of_length(prefix, least))
    return [(a, b) for *_, a, b in (stream.split(":") for stream in streams)]


def _ours(players: Sequence[str], entered_as: Mapping[str, str]) -> str | None:
    """The id under which these players entered, alone or as partners; None if one of them is not available."""
    ours = [entered_as[player] for player in players if player in entered_as]
    return competitor_of(ours) if len(ours) == len(players) else None


def _is_locked(
    encounter: Encounter, rules: SeriesRules, free_at: datetime, states: StreamStates, voided: Collection[str] = ()
) -> bool:
    entered = [one for one in states.entered(encounter) if one.match not in voided]
    try:
        enter_match("", encounter, entered, rules, free_at)
    except SeriesLocked:
        return True
    return False


# ---------------------------------------------------------------- rows that the pages of tournaments read


TIMES = "SELECT recorded_at FROM stored_events WHERE position > %s AND position <= %s ORDER BY position"
WRITE = """
    INSERT INTO tournaments (tournament_id, planned_at, name, format, status, state, asked_at)
    VALUES (%(id)s, %(at)s, %(name)s, %(format)s, %(status)s, %(state)s, %(asked_at)s)
    ON CONFLICT (tournament_id) DO UPDATE SET
        name = excluded.name, format = excluded.format, status = excluded.status, state = excluded.state,
        asked_at = excluded.asked_at
"""
PLAYERS = """
    INSERT INTO tournament_players (player_id, tournament_id) SELECT player, %s FROM unnest(%s::text[]) AS player
    ON CONFLICT DO NOTHING
"""
MATCHES = """
    INSERT INTO tournament_matches (match_id, tournament_id, round, number) VALUES (%s, %s, %s, %s)
    ON CONFLICT DO NOTHING
"""
DRAWING = """
    INSERT INTO tournament_drawings (tournament_id, round, number, drawing) VALUES (%s, %s, %s, %s)
"""
NAMES = ("tournament-planned/1",)
PACK = msgspec.msgpack.Encoder(order="deterministic")
"""Sorts sets and keys, because verification compares the bytes with those of another process."""


class _ChangedTournament(NamedTuple):
    """A tournament before and after some events, and when the first one happened."""

    before: TournamentState
    after: TournamentState
    at: datetime
    is_live: bool = False
    """Whether it happened now. What is imported happened earlier."""


def rows_of(appends: Sequence[Append], states: StreamStates) -> Within | None:
    """A writer of the rows of changed tournaments, for the transaction of these appends; None if none changes."""
    if not any(append.events and append.stream.startswith(STREAM) for append in appends):
        return None

    def write(conn: psycopg.Connection[Any], before: int, last: int) -> None:
        with conn.cursor(row_factory=tuple_row) as cursor:
            times = [time for (time,) in cursor.execute(TIMES, [before, last])]
        changed: dict[str, _ChangedTournament] = {}
        for append in appends:
            recorded, times = times[: len(append.events)], times[len(append.events) :]
            if append.events and append.stream.startswith(STREAM):
                stored = states.stored_states[append.stream]
                happened = recorded if append.played_at is None else [append.played_at] * len(recorded)
                is_live = append.played_at is None
                known = changed.get(append.stream) or _ChangedTournament(stored, stored, happened[0], is_live)
                changed[append.stream] = known._replace(after=CACHED.after(known.after, append.events, happened))
                _write_drawings(conn, known.after, append.events)
        for one in changed.values():
            _write(conn, one)
            follow_rounds(conn, one.before, one.after, asks=one.is_live)
        raise_generation(conn)  # last, since others wait for its lock

    return write


def _make(conn: psycopg.Connection[Any], log: EventStore) -> None:
    for planned in log.all_named(NAMES):
        events = log.load(planned.stream)
        after = nothing = TournamentState(planned.stream.removeprefix(STREAM))
        for stored in events:
            before, happened = after, stored.played_at or stored.recorded_at
            after = CACHED.evolve(before, stored.event, happened)
            _write_links(conn, before, after)
        _write(conn, _ChangedTournament(nothing, after, events[0].played_at or events[0].recorded_at))
        _write_drawings(conn, nothing, [one.event for one in events])
    make_explanations(conn)


def _sample(conn: psycopg.Connection[Any], _log: EventStore, last_hash: bytes) -> SampledResults:
    return sample_explanations(conn, last_hash)


def _write_drawings(conn: psycopg.Connection[Any], before: TournamentState, events: Sequence[Event]) -> None:
    """Write the drawings among events that follow the state `before`."""
    numbers = Counter({of.number: of.drawings for of in before.rounds})
    for event in events:
        if isinstance(event, RoundDrawn):
            numbers[event.round] += 1
            conn.execute(DRAWING, [before.id, event.round, numbers[event.round], PACK.encode(event)])


def _write(conn: psycopg.Connection[Any], changed: _ChangedTournament) -> None:
    before, after = changed.before, changed.after
    assert after.plan is not None, "its first event is its plan"
    row = {
        "id": after.id,
        "at": changed.at,
        "name": after.plan.name,
        "format": after.plan.format,
        "status": after.status,
        "state": PACK.encode(after),
        "asked_at": after.rounds[-1].asked_at if after.rounds else None,
    }
    conn.execute(WRITE, row)
    _write_links(conn, before, after)


def _write_links(conn: psycopg.Connection[Any], before: TournamentState, after: TournamentState) -> None:
    """Write the links to players and matches that are new."""
    if after.entries is not before.entries and (new := sorted(after.players() - before.players())):
        conn.execute(PLAYERS, [after.id, new])
    if after.rounds is before.rounds:
        return
    known = {match for _, table in before.tables() for match in table.matches}
    links = [(match, after.id, of.number, table.number) for of, table in after.tables() for match in table.matches]
    with conn.cursor() as cursor:
        cursor.executemany(MATCHES, [link for link in links if link[0] not in known])


ROWED = ("tournaments", "tournament_drawings", "tournament_players", "tournament_matches", *TABLES)
ROWS = RowPart(again=RowsAgain(ROWED, _make, _sample), bookkeeping=BOOKKEEPING)
