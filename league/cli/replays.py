"""`league replay`, `replays`, `promote`, `rollback`, `drop`: replays of the league under other rules.

The run of a replay stands beside the official one until one of them is promoted or dropped.
"""

from collections.abc import Callable
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from sqlalchemy import Connection, func, select

from league.application import replay_requests
from league.application.bootstrap import League, clock
from league.application.replay_requests import ReplaySpec
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.difference import DifferenceOutput, print_difference
from league.cli.opening import existing_league, fold, in_utc, reading
from league.cli.preview_tables import shown_rating, signed_change
from league.cli.settings import read_rules
from league.cli.terminal import TIMES, Actor, Json, OnlyPreview, RunArgument, Yes, local, moment, print_zone
from league.domain.refusals import InvalidInput
from league.domain.rulebook import parse_rulebook
from league.domain.sentences import say, say_count
from league.eventlog.records import AppendRequest
from league.projections.difference.places import standings
from league.projections.difference.ratings import predictions
from league.projections.difference.totals import DifferenceFigures, totals
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.queries import catalogue
from league.projections.queries.catalogue import REPLAYS_LATEST_FIRST, state_of
from league.projections.queries.catalogue import replays as every_replay
from league.projections.queries.players import names_of
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.projections.replays.replay import ReplayPeriod, edition_to_revise, period_of_season
from league.transfer.export import PartOfList, rows_of_difference
from league.wording.language import spoken
from league.wording.numbers import number
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
        period = period_of_season(url, season) if season else ReplayPeriod(in_utc(from_, league), in_utc(to, league))
        run = fold(league, ReplaySpec(candidate, period, in_utc(known_at, league)), actor)
        with reading(league) as conn:
            wanted = DifferenceOutput("json" if as_json else "table")
            official = chosen_run(conn, None)
            print_difference(conn, official, chosen_run(conn, run), wanted)
            if not as_json:
                _print_verdict(conn, official, run, promotable=known_at is None)


def _print_verdict(conn: Connection, official: int, run: int, *, promotable: bool) -> None:
    """Print the verdict on the predictions, and what can be done with the replay."""
    verdict = predictions_verdict(predictions(conn, two_runs(conn, official, run)))
    if verdict is not None:
        terminal.out.print(f"[bold]{spoken(verdict)}[/]\n")
    terminal.out.print(say("Look at everything that differs: `{command}`", command=f"league difference {run}"))
    if promotable:
        terminal.out.print(say("Adopt these rules: `{command}`", command=f"league promote {run}"))
    terminal.out.print(say("Delete the run: `{command}`", command=f"league drop {run}"))


def replays(as_json: Json = False) -> None:
    """List the replays.

    A replay has a number, which is also the number of its run, a state, its rules, and the span of play time that the
    rules revise. `league difference`, `league promote` and `league drop` take the number.
    """
    with existing_league() as league:
        league.project()
        zone = league.time_zone()
        with reading(league) as conn:
            rows = conn.execute(
                every_replay().order_by(*(column.desc() for column in REPLAYS_LATEST_FIRST.columns))
            ).all()
    if as_json:
        terminal.print_json([_document(row) for row in rows])
        return
    if not rows:
        terminal.out.print(
            say("There are no replays yet: `{command}` makes one.", command="league replay --rules FILE")
        )
        return
    run = say("run")
    terminal.table(
        say("Replays"),
        (run, say("state"), say("rules"), say("for matches that began"), say("asked")),
        [
            (
                row.replay,
                _state(row),
                say(row.title) if row.title else say("as they hold"),
                _span(row, zone),
                local(row.requested_at, zone),
            )
            for row in rows
        ],
        numbers=(run,),
    )
    if any(row.is_outdated for row in rows):
        said = say(
            "Outdated: the rules or the program changed since. Replay the rules again (`{command}`) and promote that.",
            command="league replay --rules FILE",
        )
        terminal.out.print(f"[dim]{spoken(said)}[/]")
    print_zone(zone)


_STATES = {
    "waiting": say("waiting"),
    "running": say("running"),
    "done": say("done"),
    "promoted": say("promoted"),
    "failed": say("failed"),
    "cancelled": say("cancelled"),
    "dropped": say("dropped"),
}
"""The states of a replay in words."""


def _document(row: Any) -> dict[str, Any]:
    names = ("title", "requested_by", "requested_at", "known_at", "done", "total", "failure")
    asked = {name: getattr(row, name) for name in (*names, "position")}
    outdated = bool(row.is_outdated)
    return {
        "run": row.replay,
        **asked,
        "state": state_of(row),
        "from": row.starts_at,
        "to": row.ends_at,
        "outdated": outdated,
    }


def _state(row: Any) -> str:
    if row.failure is not None:
        return say("failed: {why}", why=row.failure)
    return say("done, outdated") if row.is_outdated else spoken(_STATES[state_of(row)])


def _span(row: Any, zone: tzinfo) -> str:
    span = say("at any time")
    if row.starts_at is not None or row.ends_at is not None:
        span = say("{start} to {end}", start=_minute(row.starts_at, zone), end=_minute(row.ends_at, zone))
    if row.known_at is None:
        return span
    return say("{span}, as known at {time}", span=span, time=_minute(row.known_at, zone))


def _minute(moment: datetime | None, zone: tzinfo) -> str:
    return "-" if moment is None else local(moment, zone)


MOVES = 10
"""How many of the largest moves are printed."""

Month = tuple[str, str, int]
"""A month of the series, its mode, and the number of standings that change."""


def show_and_adopt(
    league: League, run: int, adopt: Callable[[], int], *, ask: bool, only_preview: bool, as_json: bool
) -> None:
    """Print what would change with `run` as the official run, ask, and adopt it. `adopt` returns the log position."""
    league.promoter.bring_up(run)
    with reading(league) as conn, terminal.working(say("comparing the two runs")):
        two = two_runs(conn, chosen_run(conn, None), run)
        found, months = totals(conn, two), _months(conn, two)
        if not as_json:
            _print_change(conn, two, found, months)
    if only_preview:
        if as_json:
            terminal.print_json({"run": run, "before": two.first, "change": _change_document(found, months)})
        return
    with terminal.nothing_stored():
        if ask and not terminal.confirmed(say("Make run {run} official?", run=run)):
            terminal.err.print(say("Nothing is stored."))
            return
    position = adopt()
    with reading(league) as conn:
        _print_adopted(conn, two.first, position, _change_document(found, months), as_json=as_json)


def _months(conn: Connection, two: TwoRuns) -> list[Month]:
    """The months whose standings differ."""
    s = standings(two).subquery().c
    query = select(s.month, s.mode, func.count()).group_by(s.month, s.mode).order_by(s.month, s.mode)
    return [(month, mode, count) for month, mode, count in conn.execute(query)]


# ---------------------------------------------------------------- for people


def _print_change(conn: Connection, two: TwoRuns, found: DifferenceFigures, months: list[Month]) -> None:
    out = terminal.out
    out.print(say("Run {run} in place of run {before}:", run=two.second, before=two.first), style="bold")
    if not found.players_moved and not found.teams_moved and not found.matches_changed and not months:
        out.print(say("  No rating, result or standing changes."))
        return
    players = say_count("{count} player", "{count} players", found.players_moved)
    teams = say_count("{count} pair", "{count} pairs", found.teams_moved)
    moved = say(
        "  Ratings: {players} and {teams} move, by {most} points at most.",
        players=players,
        teams=teams,
        most=number(found.largest_move, 1),
    )
    out.print(moved)
    out.print(
        say_count("  Results: {count} match changes.", "  Results: {count} matches change.", found.matches_changed)
    )
    for month, mode, count in months:
        out.print(
            say_count(
                "  Series of {month}, {mode}: {count} standing changes.",
                "  Series of {month}, {mode}: {count} standings change.",
                count,
                month=month,
                mode=mode,
            )
        )
    rows = [
        row for row in rows_of_difference(conn, two, "moves", PartOfList(first=2 * MOVES)) if row["mode"] != "overall"
    ][:MOVES]
    names = names_of(conn, {row["id"] for row in rows})
    columns = (say("who"), say("mode"), say("before"), say("after"), say("change"))
    cells = [
        (
            names[row["id"]],
            row["mode"],
            shown_rating(row["before"]),
            shown_rating(row["after"]),
            signed_change(row["change"]),
        )
        for row in rows
    ]
    terminal.table(say("The largest moves"), columns, cells, numbers=columns[2:])


def _print_adopted(conn: Connection, before: int, position: int, change: dict[str, Any], *, as_json: bool) -> None:
    """Print the timeline of rules that was adopted at `position`. `before`: the run that was official until then."""
    snapshot = snapshot_of(conn, chosen_run(conn, None))
    spans = catalogue.timeline(snapshot)
    editions = catalogue.editions_by_hash(snapshot, [span.hash for span in spans])
    timeline: list[dict[str, Any]] = [
        {"start": span.start, "edition": editions[span.hash].edition, "title": editions[span.hash].title}
        for span in spans
    ]
    if as_json:
        adopted = {"run": snapshot.run, "before": before, "position": position, "timeline": timeline}
        terminal.print_json({**adopted, "change": change})
        return
    official = say(
        "Run {run} is official: its rules are adopted at position {position}.", run=snapshot.run, position=position
    )
    terminal.out.print(f"{spoken(official)}\n")
    terminal.table(
        say("The rules in force"),
        (say("for matches that began"), say("edition"), say("title")),
        [(_from(span["start"], ZoneInfo(snapshot.zone)), span["edition"], say(span["title"])) for span in timeline],
    )
    terminal.out.print(say("`league rollback` returns to the rules before (run {run}).", run=before))


def _from(start: datetime | None, zone: tzinfo) -> str:
    return say("from the beginning") if start is None else say("from {time}", time=local(start, zone))


# ---------------------------------------------------------------- for scripts


def _change_document(found: DifferenceFigures, months: list[Month]) -> dict[str, Any]:
    names = ("players_moved", "teams_moved", "largest_move", "matches_changed", "hands_changed", "standings_changed")
    figures = {name: getattr(found, name) for name in names}
    return {**figures, "months": [{"month": month, "mode": mode, "standings": count} for month, mode, count in months]}


def promote(
    run: RunArgument, preview: OnlyPreview = False, yes: Yes = False, as_json: Json = False, actor: Actor = "cli"
) -> None:
    """Make the run of a replay official, and adopt its rules.

    The command prints what will change and asks for confirmation first. Both happen in one transaction: readers see
    either the old run or the new one. `league rollback` undoes it.
    """
    with existing_league() as league:
        league.project()
        league.promoter.check_promotion(run)
        adopt = partial(league.promoter.promote, run, AppendRequest(actor, "manual"))
        show_and_adopt(league, run, adopt, ask=not yes, only_preview=preview, as_json=as_json)


def rollback(preview: OnlyPreview = False, yes: Yes = False, as_json: Json = False, actor: Actor = "cli") -> None:
    """Return to the run and the rules before the last adoption.

    The command prints what will change and asks for confirmation first. A second rollback returns to the rules that the
    first one left.
    """
    with existing_league() as league:
        league.project()
        run = league.promoter.run_before()
        adopt = partial(league.promoter.roll_back, AppendRequest(actor, "manual"))
        show_and_adopt(league, run, adopt, ask=not yes, only_preview=preview, as_json=as_json)


def drop(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Delete the run of a replay.

    The official run and the run that a rollback would return to cannot be deleted.
    """
    with existing_league() as league:
        gone = replay_requests.drop(league, run, AppendRequest(actor, "manual"))
    if as_json:
        terminal.print_json({"run": run, "gone": gone})
    else:
        left = "" if gone else say(" Another process still reads it; its rows are deleted when that process is done.")
        terminal.out.print(say("Run {run} is dropped.{left}", run=run, left=left))
