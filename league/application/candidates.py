"""Names candidates, shows them to everybody and withdraws them. Each is one transaction with its event in the trail.

A name is bookkeeping and leaves no event. At most three candidates are shown; their runs stay until they are withdrawn.
"""

from functools import partial
from typing import Any

from psycopg import Connection
from psycopg.errors import LockNotAvailable
from psycopg.rows import namedtuple_row, tuple_row

from league.application import storing
from league.application.bootstrap import League
from league.domain.audit_trail import ReplayShown, ReplayWithdrawn
from league.domain.candidates import MOST_SHOWN, TooManyShown, checked_title
from league.domain.refusals import Conflict, NotFound
from league.domain.sentences import say
from league.domain.texts_and_times import checked_reason, needed_reason
from league.domain.wrong_states import (
    NotACandidate,
    ReplayFailed,
    ReplayIsDraft,
    ReplayIsDropped,
    ReplayIsShown,
    ReplayNotDone,
    RunIsOfficial,
    RunIsOutdated,
)
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.rows_again import write_shown
from league.projections.runs import FOLDS, first_value, raise_generation

_CANDIDATE = """
    SELECT replays.title, replays.reason, shown_at, cancelled_at IS NOT NULL OR failure IS NOT NULL AS is_over,
        unfinished, candidate IS NOT NULL OR restores IS NOT NULL AS revises, runs.run IS NOT NULL AS has_run,
        replays.replay = official.run AS is_official,
        runs.code <> current.code OR runs.base <> current.timeline AS is_outdated
    FROM replays
    LEFT JOIN shown_replays AS shown ON shown.replay = replays.replay
    LEFT JOIN runs ON runs.run = replays.run AND runs.ready
    LEFT JOIN (official_run AS official JOIN runs AS current ON current.run = official.run) ON true
    WHERE replays.replay = %s FOR UPDATE OF replays
"""

_TAKEN = "SELECT replay FROM shown_replays ORDER BY replay"

# The league must be folded: a run is made of what the official one has.
_UNFINISHED = """
    WITH again AS (UPDATE replays SET run = NULL, cancelled_at = NULL, attempts = 0, done = 0, total = 0
    WHERE (run IS NOT NULL OR cancelled_at IS NOT NULL) AND replay IN (SELECT replay FROM shown_replays)
        AND NOT EXISTS (SELECT FROM runs WHERE runs.run = replays.replay)
        AND EXISTS (SELECT FROM official_run JOIN runs USING (run) WHERE code = %s AND NOT EXISTS (
            SELECT FROM stored_events WHERE originator_id = 'rulebook' AND stored_events.position > runs.position))
        RETURNING replay)
    SELECT replay FROM replays WHERE unfinished UNION SELECT replay FROM again ORDER BY replay
"""


def name(league: League, number: int, title: str | None, reason: str | None) -> None:
    """Give a candidate a title and a reason. Without a title it has the one that is made of what it changes.

    Raises NotFound, NotACandidate, InvalidInput, and ReplayIsShown: everybody reads what the event of its showing says.
    """
    title, why = checked_title(title), checked_reason(reason)
    with connect(league.database.url) as conn:
        found = _candidate(conn, number)
        if found.shown_at is not None:
            raise ReplayIsShown(
                say("replay {number}", number=number), say("shown"), say("everybody can read it; withdraw it first")
            )
        conn.execute("UPDATE replays SET title = %s, reason = %s WHERE replay = %s", (title, why, number))


def show(league: League, number: int, reason: str, request: AppendRequest) -> int:
    """Let everybody read a candidate. Returns the position of the event.

    Raises InvalidInput, NotFound, WrongState for a replay that is no candidate, is not done, was dropped, is outdated,
    official or shown already, TooManyShown, Conflict, KeyReused.
    """
    why = needed_reason(reason)
    with connect(league.database.url) as conn:
        title = first_value(conn, "SELECT title FROM replays WHERE replay = %s", (number,))
    act = ReplayShown(number, title, why)
    return storing.record(league.store, act, request, partial(_show, act))


def withdraw(league: League, number: int, reason: str, request: AppendRequest) -> int:
    """Make a shown candidate a draft again. Returns the position of the event.

    Raises InvalidInput, NotFound, ReplayIsDraft, Conflict, KeyReused.
    """
    act = ReplayWithdrawn(number, needed_reason(reason))
    return storing.record(league.store, act, request, partial(_withdraw, act))


def unfinished_replays(url: str) -> list[int]:
    """The replays that workers have to fold, by number.

    Shown candidates whose runs are gone, as after a restore, are among them from then on.
    """
    with connect(url) as conn:
        return [number for (number,) in conn.execute(_UNFINISHED, (FOLDS,)).fetchall()]


def _show(act: ReplayShown, conn: Connection[Any], _: int, last: int) -> None:
    """No other writer can append meanwhile, so that two cannot be shown in the third place at once."""
    number, subject = act.replay, say("replay {number}", number=act.replay)
    found = _candidate(conn, number)
    if found.shown_at is not None:
        raise ReplayIsShown(subject, say("shown"), say("everybody can read it already"))
    if found.title != act.title:  # somebody has renamed it since the event was made
        raise Conflict(say("the replay"))
    if found.unfinished:
        raise ReplayNotDone(subject, say("without a run"), say("it is not done"))
    if found.is_over:
        raise ReplayFailed(subject, say("without a run"), say("it failed or was cancelled; start it again"))
    if not found.has_run or not _hold(conn, number):
        raise ReplayIsDropped(subject, say("dropped"), say("its run was removed; start it again"))
    if found.is_official:
        raise RunIsOfficial(subject, say("official"), say("its rules are in force"))
    if found.is_outdated:
        raise RunIsOutdated(
            subject, say("outdated"), say("other rules were adopted since it was folded; start it again")
        )
    with conn.cursor(row_factory=tuple_row) as cursor:
        shown = [other for (other,) in cursor.execute(_TAKEN)]
    if len(shown) >= MOST_SHOWN:
        raise TooManyShown(tuple(shown))
    write_shown(conn, last, act)
    conn.execute("UPDATE replays SET reason = %s WHERE replay = %s", (act.reason, number))
    raise_generation(conn)


def _withdraw(act: ReplayWithdrawn, conn: Connection[Any], _: int, last: int) -> None:
    if _candidate(conn, act.replay).shown_at is None:
        raise ReplayIsDraft(
            say("replay {number}", number=act.replay),
            say("a draft"),
            say("it is not shown, or somebody has withdrawn it already"),
        )
    write_shown(conn, last, act)
    raise_generation(conn)


def _candidate(conn: Connection[Any], number: int) -> Any:
    """The row of a candidate, locked. Raises NotFound, NotACandidate."""
    with conn.cursor(row_factory=namedtuple_row) as cursor:
        found: Any = cursor.execute(_CANDIDATE, (number,)).fetchone()
    if found is None:
        raise NotFound("replay", "replay", str(number))
    if not found.revises:
        raise NotACandidate(
            say("replay {number}", number=number),
            say("no candidate"),
            say("it revises no rules, and everybody can read it"),
        )
    return found


def _hold(conn: Connection[Any], run: int) -> bool:
    """Protect a run from being retired until the transaction ends; False if it is gone. Raises Conflict."""
    try:
        return bool(conn.execute("SELECT FROM runs WHERE run = %s AND ready FOR SHARE NOWAIT", (run,)).rowcount)
    except LockNotAvailable:
        raise Conflict(say("the replay")) from None
