"""The options of commands that play: the ruleset, the mode and the levels of the AI, as they are entered."""

from typing import Annotated, get_args

import typer

from league.domain.nearest import there_are
from league.domain.play.seen import Level
from league.domain.refusals import InvalidInput
from league.domain.rules import Mode, Rulebook, Ruleset
from league.domain.seating import SEATS
from league.domain.sentences import say
from league.wording.language import _

LEVELS: tuple[Level, ...] = get_args(Level)

RulesetName = Annotated[str, typer.Option("--ruleset", metavar="NAME", help="The ruleset (`league rules show`).")]
ModeName = Annotated[str, typer.Option("--mode", metavar="MODE", help="1v1, 2v2 or individuals.")]


def ruleset_of(rulebook: Rulebook, name: str, mode: str) -> tuple[Ruleset, Mode]:
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


def level_of(name: str, option: str = "level") -> Level:
    """A level of the AI, as an option names it. Raises InvalidInput."""
    for level in LEVELS:
        if level == name:
            return level
    raise InvalidInput(
        option, say("there is no level {name!r}; {there_are}", name=name, there_are=there_are(name, LEVELS))
    )


def seats_of(mode: Mode, sides: int) -> int:
    """How many seats so many sides take. Raises InvalidInput."""
    seats = sides * 2 if mode == "2v2" else sides
    if seats not in SEATS[mode]:
        wanted = " or ".join(str(count // 2 if mode == "2v2" else count) for count in SEATS[mode])
        raise InvalidInput(
            "levels",
            _("{mode} has {wanted} sides, each with a level, not {sides}", mode=mode, wanted=wanted, sides=sides),
        )
    return seats
