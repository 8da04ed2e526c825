"""`league worker`: the process that runs replays from the queue, and keeps the clock of live tables."""

from contextlib import ExitStack
from functools import partial

from league.application.bootstrap import SERVER_TIMEOUT, database_kept_running, in_background, open_league
from league.application.following import be_seen_working, keep_confirmations
from league.application.jobs import Jobs
from league.cli.opening import settings
from league.cli.stopping import stop_on_signal
from league.features import declared
from league.infra.logs import configure_logs, log_what_nothing_catches
from league.infra.photo_store import photo_place


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
        in_background(partial(keep_confirmations, league)),
        in_background(partial(be_seen_working, league.database.url)),
        ExitStack() as beside,
        stop_on_signal(given.alive_file) as stop,
    ):
        for working in declared("working"):
            beside.enter_context(working(league))
        Jobs(league.database.url, given.broker_url, photo_place(given)).work(stop)
