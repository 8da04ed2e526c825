"""`league replay`: folds the league again under other rules, beside the official run."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection

from league.application.bootstrap import clock
from league.application.replay_requests import Asked
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.difference import Wanted, print_difference
from league.cli.folding import fold
from league.cli.opening import existing_league, in_utc, reading
from league.cli.options import TIMES, Actor, Json, moment
from league.cli.rules import read_rules
from league.domain.refusals import InvalidInput
from league.domain.rulebook import parse_rulebook
from league.domain.sentences import say
from league.projections.difference.ratings import predictions
from league.projections.difference.two_runs import two_runs
from league.projections.queries.snapshot import chosen_run
from league.projections.replays.replay import Period, edition_to_revise, period_of_season
from league.wording.language import _
from league.wording.verdicts import predictions_verdict


def replay(
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A rulebook in TOML; it may contain only what it changes.")
    ] = None,
    edition: Annotated[int | None, typer.Option(help="The number of a published edition, instead of a file.")] = None,
    season: Annotated[str | None, typer.Option(help="Apply the rules only to matches of this season.")] = None,
    from_: Annotated[
        datetime | None,
        typer.Option(
            "--from",
            parser=moment,
            metavar="TIME",
            help=f"Apply the rules only to matches that began at this time or later. {TIMES}",
        ),
    ] = None,
    to: Annotated[
        datetime | None,
        typer.Option(
            "--to",
            parser=moment,
            metavar="TIME",
            help="Apply the rules only to matches that began before this time.",
        ),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(
            "--known-at",
            parser=moment,
            metavar="TIME",
            help="Replay only what was recorded by then. Needs no rules.",
        ),
    ] = None,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Replay the league under other rules, and compare the result with the official run.

    The replay makes a run of its own; the official run stays as it is until `league promote`. Ctrl-C cancels it.
    """
    if season is not None and (from_ or to):
        raise InvalidInput("season", say("name a season or times, not both"))
    if rules is not None and edition is not None:
        raise InvalidInput("edition", say("give a file or the number of an edition, not both"))
    if rules is None and edition is None and (known_at is None or season or from_ or to):
        raise InvalidInput("rules", say("name the rules: a file (--rules) or a published edition (--edition)"))
    with existing_league() as league:
        league.project()
        url = league.database.url
        candidate = None if edition is None else StreamStates(league.store, clock()).rulebook().edition(edition)
        if rules is not None:
            candidate = parse_rulebook(read_rules(rules), edition_to_revise(url))
        period = period_of_season(url, season) if season else Period(in_utc(from_, league), in_utc(to, league))
        run = fold(league, Asked(candidate, period, in_utc(known_at, league)), actor)
        with reading(league) as conn:
            wanted = Wanted("json" if as_json else "table")
            official = chosen_run(conn, None)
            print_difference(conn, official, chosen_run(conn, run), wanted)
            if not as_json:
                _print_verdict(conn, official, run, promotable=known_at is None)


def _print_verdict(conn: Connection, official: int, run: int, *, promotable: bool) -> None:
    """What the replay comes to, and what can be done with it."""
    verdict = predictions_verdict(predictions(conn, two_runs(conn, official, run)))
    if verdict is not None:
        terminal.out.print(f"[bold]{verdict}[/]\n")
    terminal.out.print(_("Look at everything that differs: `{command}`", command=f"league difference {run}"))
    if promotable:
        terminal.out.print(_("Adopt these rules: `{command}`", command=f"league promote {run}"))
    terminal.out.print(_("Delete the run: `{command}`", command=f"league drop {run}"))
