"""Queries for tournaments on the read side, with the results of a run at their tables.

The rows of tournaments are written together with their events, which raises the generation of the read side: so they
follow from its state, as all rows do that everybody reads. A standing is computed once for as long as it is the same.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import (
    Column,
    DateTime,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    and_,
    bindparam,
    func,
    select,
    text,
)

from league.audit.head_signing import head_at, prove_events
from league.domain.rules import Rulebook, Ruleset
from league.eventlog import encoded_rows
from league.projections import tables as t
from league.projections.queries.catalogue import timeline
from league.projections.queries.pages import Order, Query, among_ids
from league.projections.queries.snapshot import Snapshot, read_rulebook
from league.projections.runs import ReadState
from league.tournaments.domain.drawn import PairedTable, SeedCommitment
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.final_standing import bounds_of, places_of
from league.tournaments.domain.inputs import ratings_of_competitors
from league.tournaments.domain.knockout import corrected_ties
from league.tournaments.domain.outcomes import (
    Outcomes,
    PointRules,
    annulled,
    outcomes,
    pending_matches,
    point_rules_of,
)
from league.tournaments.domain.plan import TieBreak, tie_breaks_of
from league.tournaments.domain.possible import RankBounds
from league.tournaments.domain.results import MatchSummary, Results, as_if_ended_now
from league.tournaments.domain.shown_bracket import ShownTie, shown_bracket
from league.tournaments.domain.standing import StandingPlace
from league.tournaments.domain.state import TableOfRound, TournamentState

Id = Text(collation="C")
metadata = MetaData()

tournaments = Table(
    "tournaments",
    metadata,
    Column("tournament_id", Id, primary_key=True),
    Column("planned_at", DateTime(timezone=True), nullable=False),
    Column("name", Text, nullable=False),
    Column("format", Id, nullable=False),
    Column("status", Id, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("asked_at", DateTime(timezone=True)),
)
tournament_players = Table(
    "tournament_players",
    metadata,
    Column("player_id", Id, primary_key=True),
    Column("tournament_id", Id, primary_key=True),
)
tournament_drawings = Table(
    "tournament_drawings",
    metadata,
    Column("tournament_id", Id, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("drawing", LargeBinary, nullable=False),
)
tournament_matches = Table(
    "tournament_matches",
    metadata,
    Column("match_id", Id, primary_key=True),
    Column("tournament_id", Id, nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
)


_state = lru_cache(maxsize=16)(msgspec.msgpack.Decoder(TournamentState).decode)
"""The state in these bytes. Cached: that of 1,000 competitors takes 5 ms."""

_DRAWING = msgspec.msgpack.Decoder(RoundDrawn)

_t, _p, _m, _d = tournaments.c, tournament_players.c, tournament_matches.c, tournament_drawings.c
NEWEST_FIRST = Order((_t.planned_at, _t.tournament_id), descending=True)

_BY_ID = select(_t.tournament_id, _t.planned_at, _t.state).where(among_ids(_t.tournament_id))
_ALL = select(_t.tournament_id).order_by(_t.tournament_id)
_DRAWINGS = select(_d.tournament_id, _d.round, _d.number, _d.drawing).where(among_ids(_d.tournament_id))
_AT_TABLES = select(tournament_matches).where(among_ids(_m.match_id))

_CHANGED = text("""
    WITH streams AS (
        SELECT DISTINCT originator_id AS stream FROM stored_events WHERE position > :since AND position <= :until
    )
    SELECT substr(stream, length('tournament:') + 1) FROM streams WHERE starts_with(stream, 'tournament:')
    UNION
    SELECT tournament_id FROM tournament_matches JOIN streams ON stream = 'match:' || match_id
""")

_r, _h = t.matches.c, t.hands.c
_RUN = bindparam("run", type_=_r.run.type)
_BEST = [func.max(_h.points[side]).filter(_h.counted) for side in (1, 2)]
_RESULTS = (
    select(
        _r.match_id,
        _r.status,
        _r.winner,
        _r.score,
        func.count(_h.hand).label("hands"),
        *(best.label(f"best_{side}") for side, best in enumerate(_BEST)),
    )
    .outerjoin(t.hands, and_(_h.run == _r.run, _h.match_id == _r.match_id))
    .where(_r.run == _RUN, among_ids(_r.match_id))
    .group_by(_r.match_id, _r.status, _r.winner, _r.score)
)


_rt = t.ratings.c
_RATINGS = select(_rt.id, _rt.rating).where(
    _rt.run == bindparam("run", type_=_rt.run.type),
    _rt.subject == "player",
    _rt.mode == bindparam("mode"),
    among_ids(_rt.id),
)


class TournamentFilter(Struct, frozen=True):
    """Conditions on tournaments. None means any."""

    status: tuple[str, ...] | None = None
    player: str | None = None
    """The id of a player who has entered."""


class ListedTournament(NamedTuple):
    """A row of the list of tournaments, with the columns that order it."""

    tournament_id: str
    planned_at: datetime


class StoredTournament(Struct, frozen=True):
    """A tournament without the results of its matches."""

    state: TournamentState
    planned_at: datetime


class SeenTournament(Struct, frozen=True, dict=True):
    """A tournament with the results of one run. What it computes is cached."""

    state: TournamentState
    planned_at: datetime
    ruleset: Ruleset
    results: Results
    ratings: Mapping[str, float] = {}
    """Ratings by competitor, while a first round by rating is drawn and not published; otherwise empty."""

    @property
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

    def outcomes(self, before: int | None = None) -> Outcomes:
        """The outcomes of its published rounds by competitor. `before`: only rounds before this one."""
        if before is None:
            return self._outcomes
        return outcomes(self.state, self.results, self.points, before, self.annulled)

    def standing(self, tie_breaks: Sequence[TieBreak] | None = None) -> list[StandingPlace]:
        """The places by rank, under the given tie-breaks or else those of the plan."""
        if self._are_of_plan(tie_breaks):
            return self._standing
        return self._places(tie_breaks or ())

    def _places(self, tie_breaks: Sequence[TieBreak]) -> list[StandingPlace]:
        return places_of(self.state, self.results, self._outcomes, tie_breaks, self.annulled)

    def standing_after(self, number: int, tie_breaks: Sequence[TieBreak] | None = None) -> list[StandingPlace]:
        """The places by rank after a round, on the results of the rounds up to it as they are now."""
        order = tie_breaks_of(self.state.known_plan) if tie_breaks is None else tuple(tie_breaks)
        key = number, order
        if key not in self._standings_after:
            state = msgspec.structs.replace(self.state, rounds=self.state.rounds[:number])
            found = self.outcomes(before=number + 1)
            self._standings_after[key] = places_of(state, self.results, found, order, self.annulled)
        return self._standings_after[key]

    @cached_property
    def _standings_after(self) -> dict[tuple[int, tuple[TieBreak, ...]], list[StandingPlace]]:
        return {}

    def provisional_standing(self) -> list[StandingPlace] | None:
        """The places if each open match ended now; None if no open match has a leading side."""
        results = as_if_ended_now(self.results)
        return None if results is None else msgspec.structs.replace(self, results=results).standing()

    def possible(self, tie_breaks: Sequence[TieBreak] | None = None) -> dict[str, RankBounds]:
        """The best and worst final rank of each competitor. Empty for tie-breaks that are not those of the plan."""
        return self._possible if self._are_of_plan(tie_breaks) else {}

    def bracket(self) -> list[ShownTie]:
        """All ties of the bracket, also those to come. Empty before the knock-out."""
        return shown_bracket(self.state, self.results)

    def _are_of_plan(self, tie_breaks: Sequence[TieBreak] | None) -> bool:
        return tie_breaks is None or tuple(tie_breaks) == tie_breaks_of(self.state.known_plan)


class SeenTournaments:
    """The tournaments that this process has read last, each in one state of the read side.

    In another state most tournaments are as they were. These are the same objects, with what they have computed.
    """

    MOST = 32
    """Limit on their number. One with 1,000 competitors and ten rounds takes 10 MB."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: OrderedDict[tuple[str, str], tuple[ReadState, SeenTournament]] = OrderedDict()

    def find(self, database: str, id_: str, state: ReadState | None) -> SeenTournament | None:
        """A tournament as it is in this state of a database, if it was read in it; None otherwise."""
        found = self._seen.get((database, id_))
        return found[1] if found is not None and found[0] == state else None

    def add(self, database: str, state: ReadState | None, seen: SeenTournament) -> SeenTournament:
        """Remember a tournament. Returns the one that was known before if it is equal. `state`: None for other runs."""
        if state is None:
            return seen
        with self._lock:
            key = (database, seen.state.id)
            known = self._seen.pop(key, None)
            if known is not None and known[1].state is seen.state and known[1] == seen:
                seen = known[1]
            self._seen[key] = (state, seen)
            if len(self._seen) > self.MOST:
                self._seen.popitem(last=False)
        return seen


_seen = SeenTournaments()


class TournamentTableOfMatch(Struct, frozen=True):
    """The tournament, round and table of a match."""

    tournament_id: str
    round: int
    table: int


def listed(wanted: TournamentFilter) -> Query:
    """A query for the tournaments that pass a filter."""
    query = select(_t.tournament_id, _t.planned_at)
    if wanted.status is not None:
        query = query.where(_t.status.in_(wanted.status))
    if wanted.player is not None:
        query = query.where(_t.tournament_id.in_(select(_p.tournament_id).where(_p.player_id == wanted.player)))
    return query


def all_tournaments(snapshot: Snapshot) -> list[str]:
    """The ids of all tournaments, in ascending order."""
    return list(snapshot.conn.scalars(_ALL))


def changed_since(snapshot: Snapshot, position: int) -> list[str]:
    """The tournaments that have an event after a position, themselves or at one of their tables."""
    return list(snapshot.conn.scalars(_CHANGED, {"since": position, "until": snapshot.position}))


def stored_tournaments(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, StoredTournament]:
    """The known tournaments among these ids, by id, without the results of their matches."""
    rows = snapshot.conn.execute(_BY_ID, {"ids": list(ids)})
    return {row.tournament_id: StoredTournament(_state(row.state), row.planned_at) for row in rows}


def tournaments_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, SeenTournament]:
    """The known tournaments among these ids, by id, with the results of the snapshot's run."""
    database = snapshot.conn.engine.url.render_as_string()
    found = {id_: seen for id_ in ids if (seen := _seen.find(database, id_, snapshot.state)) is not None}
    read = stored_tournaments(snapshot, [id_ for id_ in ids if id_ not in found]) if len(found) < len(ids) else {}
    results = _results(snapshot, [match for one in read.values() for match in one.state.matches()]) if read else {}
    for id_, one in read.items():
        state = one.state
        its = {match: results[match] for match in state.matches() if match in results}
        now = SeenTournament(state, one.planned_at, _ruleset(snapshot, state), its, _ratings(snapshot, state))
        found[id_] = _seen.add(database, snapshot.state, now)
    return found


Drawings = Mapping[tuple[int, int], RoundDrawn]
"""The drawings of a tournament, by the number of the round and the number of the drawing, both from 1."""


def drawings_by_tournament(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, Drawings]:
    """All drawings of each tournament."""
    found: dict[str, dict[tuple[int, int], RoundDrawn]] = {id_: {} for id_ in ids}
    for row in snapshot.conn.execute(_DRAWINGS, {"ids": list(ids)}):
        found[row.tournament_id][row.round, row.number] = _DRAWING.decode(row.drawing)
    return {**found}


def tables_by_match(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, TournamentTableOfMatch]:
    """The tournament, round and table of each match that belongs to a tournament, by match."""
    rows = snapshot.conn.execute(_AT_TABLES, {"ids": list(ids)})
    return {row.match_id: TournamentTableOfMatch(row.tournament_id, row.round, row.number) for row in rows}


def has_bell(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, bool]:
    """Whether the rounds of a match's tournament are timed, by match. Matches of no tournament are left out."""
    tables = tables_by_match(snapshot, ids)
    rows = snapshot.conn.execute(_BY_ID, {"ids": sorted({at.tournament_id for at in tables.values()})})
    plans = {row.tournament_id: _state(row.state).plan for row in rows}
    timed = {id_ for id_, plan in plans.items() if plan is not None and plan.minutes is not None}
    return {match: at.tournament_id in timed for match, at in tables.items()}


def _results(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, MatchSummary]:
    rows = snapshot.conn.execute(_RESULTS, {"run": snapshot.run, "ids": list(ids)})
    return {
        row.match_id: MatchSummary(
            row.status,
            row.winner,
            None if row.score is None else tuple(row.score),
            (row.best_0 or 0, row.best_1 or 0),
            row.hands > 0 or row.status not in {"open", "voided"},
        )
        for row in rows
    }


def _ruleset(snapshot: Snapshot, state: TournamentState) -> Ruleset:
    """The plan's ruleset, in the edition in force when the first round was published, or else in the latest."""
    began_at = state.published[0].published_at if state.published else None
    return _rules(snapshot, began_at).rulesets[state.known_plan.ruleset]


def _rules(snapshot: Snapshot, at: datetime | None) -> Rulebook:
    """The edition of the rules in force at a time, or the latest one."""
    holding = [span for span in timeline(snapshot) if at is None or span.start is None or span.start <= at]
    return read_rulebook(snapshot, holding[-1].hash)


def _ratings(snapshot: Snapshot, state: TournamentState) -> dict[str, float]:
    if state.known_plan.first_round != "rating" or state.published or not state.rounds:
        return {}
    given = {"run": snapshot.run, "mode": state.known_plan.mode, "ids": sorted(state.players())}
    found = {row.id: row.rating for row in snapshot.conn.execute(_RATINGS, given)}
    return ratings_of_competitors(state, found, float(_rules(snapshot, None).rating.start))


# ---------------------------------------------------------------- proofs for devices


_LAST_DRAWING = """
    SELECT max(position) FROM stored_events WHERE originator_id = %s AND topic = 'tournament-round-drawn/1'
"""
_COMMITMENT = """
    SELECT max(position) FROM stored_events
    WHERE originator_id = %s AND topic = 'tournament-seed-committed/1' AND position <= %s
    AND convert_from(state, 'UTF8')::json #>> '{body,competitor}' = %s
    AND convert_from(state, 'UTF8')::json #>> '{body,commitment}' = %s
"""


def last_drawing(conn: Any, stream: str) -> int | None:
    """Position of the last drawing of a tournament; None before the first. `conn`: a psycopg connection."""
    return conn.execute(_LAST_DRAWING, [stream]).fetchone()[0]  # type: ignore[no-any-return]


def proof_of_commitment(
    snapshot: Snapshot, stream: str, promised: SeedCommitment, position: int | None, key: bytes
) -> str | None:
    """The proof of the event that stored a competitor's commitment, under the head of a drawing.

    `position`: position of the drawing; None means the last one of the stream. `key`: the league's public key. Returns
    None if no head of exactly that position is signed. Raises WrongState if the log is not what was signed.
    """
    conn: Any = snapshot.conn.connection.driver_connection  # SQLAlchemy does not type it
    position = last_drawing(conn, stream) if position is None else position
    [committed] = conn.execute(_COMMITMENT, [stream, position, promised.id, promised.commitment]).fetchone()
    if position is None or committed is None:
        return None
    head = head_at(conn, key, position)
    if head is None:
        return None
    return prove_events(conn, encoded_rows.events_of(conn, position=committed), head).decode()
