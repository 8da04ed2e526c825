"""Drawing a round and publishing it. Each takes several saves, and a crash between them loses nothing.

The drawing is stored first, because the seed follows from the log with it. Then the log is signed, and devices of
competitors are asked for the bytes that they promised, for ten seconds at most. The tables are computed while no writer
waits. If a crash interrupts this, the next request continues from what is stored, and so does any process that serves
or works in the background: the row of a tournament says since when its drawing waits, by the database's clock. No
request waits for the tables of a large round: such a process computes them, one round at a time.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, NamedTuple

import msgspec
import psycopg
import structlog
from msgspec import Struct
from msgspec.structs import replace

from league.application.bootstrap import League, in_background
from league.application.stream_states import StreamStates
from league.audit.head_signing import ChainBroken, NewSigningKey, head_at, last_head, root_of
from league.audit.signed_heads import raw
from league.domain.match_refusals import SeriesLocked
from league.domain.refusals import Conflict, Refusal, WrongState
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect, database_time, is_told
from league.infra.outages import outages
from league.tournaments.apart import DrawingDied, Stopped, pair_within_limits
from league.tournaments.domain import commands as c
from league.tournaments.domain.drawn import RoundPairings, Schedule, SeedCommitment, seed_of
from league.tournaments.domain.events import RoundDrawn, SeedCommitted
from league.tournaments.domain.inputs import (
    fixed_tables,
    inputs,
    is_asking,
    is_left_to_its_request,
    left_in_knockout,
    to_draw,
)
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.refusals import DrawnAgain, TablesOutdated
from league.tournaments.domain.rounds import check_many
from league.tournaments.domain.state import CompetitorEntry, RoundState, TournamentState
from league.tournaments.events import STREAM
from league.tournaments.pairing import MOST_PREVIEWED, is_large, pair_apart
from league.tournaments.tournament_queries import last_drawing
from league.tournaments.tournament_states import (
    locked_pairs,
    point_rules_in_force,
    ratings_of,
    results_of,
    stored_tournament,
    tournament_state,
)

log = structlog.get_logger()


class LogRoot(Struct, frozen=True):
    """The root of the log up to a position, and whether the league's key has signed it."""

    hex: str
    signed: bool


def draw_round(league: League, command: c.DrawRound, actor: str, key: str | None = None) -> int:
    """Draw the next round, and pair it unless devices are asked for bytes. Returns the position. Raises Refusal."""
    if command.again is None:
        pair_drawn(league, command.tournament, actor)  # finish what a crash interrupted
    league.dispatcher.send(command, actor, key=key)
    return pair_drawn(league, command.tournament, actor)


def pair_drawn(league: League, tournament: str, actor: str) -> int:
    """Compute and store the tables of a round that is drawn and not paired. Returns the position to wait for.

    While the round waits for bytes of devices, only sign its root: devices give their bytes for a signed root. A
    large round is left to `pair_large`.
    """
    while True:
        state = stored_tournament(league.dispatcher.state_cache, tournament)
        of = state.rounds[-1] if state.rounds else None
        if of is None or of.status != "drawn" or of.root is not None:
            return league.store.newest_position(STREAM + tournament)
        if waits_for_bytes(league, of):
            _sign(league, _position_of(league, tournament))
            return league.store.newest_position(STREAM + tournament)
        if _is_large(state, of):
            return league.store.newest_position(STREAM + tournament)
        try:
            return _pair(league, state, of, actor, pair_apart)
        except (Conflict, TablesOutdated):  # others have written meanwhile: look again
            continue


def waits_for_bytes(league: League, of: RoundState) -> bool:
    """Whether a drawn round still waits for bytes of devices, by its events and the clock of the database.

    A process without the league's key waits as well, because another process may sign the root.
    """
    if not of.missing:
        return False
    with connect(league.database.url, autocommit=True) as conn:
        return is_asking(of, database_time(conn))


def publish_round(league: League, command: c.PublishRound, actor: str, key: str | None = None) -> int:
    """Publish a round. Returns the position. Raises Refusal: DrawnAgain if `draw_apart` had to draw it again."""
    pair_drawn(league, command.tournament, actor)  # finish what a crash interrupted
    try:
        return league.dispatcher.send(command, actor, key=key)
    except SeriesLocked as locked:
        raise draw_apart(league, command, locked, actor) from None


def draw_apart(league: League, command: c.PublishRound, locked: SeriesLocked, actor: str) -> Refusal:
    """Draw a round again because the series refused its publication: two met elsewhere since it was drawn.

    Returns the refusal to raise: DrawnAgain, or `locked` itself if the drawing already knew all locked pairs.
    """
    states = StreamStates(league.store, league.dispatcher.clock(), league.dispatcher.state_cache)
    state = tournament_state(states, command.tournament)
    of = state.round(command.round)
    if state.plan is None or of is None or of.drawing is None:  # it was published meanwhile
        return locked
    if set(locked_pairs(state.plan, _drawn_entries(state, of.drawing), states)) <= set(of.drawing.locked):
        return locked
    draw_round(league, c.DrawRound(command.tournament, again_without=(locked.a, locked.b)), actor)
    return DrawnAgain(command.tournament, command.round, locked.a, locked.b)


def _drawn_entries(state: TournamentState, drawing: RoundDrawn) -> list[CompetitorEntry]:
    return [state.entries[one.id] for one in drawing.competitors]


def _is_large(state: TournamentState, of: RoundState) -> bool:
    return of.drawing is not None and is_large(state.known_plan, len(of.drawing.competitors))


def _pair(
    league: League, state: TournamentState, of: RoundState, actor: str, pairing: Callable[..., RoundPairings]
) -> int:
    assert of.drawing is not None, "it is drawn"
    position = _position_of(league, state.id)
    root = _root_at(league, position)
    seed = seed_of(root.hex, state.id, of.number, [one.bytes for one in of.contributions])
    paired = pairing(state.known_plan, of.drawing, seed, state.schedule(of.number))
    commitments = _with_positions(league, state.id, of)
    command = c.PairRound(state.id, of.number, of.drawings, position, root.hex, root.signed, paired, seed, commitments)
    return league.dispatcher.send(command, actor)


def _position_of(league: League, tournament: str) -> int:
    """The position of the last drawing of a tournament in the log."""
    with connect(league.database.url) as conn:
        position = last_drawing(conn, STREAM + tournament)
    assert position is not None, "it is drawn"
    return position


def _with_positions(league: League, tournament: str, of: RoundState) -> tuple[SeedCommitment, ...]:
    """The commitments of a round with their positions in the log."""
    if not of.commitments:
        return ()
    positions: dict[tuple[str, str], int] = {}
    for stored in league.store.load(STREAM + tournament):
        if isinstance(stored.event, SeedCommitted):
            positions.setdefault((stored.event.competitor, stored.event.commitment), stored.position)
    return tuple(replace(one, position=positions[one.id, one.commitment]) for one in of.commitments)


def _sign(league: League, position: int) -> None:
    """Sign the log up to a position if this process has the league's key."""
    if league.key is None:
        return
    try:
        league.sign_head(until=position)
    except (ChainBroken, NewSigningKey) as error:
        log.warning("drawing_not_signed", reason=str(error))


def _root_at(league: League, position: int) -> LogRoot:
    """The root of the log up to a position. Signs it first if this process has the league's key.

    The root counts as signed only if a head of exactly this position is signed. A later head has another root.
    """
    _sign(league, position)
    public = b"" if league.key is None else raw(league.key.public_key())
    with connect(league.database.url) as conn:
        newest = last_head(conn, [public] if public else [])
        signed = newest is not None and head_at(conn, newest.key, position) is not None
        return LogRoot(root_of(conn, public, 0, position).hex(), signed)


# ---------------------------------------------------------------- drawings that wait for bytes, finished by any process


ACTOR = "clock"
LOOK_AGAIN = 0.5
"""Seconds between two looks."""
LONGEST_PAUSE = 30.0
"""Longest pause in seconds between two looks, after several have failed."""
LONGEST_AFTER_FAILURE = 600.0
"""Longest pause in seconds before a large round is tried again that has failed several times."""

TOURNAMENTS = "league_tournaments"
"""The channel of notifications about changed tournaments."""

_WAITING = "SELECT tournament_id FROM tournaments WHERE asked_at IS NOT NULL ORDER BY asked_at"
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"


@contextmanager
def working(league: League) -> Iterator[None]:
    """A context in which background threads finish drawings: one thread those that wait for bytes, one large rounds."""
    with (
        in_background(partial(finish_drawings_until, league)),
        in_background(partial(pair_large_rounds_until, league)),
    ):
        yield


def finish_drawings_until(league: League, ended: threading.Event) -> None:
    """Finish drawings until `ended` is set. Failures are logged, and do not stop it."""
    _look_until(league, partial(finish_drawings, league), ended)


def pair_large_rounds_until(league: League, ended: threading.Event) -> None:
    """Pair large rounds until `ended` is set. Failures are logged, and do not stop it."""
    _look_until(league, LargeRounds(league, ended).pair_waiting, ended)


def _look_until(league: League, look: Callable[[psycopg.Connection[Any]], None], ended: threading.Event) -> None:
    pause = LOOK_AGAIN
    while not ended.is_set():
        try:
            with connect(league.database.url, autocommit=True) as conn:
                conn.execute(f"LISTEN {TOURNAMENTS}")
                while not ended.is_set():
                    look(conn)
                    pause = LOOK_AGAIN
                    _wait(conn, ended)
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
            pause = LOOK_AGAIN
        except Exception:
            log.exception("drawings_not_kept", pause=pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        ended.wait(pause)


def _wait(conn: psycopg.Connection[Any], ended: threading.Event) -> None:
    """Wait before the next look: while no drawing waits, until a tournament changes, without asking the database."""
    is_waiting = conn.execute(_WAITING).fetchone() is not None
    while not ended.is_set():
        if is_told(conn, LOOK_AGAIN) or is_waiting:
            return


def finish_drawings(league: League, conn: psycopg.Connection[Any]) -> None:
    """Pair each drawn round that has waited long enough or has all bytes. `conn` is in autocommit mode.

    A round that asks for no bytes is paired by the request that drew it, unless a crash interrupted that.
    """
    for (tournament,) in conn.execute(_WAITING).fetchall():
        of = last_round(league, tournament)
        if of is None or is_left_to_its_request(of, database_time(conn)):
            continue
        with _try_lock(conn, f"drawing:{tournament}") as is_ours:
            if is_ours:
                try:
                    pair_drawn(league, tournament, ACTOR)
                except Refusal as refusal:
                    log.warning("drawing_not_finished", tournament=tournament, code=refusal.code, error=str(refusal))


def last_round(league: League, tournament: str) -> RoundState | None:
    """The last round of a tournament as it is stored now; None if it has none."""
    state = stored_tournament(league.dispatcher.state_cache, tournament)
    return state.rounds[-1] if state.rounds else None


class LargeRounds:
    """Pairs large rounds, one after the other, each in a process with limits.

    The advisory lock of the tournament keeps other processes from pairing the same round. It ends with the connection.
    """

    def __init__(self, league: League, ending: threading.Event) -> None:
        """`ending`: set when this process stops."""
        self._league, self._ending = league, ending
        self._failed: dict[tuple[str, int, int], _Failure] = {}
        """Drawings that failed, by tournament, round and number of the drawing."""

    def pair_waiting(self, conn: psycopg.Connection[Any]) -> None:
        """Pair the large rounds that wait for no bytes. `conn` is in autocommit mode."""
        for (tournament,) in conn.execute(_WAITING).fetchall():
            if self._ending.is_set():
                return
            if self._next_in(tournament) is None:
                continue
            with _try_lock(conn, f"drawing:{tournament}") as is_ours:
                # Read again: another process may have paired it before it gave the lock back.
                of = self._next_in(tournament) if is_ours else None
                if of is not None:
                    self._pair(tournament, of)

    def _next_in(self, tournament: str) -> RoundState | None:
        """The last round of the tournament if it is large, waits to be paired, and did not fail just now."""
        state = stored_tournament(self._league.dispatcher.state_cache, tournament)
        of = state.rounds[-1] if state.rounds else None
        if of is None or of.status != "drawn" or of.root is not None or not _is_large(state, of):
            return None
        failure = self._failed.get((tournament, of.number, of.drawings))
        if failure is not None and time.monotonic() < failure.again_at:
            return None
        return None if waits_for_bytes(self._league, of) else of

    def _pair(self, tournament: str, of: RoundState) -> None:
        state = stored_tournament(self._league.dispatcher.state_cache, tournament)
        key = (tournament, of.number, of.drawings)

        def compute(plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule) -> RoundPairings:
            began = time.monotonic()
            paired = pair_within_limits(plan, drawing, seed, schedule, ending=self._ending)
            seconds, found_by = time.monotonic() - began, paired.solvers
            log.info("round_computed", tournament=tournament, round=of.number, seconds=seconds, solvers=found_by)
            return paired

        try:
            _pair(self._league, state, of, ACTOR, compute)
        except (Conflict, TablesOutdated, Stopped):
            return  # others have written meanwhile, or this process stops: whoever looks next sees what is to do
        except (DrawingDied, Refusal) as failure:
            tries = 1 + (self._failed[key].tries if key in self._failed else 0)
            pause = min(2**tries * LOOK_AGAIN, LONGEST_AFTER_FAILURE)
            self._failed[key] = _Failure(tries, time.monotonic() + pause)
            log.error("round_not_paired", tournament=tournament, round=of.number, reason=str(failure), pause=pause)  # noqa: TRY400  # the reason says it


class _Failure(NamedTuple):
    """How often a drawing failed, and when it is tried again, by the monotonic clock."""

    tries: int
    again_at: float


@contextmanager
def _try_lock(conn: psycopg.Connection[Any], name: str) -> Iterator[bool]:
    """Try to take the lock `name`, and say whether it was free. It only saves double work; it ends with `conn`."""
    row = conn.execute(_LOCK, [name]).fetchone()
    is_ours = row is not None and bool(row[0])
    try:
        yield is_ours
    finally:
        if is_ours:
            conn.execute(_UNLOCK, [name])


# ---------------------------------------------------------------- a preview of the next round


def preview_round(league: League, tournament: str) -> tuple[str, RoundPairings] | None:
    """The next round as it could come out for the competitors who are available now. Nothing is stored.

    Returns the preview's seed, which the real round will not have, and the tables; None if no round can be drawn, or
    more than `MOST_PREVIEWED` competitors would have to be paired.
    """
    states = StreamStates(league.store, league.dispatcher.clock(), league.dispatcher.state_cache)
    state = tournament_state(states, tournament)
    if state.plan is None or state.ended:
        return None
    count = len(state.available())
    if is_large(state.plan, count) and count > MOST_PREVIEWED:
        return None
    results, points = results_of(state.matches(), states), point_rules_in_force(state, states)
    number, available = state.next_round, to_draw(state, results, points)
    ranked = inputs(state, number, available, results, points, ratings_of(state, states))
    try:
        check_many(len(ranked), state.plan, number)
    except WrongState:
        return None
    left = left_in_knockout(state, results)
    locked = locked_pairs(state.plan, available, states)
    drawing = RoundDrawn(number, ranked, locked, fixed_tables(state, number, available), left=left)
    seed = seed_of("preview", tournament, number)
    return seed, _previewed(_INPUTS.encode((state.plan, drawing, seed, state.schedule(number))))


_INPUTS = msgspec.msgpack.Encoder(order="deterministic")


@lru_cache(8)
def _previewed(inputs: bytes) -> RoundPairings:
    """The tables that follow from packed inputs. Cached: whoever looks at a preview often looks again."""
    return pair_apart(*msgspec.msgpack.decode(inputs, type=tuple[Plan, RoundDrawn, str, Schedule]))
