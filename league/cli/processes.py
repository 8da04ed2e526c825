"""`league project`, `worker`, `migrate`: the processes beside the server, and how they are stopped.

The projector folds the log. The worker runs replays from the queue and the clock of live tables.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from psycopg.errors import InsufficientPrivilege

from league.application.bootstrap import SERVER_TIMEOUT, database_kept_running, open_league
from league.application.following import confirmations, follow
from league.application.jobs import Jobs
from league.application.work_part import WorkPart
from league.cli import terminal
from league.cli.opening import settings
from league.cli.terminal import Json
from league.domain.sentences import say
from league.features import declared
from league.infra.database import migrate as run_migrations
from league.infra.database import open_database, version_of, wait_until_reachable
from league.infra.league_version import newest_migration
from league.infra.logs import configure_logs, log_what_nothing_catches
from league.infra.photo_store import photo_place
from league.infra.settings import BadSetting

TOUCHED_EVERY = 1.0
"""Seconds between two touches of the file that shows that a process is alive."""


@contextmanager
def stop_on_signal(alive: Path | None = None) -> Iterator[Callable[[], bool]]:
    """A function that returns whether this process was asked to stop (by SIGINT or SIGTERM).

    `alive`: a file that each call touches, at most once a second. If the calling loop hangs, the file grows old. Raises
    BadSetting if the file cannot be written.
    """
    asked, touched_at = False, time.monotonic()
    if alive is not None:
        try:
            alive.touch()
        except OSError as error:
            raise BadSetting("LEAGUE_ALIVE_FILE", say("cannot be written: {error}", error=error)) from error

    def is_asked() -> bool:
        nonlocal touched_at
        if alive is not None and time.monotonic() >= touched_at + TOUCHED_EVERY:
            with suppress(OSError):  # a full disk must not stop the process; the old file tells of it
                alive.touch()
            touched_at = time.monotonic()
        return asked

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, ask)
    yield is_asked


def exit_when_stopped() -> None:
    """Let SIGTERM and Ctrl-C close everything that is open, then end this process with exit code 0."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _exit)


def _exit(*_: object) -> None:
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # so that a second signal does not interrupt the closing
    sys.exit(0)


def project(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Project the whole log again, then stop.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Stop at the end of the log.")] = False,
) -> None:
    """Follow the log and keep the read tables up to date.

    The process also closes months of the series, signs heads of the log and removes notices when they are due. A
    second one waits until the first one ends.
    """
    given = settings()
    with open_league(given, patience=SERVER_TIMEOUT) as league:
        if rebuild or once:
            with terminal.progress(say("projecting events")) as progress:
                league.project(progress, rebuild=rebuild)
            return
        configure_logs(given.log_level)
        log_what_nothing_catches()
        with database_kept_running(league, given), stop_on_signal(given.alive_file) as stop:
            follow(league, stop)


def worker() -> None:
    """Run the replays that wait in the queue, and keep the clock of live tables.

    The queue is the Redis server at LEAGUE_BROKER_URL.
    """
    given = settings()
    configure_logs(given.log_level)
    log_what_nothing_catches()
    with (
        open_league(given, patience=SERVER_TIMEOUT) as league,
        database_kept_running(league, given),
        ExitStack() as beside,
        stop_on_signal(given.alive_file) as stop,
    ):
        for part in declared(WorkPart):
            if part.working is not None:
                beside.enter_context(part.working(league))
        jobs = Jobs(league.database.url, given.broker_url, photo_place(given), reviews_rules=given.reviews_rules)
        jobs.work(stop, league.dispatcher.clock, [confirmations(league)])


def migrate(as_json: Json = False) -> None:
    """Migrate the database to the newest version.

    Run it after each upgrade of the program, as a user who may create roles. Make a backup before: there is no way
    back.
    """
    with open_database(settings(), create=False) as database:
        wait_until_reachable(database.url)
        before = None
        with suppress(InsufficientPrivilege):  # the migration may grant the right that the user lacks
            before = version_of(database.url)
        run_migrations(database.url)
    newest = newest_migration()
    if as_json:
        terminal.print_json({"version": newest})
    elif before not in (None, newest):
        terminal.out.print(say("Migrated the league from {before} to {newest}.", before=before, newest=newest))
    else:
        terminal.out.print(say("The database is up to date."))
