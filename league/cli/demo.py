"""`league demo` shows a league from a recorded season, step by step. `league simulate` lets levels of the AI play."""

import time
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, NamedTuple, get_args

import typer
from sqlalchemy import Connection, text

from league.ai.matches import LevelContest, play_deal, tally
from league.application import candidates, replay_requests
from league.application.ai_matches import AiSimulation, play_match, prepare, store_match
from league.application.bootstrap import CannotListen, clock, open_league
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.board import print_board
from league.cli.difference import DifferenceOutput, print_difference
from league.cli.entry import CliPart
from league.cli.explain import print_explanation
from league.cli.importing import print_report
from league.cli.opening import existing_league, fold, settings
from league.cli.processes import exit_when_stopped
from league.cli.settings import read_rules
from league.cli.terminal import Actor, Json
from league.domain.play import Level
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput
from league.domain.rulebook import parse_rulebook
from league.domain.rules import Mode, Rulebook, Ruleset
from league.domain.seating import SEATS
from league.domain.sentences import say
from league.eventlog.records import AppendRequest
from league.explanations.rating_changes import explain_change
from league.features import declared
from league.infra.database import engine
from league.infra.league_version import shipped
from league.infra.processes import cores, spread
from league.projections.boards.board import BoardKey
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.projections.replays.replay import ReplayPeriod, edition_to_revise, same_replay
from league.rulebook import shipped_edition
from league.transfer.recorded_season import import_season
from league.wording.language import spoken

HOST = "127.0.0.1"
PLACES = 8
SEASON = "examples/cuban-2026"
RULES = "examples/revisions/cuban-ratings.toml"
WHY = say("Newcomers climb fast, and a capicúa is rare.")
"""Why the demo proposes other rules, for everybody to read."""


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
        _step(say("1. A recorded season goes into the log"))
        with terminal.progress(say("checking lines")) as progress:
            report = import_season(season, league.store, league.dispatcher.clock, "demo", progress=progress)
        print_report(report, dry_run=False, as_json=False)
        _step(say("2. The log is folded into ratings"))
        with terminal.progress(say("projecting events")) as progress:
            league.project(progress)
        pool = engine(league.database.url)
        stack.callback(pool.dispose)
        conn = stack.enter_context(pool.connect())
        run = chosen_run(conn, None)
        for board in (BoardKey("global"), BoardKey("teams")):
            print_board(snapshot_of(conn, run), board, None, PLACES, as_json=False)
        _step(say("3. One rating change, explained to the last term"))
        snapshot = snapshot_of(conn, run)
        print_explanation(snapshot, explain_change(snapshot, *_telling_change(conn, run)))
        conn.rollback()
        for place in (part.demo for part in declared(CliPart) if part.demo is not None):
            terminal.out.print()
            resolve_name(f"league.{place}")(league)
        _step(say("5. That season under the rules of {name}", name=rules.name))
        url = league.database.url
        candidate = parse_rulebook(read_rules(rules), edition_to_revise(url))
        conn.rollback()
        revised = same_replay(url, league.store, candidate, ReplayPeriod(), None)  # from an earlier demo
        if revised is None:
            revised = fold(league, replay_requests.ReplaySpec(candidate), "demo")
            candidates.show(league, revised, spoken(WHY), AppendRequest("demo", "manual"))
        print_difference(conn, chosen_run(conn, run), chosen_run(conn, revised, drafts=True), DifferenceOutput())
        conn.close()
        terminal.out.print(say("[dim]All of this took {monotonic:.1f} s.[/]", monotonic=time.monotonic() - started))
        if serve:
            from league.api.server.serving import serve as run_server  # noqa: PLC0415  # takes a second to import
            from league.console.site import create_site  # noqa: PLC0415

            exit_when_stopped()
            run_server(create_site, league, given, HOST, port)


def _check_port(port: int) -> None:
    """Raise CannotListen if the port is taken, so that nobody learns it only at the end of the demo."""
    from league.api.server.serving import listen  # noqa: PLC0415  # takes a second to import

    try:
        with listen(HOST, port):
            return
    except CannotListen as error:
        other = f'make demo ARGS="--port {port + 1}"'
        raise CannotListen(say("{reason}; with make: {command}", reason=error, command=other)) from None


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


LEVELS: tuple[Level, ...] = get_args(Level)


# ---------------------------------------------------------------- league simulate


class SimulationSetup(NamedTuple):
    """The options that decide who plays, and which hands."""

    levels: tuple[Level, ...]
    """The levels, one for each side."""
    seed: int
    samples: int | None


def simulate(
    ruleset: Annotated[str, typer.Option(metavar="NAME", help="The ruleset (`league rules show`).")] = "cuban-150",
    mode: Annotated[str, typer.Option(metavar="MODE", help="1v1, 2v2 or individuals.")] = "2v2",
    levels: Annotated[
        str, typer.Option(metavar="LEVEL,LEVEL", help="A level for each side: random, heuristic or inference.")
    ] = "inference,heuristic",
    hands: Annotated[
        int, typer.Option(help="How many hands to play; a match that has begun is played to its end.", min=1)
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Decides every deal and every choice.")] = 1,
    store: Annotated[
        bool, typer.Option("--store/--no-store", help="Play matches into the league, or only compare levels.")
    ] = True,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="Play each deal again with the sides exchanged; needs --no-store.")
    ] = False,
    samples: Annotated[
        int | None, typer.Option(help="Deals that `inference` imagines for a play (default: its own choice).", min=1)
    ] = None,
    processes: Annotated[int | None, typer.Option(help="Processes (default: one for each core).", min=1)] = None,
    as_json: Json = False,
    actor: Actor = "simulate",
) -> None:
    """Let the levels of the AI play each other.

    With --no-store single hands are played, and the levels compared. Otherwise whole matches are played and stored,
    with every turn; this needs a league without people. A seed always gives the same hands.

    The interval that --no-store prints is a normal approximation: with fewer than some 30 deals it means nothing, and
    may reach below 0 % or above 100 %.
    """
    chosen = SimulationSetup(tuple(_level_of(name.strip()) for name in levels.split(",")), seed, samples)
    workers = processes or cores()
    if store:
        if mirrored:
            raise InvalidInput("mirrored", say("compares levels by single hands, so it needs --no-store"))
        _fill(ruleset, mode, chosen, hands, workers, actor, as_json=as_json)
        return
    rules, played_as = _ruleset_of(shipped_edition(), ruleset, mode)
    _seats_of(played_as, len(chosen.levels))
    contest = LevelContest(rules, played_as, chosen.levels, mirrored, seed, samples)
    _compare(contest, hands, workers, as_json=as_json)


def _compare(contest: LevelContest, hands: int, processes: int, *, as_json: bool) -> None:
    """Play single hands, and print how each level did."""
    if hands % contest.hands_a_deal:
        raise InvalidInput(
            "hands",
            say(
                "each deal is played {hands_a_deal} times, so name a multiple of that",
                hands_a_deal=contest.hands_a_deal,
            ),
        )
    deals = hands // contest.hands_a_deal
    results = []
    with (
        terminal.progress(say("playing hands")) as progress,
        closing(spread(partial(play_deal, contest), range(deals), processes)) as all_,
    ):
        for result in all_:
            results.append(result)
            progress(len(results) * contest.hands_a_deal, hands)
    found = tally(contest, results)
    if as_json:
        terminal.print_json(found._asdict())
        return
    rows = list(zip(contest.levels, found.won, found.points, strict=True))
    terminal.table(say("{hands} hands", hands=found.hands), ("level", "won", "points"), rows, numbers=("won", "points"))
    if found.interval is not None:
        low, high = found.interval
        share = say(
            "{levels} wins {low:.1%} to {high:.1%} of the hands that a side wins",
            levels=contest.levels[0],
            low=low,
            high=high,
        )
        terminal.out.print(say("{share} (95 % interval over {deals} deals).", share=share, deals=deals), soft_wrap=True)


def _fill(
    ruleset: str, mode: str, chosen: SimulationSetup, hands: int, processes: int, actor: str, *, as_json: bool
) -> None:
    """Play matches, and store them in the league, until at least `hands` hands are played."""
    with existing_league() as league:
        rulebook = StreamStates(league.store, clock()).rulebook().at(clock())
        rules, played_as = _ruleset_of(rulebook, ruleset, mode)
        seats = _seats_of(played_as, len(chosen.levels))
        first = prepare(league.store, league.dispatcher, chosen.levels, actor)
        pairing = AiSimulation(ruleset, rules, played_as, chosen.levels, seats, chosen.seed, first, chosen.samples)
        matches = played = 0
        with (
            terminal.progress(say("playing matches")) as progress,
            closing(spread(partial(play_match, pairing), count(), processes)) as all_matches,
        ):
            for match in all_matches:
                store_match(league.dispatcher, pairing, match, actor)
                matches, played = matches + 1, played + len(match.hands)
                progress(min(played, hands), hands)
                if played >= hands:
                    break
        with terminal.progress(say("projecting events")) as progress:
            league.project(progress)
    if as_json:
        terminal.print_json({"matches": matches, "hands": played})
        return
    terminal.out.print(say("Played and stored {matches} matches with {played} hands.", matches=matches, played=played))


def _ruleset_of(rulebook: Rulebook, name: str, mode: str) -> tuple[Ruleset, Mode]:
    """The ruleset of this name, and the mode, if the ruleset has it. Raises InvalidInput."""
    ruleset = rulebook.ruleset(name)
    if ruleset is None:
        raise InvalidInput(
            "ruleset",
            say("there is no ruleset {name!r}; {there_are}", name=name, there_are=there_are(name, rulebook.rulesets)),
        )
    for known in ruleset.modes:
        if known == mode:
            return ruleset, known
    others = [other for other, rules in rulebook.rulesets.items() if mode in rules.modes]
    reason = say("{name} is played as {modes}; there is no mode {mode!r}")
    if others:
        reason = say("{name} is played as {modes}; {mode} is a mode of {others}")
    modes = ", ".join(ruleset.modes)
    raise InvalidInput("mode", say(reason, name=name, modes=modes, mode=mode, others=", ".join(others)))


def _level_of(name: str) -> Level:
    """A level of the AI, as `--levels` names it. Raises InvalidInput."""
    for level in LEVELS:
        if level == name:
            return level
    raise InvalidInput(
        "levels", say("there is no level {name!r}; {there_are}", name=name, there_are=there_are(name, LEVELS))
    )


def _seats_of(mode: Mode, sides: int) -> int:
    """The number of seats for this number of sides. Raises InvalidInput."""
    seats = sides * 2 if mode == "2v2" else sides
    if seats not in SEATS[mode]:
        wanted = " or ".join(str(count // 2 if mode == "2v2" else count) for count in SEATS[mode])
        raise InvalidInput(
            "levels",
            say("{mode} has {wanted} sides, each with a level, not {sides}", mode=mode, wanted=wanted, sides=sides),
        )
    return seats
