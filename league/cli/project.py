"""`league project`: the projector, as a separate process."""

from typing import Annotated

import typer

from league.application.bootstrap import SERVER_TIMEOUT, database_kept_running, open_league
from league.application.following import follow
from league.cli import terminal
from league.cli.opening import settings
from league.cli.stopping import stop_on_signal
from league.infra.logs import configure_logs, log_what_nothing_catches
from league.wording.language import _


def project(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Project the whole log again, then stop.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Stop at the end of the log.")] = False,
) -> None:
    """Follow the log and keep the read tables up to date.

    The process also closes months of the series and signs heads of the log when they are due. A second one waits
    until the first one ends.
    """
    given = settings()
    with open_league(given, patience=SERVER_TIMEOUT) as league:
        if rebuild or once:
            with terminal.progress(_("projecting events")) as progress:
                league.project(progress, rebuild=rebuild)
            return
        configure_logs(given.log_level)
        log_what_nothing_catches()
        with database_kept_running(league, given), stop_on_signal(given.alive_file) as stop:
            follow(league, stop)
