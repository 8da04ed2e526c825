"""`league demo`: turns a recorded season into a league, step by step."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection, text

from league.application import replay_requests
from league.application.bootstrap import CannotListen, open_league
from league.cli import terminal
from league.cli.board import print_board
from league.cli.difference import Wanted, print_difference
from league.cli.explained_pages import print_explanation
from league.cli.folding import fold
from league.cli.importing import print_report
from league.cli.opening import settings
from league.cli.rules import read_rules
from league.cli.stopping import exit_when_stopped
from league.domain.rulebook import parse_rulebook
from league.explanations.rating_changes import explain_change
from league.features import declared
from league.infra.database import engine
from league.infra.league_version import shipped
from league.projections.boards.board import Board
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.projections.replays.replay import Period, edition_to_revise, same_replay
from league.transfer.recorded_season import import_season
from league.wording.language import _

HOST = "127.0.0.1"
PLACES = 8
SEASON = "examples/cuban-2026"
RULES = "examples/revisions/cuban-ratings.toml"


def demo(
    season: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A recorded season (default: the one that is installed).")
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The rules to replay it under (default: as above).")
    ] = None,
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the API at the end.")] = True,
    port: Annotated[int, typer.Option(help="The port to listen on.", min=0, max=65535)] = 8000,
) -> None:
    """Import a recorded season, show the league it makes, and serve it.

    The steps are an import, two boards, one rating change explained, the first round of a tournament, and a replay
    under other rules. The league is kept in ./league-data unless LEAGUE_DATA_DIR or LEAGUE_DATABASE_URL say otherwise.
    """
    given, season, rules = settings(), season or shipped(SEASON), rules or shipped(RULES)
    started = time.monotonic()
    if serve:
        _check_port(port)
    with ExitStack() as stack:
        league = stack.enter_context(open_league(given, prepare=True))
        if not league.exists():
            league.create("Liga de La Habana", "America/Havana", "demo")
        _step(_("1. A recorded season goes into the log"))
        with terminal.progress(_("checking lines")) as progress:
            report = import_season(season, league.store, league.dispatcher.clock, "demo", progress=progress)
        print_report(report, dry_run=False, as_json=False)
        _step(_("2. The log is folded into ratings"))
        with terminal.progress(_("projecting events")) as progress:
            league.project(progress)
        pool = engine(league.database.url)
        stack.callback(pool.dispose)
        conn = stack.enter_context(pool.connect())
        run = chosen_run(conn, None)
        for board in (Board("global"), Board("teams")):
            print_board(snapshot_of(conn, run), board, None, PLACES, as_json=False)
        _step(_("3. One rating change, explained to the last term"))
        snapshot = snapshot_of(conn, run)
        print_explanation(snapshot, explain_change(snapshot, *_telling_change(conn, run)))
        conn.rollback()
        for show in declared("demo"):
            terminal.out.print()
            show(league)
        _step(_("5. The same season under the rules of {name}", name=rules.name))
        url = league.database.url
        candidate = parse_rulebook(read_rules(rules), edition_to_revise(url))
        conn.rollback()
        revised = same_replay(url, league.store, candidate, Period(), None)  # of an earlier demo
        if revised is None:
            revised = fold(league, replay_requests.Asked(candidate), "demo")
        print_difference(conn, chosen_run(conn, run), chosen_run(conn, revised), Wanted())
        conn.close()
        terminal.out.print(_("[dim]All of this took {monotonic:.1f} s.[/]", monotonic=time.monotonic() - started))
        if serve:
            from league.api.server.serving import serve as run_server  # noqa: PLC0415  # takes a second to import
            from league.console.site import create_site  # noqa: PLC0415

            exit_when_stopped()
            run_server(create_site, league, given, HOST, port)


def _check_port(port: int) -> None:
    """Raise CannotListen where the port is taken: nobody should learn that only after the whole demo."""
    from league.api.server.serving import listen  # noqa: PLC0415  # takes a second to import

    try:
        with listen(HOST, port):
            return
    except CannotListen as error:
        other = f'make demo ARGS="--port {port + 1}"'
        raise CannotListen(_("{reason}; with make: {command}", reason=error, command=other)) from None


def _step(title: str) -> None:
    terminal.out.print()
    terminal.out.rule(f"[bold]{title}", align="left")


def _telling_change(conn: Connection, run: int) -> tuple[str, str]:
    """The rating change with the most terms of any season."""
    query = text(
        "SELECT match_id, id FROM changes WHERE run = :run AND subject = 'player'"
        " ORDER BY jsonb_array_length(modifier_terms) DESC, abs(after - before) DESC, match_id, id LIMIT 1"
    )
    row = conn.execute(query, {"run": run}).one()
    return row.match_id, row.id
