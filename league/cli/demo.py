"""`league demo`: a recorded season becomes a league, before one's eyes."""

import time
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import Connection, text

from league.application import replay_requests
from league.application.bootstrap import clock, open_league
from league.cli import replays_command, terminal
from league.cli.board_command import show as show_board
from league.cli.difference_command import Asked
from league.cli.difference_command import show as show_difference
from league.cli.explained_pages import print_explanation
from league.cli.import_report import print_report
from league.domain.rulebook_document import parse_rulebook
from league.explanations.rating_changes import explain_change
from league.infra.database import engine
from league.infra.settings import Settings
from league.projections.boards.board import Board
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import snapshot_of
from league.projections.replays.replay import edition_to_revise
from league.transfer.recorded_season import import_season

PLACES = 8


def run_demo(settings: Settings, season: Path, rules: Path, *, port: int, serve: bool) -> None:
    """Import, project, show boards, explain a change, replay, and serve. Raises Refusal."""
    started = time.monotonic()
    with ExitStack() as stack:
        league = stack.enter_context(open_league(settings))
        if not league.exists():
            league.create("Liga de La Habana", "America/Havana", "demo")
        _step("1. A recorded season goes into the log")
        with terminal.progress("checking lines") as progress:
            report = import_season(season, league.store, clock, "demo", progress=progress)
        print_report(report, dry_run=False, as_json=False)
        _step("2. The log is folded into ratings")
        with terminal.progress("projecting events") as progress:
            league.project(progress)
        conn = stack.enter_context(engine(league.database.url).connect())
        run = chosen_run(conn, None)
        for board in (Board("global"), Board("teams")):
            show_board(snapshot_of(conn, run), board, None, PLACES, as_json=False)
        _step("3. One rating change, explained to the last term")
        snapshot = snapshot_of(conn, run)
        print_explanation(snapshot, explain_change(snapshot, *_telling_change(conn, run)))
        _step(f"4. The same season under the rules of {rules}")
        url = league.database.url
        candidate = parse_rulebook(rules.read_text(encoding="utf-8"), edition_to_revise(url))
        conn.rollback()
        revised = replays_command.fold(league, replay_requests.Asked(candidate), "demo")
        show_difference(conn, chosen_run(conn, run), chosen_run(conn, revised), Asked())
        conn.close()
        terminal.out.print(f"[dim]All of this took {time.monotonic() - started:.1f} s.[/]")
        if serve:
            from league.cli.serving import serve as serve_api  # noqa: PLC0415  # the API takes a second to import

            serve_api(league, settings, "127.0.0.1", port)


def _step(title: str) -> None:
    terminal.out.print()
    terminal.out.rule(f"[bold]{title}", align="left")


def _telling_change(conn: Connection, run: int) -> tuple[str, str]:
    """The change with the most terms to tell: what it was does not hang on which season is shown."""
    query = text(
        "SELECT match_id, id FROM changes WHERE run = :run AND subject = 'player'"
        " ORDER BY jsonb_array_length(modifier_terms) DESC, abs(after - before) DESC, match_id, id LIMIT 1"
    )
    row = conn.execute(query, {"run": run}).one()
    return row.match_id, row.id
