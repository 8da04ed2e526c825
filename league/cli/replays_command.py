"""`league replay`, `replays`, `promote`, `rollback`, `drop`: runs beside the official one, and which of them is it."""

import threading
import time
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from league.application import replay_folding, replay_requests
from league.application.bootstrap import League, clock
from league.application.replay_requests import Asked
from league.cli import terminal
from league.domain.refusals import WrongState
from league.eventlog.store import Request
from league.infra.database import connect
from league.infra.logs import configure_logs
from league.projections.queries import catalogue
from league.projections.queries.official import chosen_run
from league.projections.queries.replays import LATEST_FIRST, replays, state_of
from league.projections.queries.snapshot import snapshot_of
from league.projections.replays.replay import run_known_at


class Cancelled(Exception):
    """A replay was cancelled while it was waited for."""

    def __init__(self, number: int) -> None:
        super().__init__(f"replay {number} was cancelled")
        self.number = number


def fold(league: League, asked: Asked, actor: str) -> int:
    """Ask for a replay and see it through at once, with a progress bar; Ctrl-C cancels it. Returns the run.

    It is carried out as a worker does it, so anybody can follow and cancel it. Raises Refusal, Cancelled.
    """
    configure_logs("warning")  # what is said of a fold that dies goes to standard error
    url, request = league.database.url, Request(actor, "manual")
    number = replay_requests.start(league, asked, request)
    try:
        with terminal.progress("replaying matches") as progress:
            while (reached := replay_folding.progress_of(url, number)) is not None:
                progress(*reached)
                if replay_folding.is_free(url, number):
                    replay_folding.fold_to_the_end(url, number, threading.Event(), progress)
                else:
                    time.sleep(replay_folding.LOOK_FOR_CANCEL)  # a worker was faster
    except KeyboardInterrupt:
        with suppress(WrongState):  # it has just come to its end
            replay_requests.cancel(league, number, request)
            raise Cancelled(number) from None
        raise
    with connect(url) as conn:
        if conn.execute("SELECT FROM replays WHERE replay = %s AND cancelled_at IS NOT NULL", (number,)).rowcount:
            raise Cancelled(number)
    return replay_folding.run_of(url, number)


def run_asked_for(league: League, run: int | None, known_at: datetime | None, actor: str) -> int | None:
    """The run of a number, or the one that says what was known at a moment, folded where it is not there yet."""
    if known_at is None:
        return run
    found = None if known_at > clock() else run_known_at(league.database.url, league.store, known_at)
    return fold(league, Asked(None, known_at=known_at), actor) if found is None else found


def show(conn: Connection, *, as_json: bool) -> None:
    """Print every replay, the latest first."""
    rows = conn.execute(replays().order_by(*(column.desc() for column in LATEST_FIRST.columns))).all()
    if as_json:
        terminal.print_json([_document(row) for row in rows])
        return
    terminal.table(
        "Replays",
        ("replay", "run", "state", "rules", "for matches that began (UTC)", "asked by", "asked (UTC)"),
        [
            (
                row.replay,
                row.run,
                _state(row),
                row.title or "as they hold",
                _span(row),
                row.requested_by,
                _minute(row.requested_at),
            )
            for row in rows
        ],
        numbers=("replay", "run"),
    )


def promote(league: League, run: int, actor: str, conn: Connection, *, as_json: bool) -> None:
    """Make a run official, and print what was adopted over which spans. Raises Refusal."""
    before = chosen_run(conn, None)
    conn.rollback()
    position = league.promoter.promote(run, Request(actor, "manual"))
    _print_adopted(conn, before, position, as_json=as_json)


def roll_back(league: League, actor: str, conn: Connection, *, as_json: bool) -> None:
    """Let the rules hold again that held before, and print them. Raises Refusal."""
    before = chosen_run(conn, None)
    conn.rollback()
    position = league.promoter.roll_back(Request(actor, "manual"))
    _print_adopted(conn, before, position, as_json=as_json)


def drop(league: League, run: int, actor: str, *, as_json: bool) -> None:
    """Remove a run. Raises Refusal."""
    gone = replay_requests.drop(league, run, Request(actor, "manual"))
    if as_json:
        terminal.print_json({"run": run, "gone": gone})
    else:
        left = "" if gone else " Somebody still reads it; its rows go when they have left."
        terminal.out.print(f"Run {run} is dropped.{left}")


def _print_adopted(conn: Connection, before: int, position: int, *, as_json: bool) -> None:
    snapshot = snapshot_of(conn, chosen_run(conn, None))
    spans = catalogue.timeline(snapshot)
    editions = catalogue.editions_by_hash(snapshot, [span.hash for span in spans])
    timeline = [
        {"start": span.start, "edition": editions[span.hash].edition, "title": editions[span.hash].title}
        for span in spans
    ]
    if as_json:
        terminal.print_json({"run": snapshot.run, "before": before, "position": position, "timeline": timeline})
        return
    terminal.out.print(f"Run {snapshot.run} is official: its rules are adopted at position {position}.\n")
    terminal.table(
        "The rules that hold",
        ("for matches that began (UTC)", "edition", "title"),
        [(_from(span["start"]), span["edition"], span["title"]) for span in timeline],
    )
    terminal.out.print(f"`league rollback` goes back to what held before (run {before}).")


def _document(row: Any) -> dict[str, Any]:
    names = ("replay", "run", "title", "requested_by", "requested_at", "known_at", "done", "total", "failure")
    asked = {name: getattr(row, name) for name in (*names, "position")}
    outdated = bool(row.is_outdated)
    return {**asked, "state": state_of(row), "from": row.starts_at, "to": row.ends_at, "outdated": outdated}


def _state(row: Any) -> str:
    if row.failure is not None:
        return f"failed: {row.failure}"
    return "done, outdated" if row.is_outdated else state_of(row)


def _span(row: Any) -> str:
    span = "at any time"
    if row.starts_at is not None or row.ends_at is not None:
        span = f"{_minute(row.starts_at)} to {_minute(row.ends_at)}"
    return span if row.known_at is None else f"{span}, as known at {_minute(row.known_at)}"


def _minute(moment: datetime | None) -> str:
    return "-" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _from(start: datetime | None) -> str:
    return "from the beginning" if start is None else f"from {start:%Y-%m-%d %H:%M}"
