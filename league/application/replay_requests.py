"""Starts, cancels and drops replays, each in one transaction with its event in the trail."""

from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from psycopg import Connection

from league.application import storing
from league.application.bootstrap import League
from league.application.earlier_rules import AdoptedTimeline, adopted_timelines, rules_to_bring_back
from league.application.rulesets_in_use import in_use
from league.application.storing import AlreadyDone
from league.application.stream_states import StreamStates
from league.domain.audit_trail import ReplayCancelled, ReplayStarted, RunDropped
from league.domain.candidates import check_changed, check_revised
from league.domain.refusals import InTheFuture, InvalidInput, NotFound
from league.domain.rulebook import canonical, content_hash
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.timeline import check_span
from league.domain.wrong_states import ReplayIsOver, ReplayIsShown
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections import runs
from league.projections.replays.replay import ReplayPeriod, remove_retired, retire_run, same_replay
from league.projections.replays.starting_points import prefix_known_at
from league.projections.runs import first_value, raise_generation
from league.projections.writers import catalogue


class ReplaySpec(Struct, frozen=True):
    """The specification of a replay: revised rules over a period, folded from all or from earlier recorded events."""

    candidate: Rulebook | None
    """The revised edition; None: nothing is revised."""
    period: ReplayPeriod = ReplayPeriod()
    known_at: datetime | None = None
    """Fold only the events recorded up to this time; None: all."""
    title: str | None = None
    reason: str | None = None
    completes: Rulebook | None = None
    """The edition in force that a document completes; None: the candidate was not given as a document."""
    restores: int | None = None
    """The position of the adoption whose timeline it brings back; None: it brings none back."""


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
    recorded before `known_at`), NothingRevised, InTheFuture, KeyReused, Conflict.
    """
    period, known_at, now = asked.period, asked.known_at, league.dispatcher.clock()
    check_span(period.start, period.end)
    if known_at is not None and known_at > now:
        with StreamStates(league.store, now).telling_times():
            raise InTheFuture("known_at", known_at, now)
    if known_at is not None:
        prefix_known_at(league.store, known_at)
    rulebook = StreamStates(league.store, now).rulebook()
    if asked.candidate is not None and known_at is None and storing.first_answer(league.store, request) is None:
        if asked.completes is not None:
            check_revised(asked.candidate, asked.completes)
        check_changed(asked.candidate, period.start, period.end, rulebook)
    revised = None if asked.candidate is None else content_hash(asked.candidate)
    if asked.restores is not None:
        number = _same_brought_back(league, asked.restores)
    else:
        number = same_replay(league.database.url, league.store, asked.candidate, period, known_at)
    act = ReplayStarted(number or _next_number(league), revised, period.start, period.end, known_at, asked.restores)
    changes_rules = revised is not None or asked.restores is not None
    in_force = rulebook.published_at(now).hash if changes_rules else None
    position = storing.record(league.store, act, request, partial(_insert, act, asked, in_force, request.actor))
    # With a repeated key this is the event of the first request.
    (stored,) = league.store.read_after(position - 1, 1)
    assert isinstance(stored.event, ReplayStarted)
    return RequestedReplay(stored.event.replay, position)


def spec_to_compute_again(league: League, number: int) -> ReplaySpec:
    """The specification of a replay that is over. `start` then computes it on the present rules and matches.

    Raises NotFound, WrongState while it is waiting or running.
    """
    with connect(league.database.url) as conn:
        if conn.execute("SELECT FROM replays WHERE replay = %s AND unfinished", (number,)).rowcount:
            raise runs.no_run(conn, number)
    return spec_of(league, number)


def spec_of(league: League, number: int) -> ReplaySpec:
    """The specification of an earlier replay. Raises NotFound."""
    query = "SELECT candidate, starts_at, ends_at, known_at, title, reason, restores FROM replays WHERE replay = %s"
    with connect(league.database.url) as conn:
        row = conn.execute(query, (number,)).fetchone()
    if row is None:
        raise NotFound("replay", "replay", str(number))
    document, starts_at, ends_at, known_at, title, reason, restores = row
    candidate = None if document is None else msgspec.json.decode(document, type=Rulebook)
    return ReplaySpec(candidate, ReplayPeriod(starts_at, ends_at), known_at, title, reason, restores=restores)


def rules_of(league: League, number: int) -> Rulebook:
    """The rules that a replay tries; of a timeline that it brings back the latest edition, as its run has it.

    Raises NotFound, InvalidInput if it tries none.
    """
    spec = spec_of(league, number)
    if spec.restores is not None:
        with connect(league.database.url) as conn:
            of_run = catalogue.rules_of_run(conn, number) if runs.is_ready(conn, number) else None
        rules = of_run or next(one.rules for one in _adopted(league) if one.position == spec.restores)
        return rules.editions[rules.timeline[-1].edition].rulebook
    if spec.candidate is None:
        raise InvalidInput("replay", say("replay {number} revises no rules", number=number))
    return spec.candidate


def cancel(league: League, number: int, request: AppendRequest) -> bool:
    """Cancel a replay; a worker that is folding it stops. Returns False and does nothing if it was cancelled before.

    Raises NotFound, Conflict, and WrongState for a finished replay and for a shown candidate.
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


def _same_brought_back(league: League, position: int) -> int | None:
    """The finished replay that brings the same rules back in place of those in force; None if there is none.

    Raises NotFound, WrongState if nothing would come back.
    """
    back = _brought_back(league, position)
    with connect(league.database.url) as conn:
        official = runs.official_run(conn)
        if official is None:
            return None
        rules, until = catalogue.rules_of_run(conn, official), runs.position_of(conn, official)
        found = runs.find(conn, back.rules, until, of_replay=rules, of_known=False)
        is_such = "SELECT FROM replays WHERE replay = %s AND restores = %s"
        return found if conn.execute(is_such, (found, position)).rowcount else None


def _brought_back(league: League, position: int) -> AdoptedTimeline:
    with connect(league.database.url) as conn:
        return rules_to_bring_back(_adopted(league), position, in_use(conn))


def _adopted(league: League) -> list[AdoptedTimeline]:
    return adopted_timelines((stored.position, stored.event) for stored in league.store.load("rulebook"))


def _next_number(league: League) -> int:
    with connect(league.database.url) as conn:
        return int(first_value(conn, "SELECT nextval(pg_get_serial_sequence('runs', 'run'))"))


def _insert(
    act: ReplayStarted, asked: ReplaySpec, in_force: str | None, actor: str, conn: Connection[Any], *_: int
) -> None:
    candidate = None if asked.candidate is None else canonical(asked.candidate)
    given = (act.start, act.end, act.known_at, actor, asked.title, asked.reason, in_force, asked.restores)
    conn.execute(
        "INSERT INTO replays (replay, candidate, starts_at, ends_at, known_at, requested_by, title, reason, revises,"
        " restores) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (replay) DO UPDATE"  # a finished replay may be requested again
        " SET title = coalesce(replays.title, excluded.title), reason = coalesce(replays.reason, excluded.reason)"
        " WHERE replays.replay NOT IN (SELECT replay FROM shown_replays)",  # those are named by their events
        (act.replay, candidate, *given),
    )
    raise_generation(conn)


def _cancel(number: int, conn: Connection[Any], *_: int) -> None:
    if conn.execute("SELECT FROM shown_replays WHERE replay = %s", (number,)).rowcount:
        raise ReplayIsShown(
            say("replay {number}", number=number), say("shown"), say("everybody can read it; withdraw it first")
        )
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
