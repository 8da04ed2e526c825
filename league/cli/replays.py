"""`league replay`, `replays`, `drop`: replays of the league under other rules.

The run of a replay stands beside the official one until one of them is promoted or dropped.
"""

from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any

import typer

from league.application import replay_requests
from league.application.bootstrap import clock
from league.application.replay_requests import ReplaySpec
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.difference import DifferenceOutput, print_difference
from league.cli.opening import existing_league, fold, in_utc, reading, span_in_utc
from league.cli.settings import read_rules
from league.cli.terminal import TIMES, Actor, Json, RunArgument, local, moment, print_zone
from league.domain.candidates import NothingRevised
from league.domain.refusals import InvalidInput
from league.domain.rulebook import parse_rulebook
from league.domain.sentences import say
from league.eventlog.records import AppendRequest
from league.projections.queries.candidates import Revision, revisions
from league.projections.queries.catalogue import REPLAYS_LATEST_FIRST, state_of
from league.projections.queries.catalogue import replays as every_replay
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.projections.replays.replay import ReplayPeriod, edition_to_revise, period_of_season
from league.wording.candidates import title_of
from league.wording.language import spoken


def replay(
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A rulebook in TOML; it may contain only what it changes.")
    ] = None,
    edition: Annotated[int | None, typer.Option(help="The number of a published edition, instead of a file.")] = None,
    again: Annotated[
        int | None,
        typer.Option(metavar="REPLAY", help="Compute this replay again, on the rules and matches of today."),
    ] = None,
    season: Annotated[
        str | None, typer.Option(help="Apply the rules only to matches of this season (its name or id).")
    ] = None,
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
    if again is not None and any(given is not None for given in (rules, edition, season, from_, to, known_at)):
        raise InvalidInput("again", say("a replay is computed again as it was: give no other option"))
    if rules is None and edition is None and again is None and (known_at is None or season or from_ or to):
        raise InvalidInput("rules", say("name the rules: a file (--rules) or a published edition (--edition)"))
    with existing_league() as league:
        league.project()
        url = league.database.url
        published, in_force = StreamStates(league.store, clock()).rulebook(), None
        candidate = None if edition is None else published.with_rulesets_in_use(published.edition(edition))
        if rules is not None:
            in_force = published.with_rulesets_in_use(edition_to_revise(url))
            candidate = parse_rulebook(read_rules(rules), in_force)
        period = period_of_season(url, season) if season else ReplayPeriod(*span_in_utc(from_, to, league))
        asked = ReplaySpec(candidate, period, in_utc(known_at, league), completes=in_force)
        if again is not None:
            asked = replay_requests.spec_to_compute_again(league, again)
        try:
            run = fold(league, asked, actor)
        except NothingRevised as refusal:
            refusal.at = "rules" if rules is not None else "edition" if edition is not None else "again"
            raise
        with reading(league) as conn:
            wanted = DifferenceOutput("json" if as_json else "table")
            print_difference(conn, chosen_run(conn, None), chosen_run(conn, run, drafts=True), wanted)
            if not as_json:
                _print_next(run, promotable=asked.known_at is None)


def _print_next(run: int, *, promotable: bool) -> None:
    """Print what can be done with the replay."""
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
                every_replay(drafts=True).order_by(*(column.desc() for column in REPLAYS_LATEST_FIRST.columns))
            ).all()
            found = revisions(snapshot_of(conn, chosen_run(conn, None)), [row.replay for row in rows])
    titles = {row.replay: row.title or title_of(found.get(row.replay, Revision()), row.rules_title) for row in rows}
    if as_json:
        terminal.print_json([_document(row, titles[row.replay]) for row in rows])
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
                titles[row.replay] or say("as they hold"),
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


def _document(row: Any, title: str | None) -> dict[str, Any]:
    names = ("reason", "requested_by", "requested_at", "known_at", "done", "total", "failure")
    asked = {name: getattr(row, name) for name in (*names, "position")}
    outdated = bool(row.is_outdated)
    return {
        "run": row.replay,
        "title": title,
        "shown": row.shown_at is not None,
        **asked,
        "state": state_of(row),
        "from": row.starts_at,
        "to": row.ends_at,
        "outdated": outdated,
    }


def _state(row: Any) -> str:
    if row.failure is not None:
        return say("failed: {why}", why=row.failure)
    state = say("done, outdated") if row.is_outdated else _STATES[state_of(row)]
    return spoken(state if row.shown_at is None else say("{state}, shown to everybody", state=state))


def _span(row: Any, zone: tzinfo) -> str:
    span = say("at any time")
    if row.starts_at is not None or row.ends_at is not None:
        span = say("{start} to {end}", start=_minute(row.starts_at, zone), end=_minute(row.ends_at, zone))
    if row.known_at is None:
        return span
    return say("{span}, as known at {time}", span=span, time=_minute(row.known_at, zone))


def _minute(moment: datetime | None, zone: tzinfo) -> str:
    return "-" if moment is None else local(moment, zone)


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
