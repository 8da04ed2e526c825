"""The processes of a league, tokens and the demo."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from league.application.bootstrap import open_league
from league.application.following import follow
from league.application.jobs import Jobs, broker_for
from league.cli import terminal
from league.cli.app import Actor, app, existing_league, settings
from league.infra.database import migrate as run_migrations
from league.infra.database import open_database, wait_until_reachable
from league.infra.kept_secrets import secret_of
from league.infra.logs import configure_logs

PANEL = "Processes"


@app.command(rich_help_panel=PANEL)
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=0, max=65535)] = 8000,
) -> None:
    """Serve the GraphQL API; with the embedded database also project and run jobs."""
    from league.api.auth.tokens import checking_secret  # noqa: PLC0415  # the API takes a second to import
    from league.cli.serving import serve as run_server  # noqa: PLC0415  # the other commands start without the API

    given = settings()
    checking_secret(given)
    with open_league(given) as league:
        if league.database.embedded and not league.exists():
            league.create("Domino league", "UTC", "cli")
        run_server(league, given, host, port)


@app.command(rich_help_panel=PANEL)
def project(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Project the whole log again, then stop.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Stop when the log is projected.")] = False,
) -> None:
    """Follow the log and keep the read tables up to date."""
    given = settings()
    with open_league(given) as league:
        if rebuild or once:
            with terminal.progress("projecting events") as progress:
                league.project(progress, rebuild=rebuild)
            return
        configure_logs(given.log_level)
        with _stop_on_signal() as stop:
            follow(league, stop)


@app.command(rich_help_panel=PANEL)
def worker() -> None:
    """Run the replays that are queued as jobs."""
    given = settings()
    configure_logs(given.log_level)
    with open_league(given) as league, _stop_on_signal() as stop:
        Jobs(league.database.url, broker_for(given.broker_url)).work(stop)


@app.command(rich_help_panel=PANEL)
def migrate() -> None:
    """Migrate the database to the newest version."""
    with open_database(settings()) as database:
        wait_until_reachable(database.url, timeout=30)
        run_migrations(database.url)
    terminal.out.print("The database is up to date.")


@contextmanager
def _stop_on_signal() -> Iterator[Any]:
    """A function that says whether the process was asked to end."""
    asked = False

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, ask)
    yield lambda: asked


class Role(StrEnum):
    """What a token allows; see the table in the README."""

    PLAYER = "player"
    SCOREKEEPER = "scorekeeper"
    ADMIN = "admin"
    AUDITOR = "auditor"


@app.command(rich_help_panel=PANEL)
def token(
    sub: Annotated[str, typer.Argument(help="Who it is for: a player's id, or any name.")],
    role: Annotated[list[Role], typer.Option(help="A role; may be repeated.")],
    hours: Annotated[float, typer.Option(help="How many hours it is valid.", min=0.01)] = 24.0,
    actor: Actor = "cli",
) -> None:
    """Make a bearer token for development, signed with LEAGUE_SECRET (or the league's own development secret)."""
    from league.cli import token_command  # noqa: PLC0415  # the API takes a second to import

    secret = secret_of(settings())
    with existing_league() as league:
        made = token_command.make(league, secret, sub, [r.value for r in role], hours * 3600, actor)
    print(made)  # noqa: T201  # for scripts, as it is


@app.command(rich_help_panel=PANEL)
def demo(
    season: Annotated[Path, typer.Option(help="The recorded season.")] = Path("examples/cuban-2026"),
    rules: Annotated[Path, typer.Option(help="The revision to replay.")] = Path(
        "examples/revisions/cuban-ratings.toml"
    ),
    serve_: Annotated[bool, typer.Option("--serve/--no-serve", help="Keep the API up at the end.")] = True,
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8000,
) -> None:
    """Show it all: a season becomes a league, one change is explained, the season is replayed."""
    from league.cli.demo import run_demo  # noqa: PLC0415  # the API takes a second to import

    run_demo(settings(), season, rules, port=port, serve=serve_)
