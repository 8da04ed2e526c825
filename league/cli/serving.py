"""`league serve` and `publish`: the pages of the league, from a server or as files for any web host.

With the embedded database `league serve` is the whole league.
"""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from league.api.auth.tokens import checking_secret
from league.api.server.serving import serve as run_server
from league.application.bootstrap import SERVER_TIMEOUT, open_league
from league.application.jobs import Jobs
from league.cli import terminal
from league.cli.opening import existing_league, settings
from league.cli.processes import exit_when_stopped
from league.cli.terminal import Json
from league.console.publishing import new_copy
from league.console.publishing import publish as copy_pages
from league.console.site import create_copied_site, create_site
from league.domain.sentences import say, say_count
from league.infra.photo_store import photo_place


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


def publish(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write; a copy in it is replaced.")],
    as_json: Json = False,
) -> None:
    """Write the public pages as files that any web host serves.

    The folder has the boards, players, matches, series and badges in every language, the signed heads, the proofs of
    matches, and the page that checks them in the browser. It needs no server of the league. The proof of a match says
    who recorded it.

    An erasure does not reach copies: publish again after one, and delete what was copied elsewhere.
    """
    given = replace(settings(), log_level="warning")  # a line for each page would hide the progress
    with existing_league() as league, new_copy(folder) as made:
        with terminal.progress(say("projecting events")) as progress:
            league.project(progress)
        site = create_copied_site(league, given, Jobs(league.database.url, None, photo_place(given)))
        with terminal.progress(say("writing pages")) as progress:
            copied = asyncio.run(copy_pages(site, made, given.language, progress))
    if as_json:
        terminal.print_json({"folder": str(folder), "pages": copied.pages, "proofs": copied.proofs})
        return
    pages = say_count("{count} page", "{count} pages", copied.pages)
    proofs = say_count("{count} proof", "{count} proofs", copied.proofs)
    terminal.out.print(
        say("Written to {folder}: {pages} and {proofs}.", folder=folder, pages=pages, proofs=proofs), markup=False
    )
    terminal.out.print(say("An erasure does not reach copies of these pages: publish again after one."), markup=False)
