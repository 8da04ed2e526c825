"""`league tune`: fits the rules of ratings to the history of the league, and says whether that helps."""

import os
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import typer

from league.application.bootstrap import clock
from league.cli import terminal
from league.cli.board import Html, Png, ShareFiles
from league.cli.opening import existing_league, reading_run
from league.cli.terminal import Json
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.verdict import FittedRules
from league.infra.database import connect
from league.lab.columns import MatchColumns
from league.lab.ranges import as_toml, check_ranges, parse_range, usual_ranges, with_values
from league.lab.trial import NoMatches, psycopg_of
from league.projections.difference.verdict import store_fitted
from league.projections.queries.catalogue import settings
from league.projections.queries.snapshot import NO_RUN
from league.projections.replays.replay import edition_to_revise
from league.projections.writers.catalogue import rules_of_run
from league.wording.numbers import date_of

HELD_OUT, CANDIDATES = 3, 400


def tune(
    range_: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="SETTING=A..B",
            help="Search this setting from A to B. Repeatable; without it each K, the cap and the terms of M.",
        ),
    ] = None,
    objective: Annotated[
        Literal["log-loss", "brier"], typer.Option(help="The loss of forecasts that is made as small as possible.")
    ] = "log-loss",
    held_out: Annotated[
        int, typer.Option(min=1, help="How many of the last months the search is judged on and does not see.")
    ] = HELD_OUT,
    drift: Annotated[
        float | None,
        typer.Option("--most-drift", min=0, help="The most points by which the mean rating may move."),
    ] = None,
    change: Annotated[
        float | None,
        typer.Option("--most-change", min=0, help="The most points a match may move a rating by."),
    ] = None,
    candidates: Annotated[int, typer.Option(min=1, help="Settings that each search tries.")] = CANDIDATES,
    seed: Annotated[int, typer.Option(min=0, help="A seed always gives the same result.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads that try settings (default: one for each core).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the settings that change as TOML, for a replay.")
    ] = None,
    html: Html = None,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Fit the rules of ratings to the history of the league, and say whether that helps.

    Settings are chosen on the months before each held-out one, and judged on it. A replay tries the settings. The
    league only notes which months the fit has read, so that no comparison on these months praises it. Ctrl-C ends the
    search with the best so far. Needs the extra `lab`.
    """
    try:
        from league.lab.cli.tuned_report import report  # noqa: PLC0415  # of the extra `lab`
        from league.lab.fitting import TuningRequest, fit  # noqa: PLC0415
        from league.lab.forecasts import TuningLimits  # noqa: PLC0415
    except ModuleNotFoundError:
        raise InvalidInput(
            "tune", say("to fit rules, install the extra: `pip install {package}`", package="'domino-league[lab]'")
        ) from None
    shared = ShareFiles(html, png)
    for option, file in (("out", out), ("html", html), ("png", png)):
        if file is not None and not file.parent.is_dir():  # said before the search, not after it
            raise InvalidInput(option, say("there is no folder {folder}", folder=file.parent))
    with reading_run(None, None) as (league, snapshot):
        base = edition_to_revise(league.database.url)
        searched = [parse_range(text, base) for text in range_ or ()] or usual_ranges(base)
        check_ranges(searched)
        if snapshot.run == NO_RUN:
            raise NoMatches(say("the league"), say("without a match"), say("there is no history to fit rules to"))
        conn, zone, row = psycopg_of(snapshot.conn), ZoneInfo(snapshot.zone), settings(snapshot)
        rules = rules_of_run(conn, snapshot.run)
        columns = MatchColumns().refreshed(conn, snapshot.run, rules)
    wanted = TuningRequest(
        ranges=searched,
        objective=objective,
        limits=TuningLimits(drift, change),
        held_out=held_out,
        candidates=candidates,
        seed=seed,
        workers=workers or os.cpu_count() or 1,
    )
    with terminal.progress(say("trying settings")) as progress:
        tuned = fit(columns, rules, base, zone, wanted, progress)
    document = as_toml(tuned.values, base)
    if document:
        with existing_league() as league, connect(league.database.url) as conn:
            store_fitted(conn, with_values(base, tuned.values), FittedRules(*tuned.read, tuned.verdict))
    foot = ("" if row is None else row.name, date_of(clock(), zone))
    report(tuned, document, out, shared, foot, as_json=as_json)
