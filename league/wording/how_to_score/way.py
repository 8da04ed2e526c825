"""An entry of "How to score": when it applies, what it says, when it does not count, and an example."""

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import HAND_TERMS
from league.domain.rules import Ruleset
from league.domain.sentences import Sentence, joined
from league.wording.how_to_score.example import ExampleHand, ExamplePlay, example_of

Part = Literal["points", "game", "noted"]
"""`points`: a way to score. `game`: what else holds in the match. `noted`: a feat that gives no points."""


class Way(Struct, frozen=True, kw_only=True):
    """An entry for all rulesets. Each of its parts reads the settings of one."""

    key: str
    """The name of the term of a hand, if it has one. Controls of a hand name their explanation by it."""
    title: Sentence
    settings: tuple[str, ...]
    """The dotted keys of a ruleset that it tells."""
    applies: Callable[[Ruleset], bool] = lambda _: True
    tells: Callable[[Ruleset], Iterable[Sentence]]
    """What it is, in sentences."""
    voids: Callable[[Ruleset], Iterable[Sentence]] = lambda _: ()
    """When it does not count, a sentence each."""
    points: Callable[[Ruleset], tuple[int, ...]] = lambda _: ()
    """What it gives each time; for points by the number of the hand one after the other. Empty if pips decide."""
    plays: Callable[[Ruleset], ExamplePlay | None] = lambda _: None
    """Its example."""
    part: Part = "points"


class ToldWay(Struct, frozen=True):
    """A way to score under one ruleset."""

    key: str
    part: Part
    title: Sentence
    points: tuple[int, ...]
    told: Sentence
    does_not_count: tuple[Sentence, ...]
    settings: tuple[str, ...]
    example: ExampleHand | None


def told_way(way: Way, ruleset: Ruleset) -> ToldWay:
    """The entry under a ruleset that it applies to."""
    play = way.plays(ruleset)
    return ToldWay(
        key=way.key,
        part=way.part,
        title=way.title,
        points=way.points(ruleset),
        told=joined(" ", way.tells(ruleset)),
        does_not_count=tuple(way.voids(ruleset)),
        settings=way.settings,
        example=None if play is None else example_of(play, ruleset),
    )


def keys_of(term: str) -> tuple[str, ...]:
    """The settings that decide a term of a hand."""
    return HAND_TERMS[term].keys
