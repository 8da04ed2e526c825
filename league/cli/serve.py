"""`league serve`: the pages and the GraphQL API, and with the embedded database the whole league."""

from typing import Annotated

import typer

from league.api.auth.tokens import checking_secret
from league.api.server.serving import serve as run_server
from league.application.bootstrap import SERVER_TIMEOUT, open_league
from league.cli.opening import settings
from league.cli.stopping import exit_when_stopped
from league.console.site import create_site


def serve(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(help="Processes that answer requests.", min=1)] = 1,
    ai_processes: Annotated[int, typer.Option(help="Processes that play for AIs at live tables.", min=0)] = 1,
) -> None:
    """Serve the pages of the league and its GraphQL API.

    With the embedded database the same process also does the work of `league project` and `league worker`. With a
    server they must run beside it. Ctrl-C ends it.

    With several workers, a process that dies is started again.
    """
    given = settings()
    exit_when_stopped()
    with open_league(given, patience=SERVER_TIMEOUT) as league:
        checking_secret(given)
        run_server(create_site, league, given, host, port, workers, ai_processes)
