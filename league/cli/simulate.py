"""`league simulate`: lets the levels of the AI play, to compare them or to fill a league."""

from contextlib import closing
from functools import partial
from itertools import count
from typing import Annotated, NamedTuple, get_args

import typer

from league.ai.comparison import Contest, play_deal, tally
from league.application.ai_matches import Pairing, play_match, prepare, store_match
from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor, Json
from league.domain.play import Level
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput
from league.domain.rules import Mode, Rulebook, Ruleset
from league.domain.seating import SEATS
from league.domain.sentences import say
from league.infra.processes import cores, spread
from league.rulebook import shipped_edition
from league.wording.language import _

LEVELS: tuple[Level, ...] = get_args(Level)


class Chosen(NamedTuple):
    """Who plays."""

    levels: tuple[Level, ...]
    """One for each side."""
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
    with every turn; this needs a league without people. The same seed gives the same hands.

    The interval that --no-store prints is a normal approximation: with fewer than some 30 deals it means nothing, and
    may reach below 0 % or above 100 %.
    """
    chosen = Chosen(tuple(_level_of(name.strip()) for name in levels.split(",")), seed, samples)
    workers = processes or cores()
    if store:
        if mirrored:
            raise InvalidInput("mirrored", _("compares levels by single hands, so it needs --no-store"))
        _fill(ruleset, mode, chosen, hands, workers, actor, as_json=as_json)
        return
    rules, played_as = _ruleset_of(shipped_edition(), ruleset, mode)
    _seats_of(played_as, len(chosen.levels))
    contest = Contest(rules, played_as, chosen.levels, mirrored, seed, samples)
    _compare(contest, hands, workers, as_json=as_json)


def _compare(contest: Contest, hands: int, processes: int, *, as_json: bool) -> None:
    """Play single hands and print what they gave to each level."""
    if hands % contest.hands_a_deal:
        raise InvalidInput(
            "hands",
            _(
                "each deal is played {hands_a_deal} times, so name a multiple of that",
                hands_a_deal=contest.hands_a_deal,
            ),
        )
    deals = hands // contest.hands_a_deal
    results = []
    with (
        terminal.progress(_("playing hands")) as progress,
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
    terminal.table(_("{hands} hands", hands=found.hands), ("level", "won", "points"), rows, numbers=("won", "points"))
    if found.interval is not None:
        low, high = found.interval
        share = _(
            "{levels} wins {low:.1%} to {high:.1%} of the hands that a side wins",
            levels=contest.levels[0],
            low=low,
            high=high,
        )
        terminal.out.print(_("{share} (95 % interval over {deals} deals).", share=share, deals=deals), soft_wrap=True)


def _fill(ruleset: str, mode: str, chosen: Chosen, hands: int, processes: int, actor: str, *, as_json: bool) -> None:
    """Play matches into the league until so many hands are played."""
    with existing_league() as league:
        rulebook = StreamStates(league.store, clock()).rulebook().at(clock())
        rules, played_as = _ruleset_of(rulebook, ruleset, mode)
        seats = _seats_of(played_as, len(chosen.levels))
        first = prepare(league.store, league.dispatcher, chosen.levels, actor)
        pairing = Pairing(ruleset, rules, played_as, chosen.levels, seats, chosen.seed, first, chosen.samples)
        matches = played = 0
        with (
            terminal.progress(_("playing matches")) as progress,
            closing(spread(partial(play_match, pairing), count(), processes)) as all_matches,
        ):
            for match in all_matches:
                store_match(league.dispatcher, pairing, match, actor)
                matches, played = matches + 1, played + len(match.hands)
                progress(min(played, hands), hands)
                if played >= hands:
                    break
        with terminal.progress(_("projecting events")) as progress:
            league.project(progress)
    if as_json:
        terminal.print_json({"matches": matches, "hands": played})
        return
    terminal.out.print(_("Played and stored {matches} matches with {played} hands.", matches=matches, played=played))


def _ruleset_of(rulebook: Rulebook, name: str, mode: str) -> tuple[Ruleset, Mode]:
    """A ruleset and one of its modes. Raises InvalidInput."""
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
    raise InvalidInput("mode", _(reason, name=name, modes=modes, mode=mode, others=", ".join(others)))


def _level_of(name: str) -> Level:
    """A level of the AI, as `--levels` names it. Raises InvalidInput."""
    for level in LEVELS:
        if level == name:
            return level
    raise InvalidInput(
        "levels", say("there is no level {name!r}; {there_are}", name=name, there_are=there_are(name, LEVELS))
    )


def _seats_of(mode: Mode, sides: int) -> int:
    """How many seats so many sides take. Raises InvalidInput."""
    seats = sides * 2 if mode == "2v2" else sides
    if seats not in SEATS[mode]:
        wanted = " or ".join(str(count // 2 if mode == "2v2" else count) for count in SEATS[mode])
        raise InvalidInput(
            "levels",
            _("{mode} has {wanted} sides, each with a level, not {sides}", mode=mode, wanted=wanted, sides=sides),
        )
    return seats
