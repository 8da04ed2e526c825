"""Replays that a command requests and waits for."""

import threading
import time
from contextlib import suppress
from datetime import datetime

from league.application import replay_folding, replay_requests
from league.application.bootstrap import League, clock
from league.application.replay_requests import Asked
from league.cli import terminal
from league.domain.refusals import WrongState
from league.eventlog.records import Request
from league.infra.database import connect
from league.infra.logs import configure_logs
from league.projections.replays.replay import run_known_at
from league.wording.language import _


class ReplayCancelled(Exception):
    """A replay was cancelled before it ended."""

    def __init__(self, number: int) -> None:
        super().__init__(_("replay {number} was cancelled", number=number))
        self.number = number


def fold(league: League, asked: Asked, actor: str) -> int:
    """Request a replay and fold it at once, with a progress bar; Ctrl-C cancels it. Returns the run.

    Runs as in a worker, so others can follow and cancel it. Raises Refusal, ReplayCancelled.
    """
    configure_logs("warning")  # messages about a fold that dies go to standard error
    url, request = league.database.url, Request(actor, "manual")
    number = replay_requests.start(league, asked, request).number
    try:
        with terminal.progress(_("replaying matches")) as progress:
            while (reached := replay_folding.progress_of(url, number)) is not None:
                progress(*reached)
                if replay_folding.is_free(url, number):
                    replay_folding.fold_to_the_end(url, number, threading.Event(), progress)
                else:
                    time.sleep(replay_folding.LOOK_FOR_CANCEL)  # a worker was faster
    except KeyboardInterrupt:
        with suppress(WrongState):  # it has just finished
            replay_requests.cancel(league, number, request)
            raise ReplayCancelled(number) from None
        raise
    with connect(url) as conn:
        if conn.execute("SELECT FROM replays WHERE replay = %s AND cancelled_at IS NOT NULL", (number,)).rowcount:
            raise ReplayCancelled(number)
    return replay_folding.run_of(url, number)


def run_asked_for(league: League, run: int | None, known_at: datetime | None, actor: str) -> int | None:
    """The run with this number, or the run as known at a moment, folded if necessary."""
    if known_at is None:
        return run
    found = None if known_at > clock() else run_known_at(league.database.url, league.store, known_at)
    return fold(league, Asked(None, known_at=known_at), actor) if found is None else found
