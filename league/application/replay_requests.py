"""Starts, cancels and drops replays, each in one transaction with its event in the trail."""

from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct
from psycopg import Connection

from league.application import storing
from league.application.bootstrap import League
from league.application.storing import AlreadyDone
from league.application.stream_states import StreamStates
from league.domain.audit_trail import ReplayCancelled, ReplayStarted, RunDropped
from league.domain.refusals import InTheFuture, InvalidInput, NotFound
from league.domain.rulebook import canonical, check_span, content_hash
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.wrong_states import ReplayIsOver
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.replays.replay import ReplayPeriod, remove_retired, retire_run, same_replay
from league.projections.replays.starting_points import prefix_known_at
from league.projections.runs import first_value


class ReplaySpec(Struct, frozen=True):
    """The specification of a replay: revised rules over a period, folded from all or from earlier recorded events."""

    candidate: Rulebook | None
    """The revised edition; None: nothing is revised."""
    period: ReplayPeriod = ReplayPeriod()
    known_at: datetime | None = None
    """Fold only the events recorded up to this time; None: all."""


def period_of(states: StreamStates, season: str | None, start: datetime | None, end: datetime | None) -> ReplayPeriod:
    """The period of a season, or between two times. Raises NotFound, and InvalidInput if both are given."""
    period = ReplayPeriod(start, end)
    if season is None:
        return period
    if period != ReplayPeriod():
        raise InvalidInput("season", say("name a season, or dates, not both"))
    found = states.seasons().get(season)
    if found is None:
        raise NotFound("season", "season", season)
    return ReplayPeriod(found.start, found.end)


class RequestedReplay(NamedTuple):
    """A replay that was requested."""

    number: int
    position: int
    """The position of the request in the log."""


def start(league: League, asked: ReplaySpec, request: AppendRequest) -> RequestedReplay:
    """Request a replay. Workers find it in the table.

    Returns a finished replay if it would have an equal result; otherwise one with a new number, which its run will
    have too. A repeated key with an equal input returns the first number. Raises InvalidInput (also if nothing was
    recorded before `known_at`), InTheFuture, KeyReused, Conflict.
    """
    period, known_at, now = asked.period, asked.known_at, league.dispatcher.clock()
    check_span(period.start, period.end)
    if known_at is not None and known_at > now:
        with StreamStates(league.store, now).telling_times():
            raise InTheFuture("known_at", known_at, now)
    if known_at is not None:
        prefix_known_at(league.store, known_at)
    revised = None if asked.candidate is None else content_hash(asked.candidate)
    number = same_replay(league.database.url, league.store, asked.candidate, period, known_at)
    act = ReplayStarted(number or _next_number(league), revised, period.start, period.end, known_at)
    position = storing.record(league.store, act, request, partial(_insert, act, asked, request.actor))
    # With a repeated key this is the event of the first request.
    (stored,) = league.store.read_after(position - 1, 1)
    assert isinstance(stored.event, ReplayStarted)
    return RequestedReplay(stored.event.replay, position)


def cancel(league: League, number: int, request: AppendRequest) -> bool:
    """Cancel a replay; a worker that is folding it stops. Returns False and does nothing if it was cancelled before.

    Raises NotFound, Conflict, and WrongState for a finished replay.
    """
    try:
        storing.record(league.store, ReplayCancelled(number), request, partial(_cancel, number))
    except AlreadyDone:
        return False
    return True


def drop(league: League, run: int, request: AppendRequest) -> bool:
    """Retire a replay's run and remove it. Returns whether it is removed already: a reader may still be reading it.

    Raises NotFound, Conflict while the league or the run is being folded, and WrongState for the official run and the
    run that a rollback would need.
    """
    storing.record(league.store, RunDropped(run), request, lambda conn, *_: retire_run(conn, run))
    return remove_retired(league.database.url, run)


def _next_number(league: League) -> int:
    with connect(league.database.url) as conn:
        return int(first_value(conn, "SELECT nextval(pg_get_serial_sequence('runs', 'run'))"))


def _insert(act: ReplayStarted, asked: ReplaySpec, actor: str, conn: Connection[Any], *_: int) -> None:
    candidate = None if asked.candidate is None else canonical(asked.candidate)
    conn.execute(
        "INSERT INTO replays (replay, candidate, starts_at, ends_at, known_at, requested_by)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",  # a finished replay may be requested again
        (act.replay, candidate, act.start, act.end, act.known_at, actor),
    )


def _cancel(number: int, conn: Connection[Any], *_: int) -> None:
    cancel = "UPDATE replays SET cancelled_at = clock_timestamp() WHERE replay = %s AND unfinished"
    if conn.execute(cancel, (number,)).rowcount:
        return
    if not conn.execute("SELECT FROM replays WHERE replay = %s", (number,)).rowcount:
        raise NotFound("replay", "replay", str(number))
    if conn.execute("SELECT FROM replays WHERE replay = %s AND cancelled_at IS NULL", (number,)).rowcount:
        raise ReplayIsOver(
            say("replay {number}", number=number), say("over"), say("only a waiting or running replay can be cancelled")
        )
    raise AlreadyDone
