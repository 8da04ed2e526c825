"""All entries of "How to score", and those of one ruleset."""

from functools import lru_cache

from league.domain.rules import Ruleset
from league.wording.how_to_score.bonuses import BONUS_WAYS
from league.wording.how_to_score.game import GAME
from league.wording.how_to_score.house import DOUBLED, ENDING
from league.wording.how_to_score.way import ToldWay, Way, told_way
from league.wording.how_to_score.winning import WINNING

WAYS: tuple[Way, ...] = (ENDING, *WINNING, DOUBLED, *BONUS_WAYS, *GAME)
"""The entries in the order of the page. A new setting that decides points of a hand needs one, or a place in one."""


@lru_cache(maxsize=128)
def ways_of(ruleset: Ruleset) -> tuple[ToldWay, ...]:
    """How one scores under a ruleset. The sentences are translated where they are shown."""
    return tuple(told_way(way, ruleset) for way in WAYS if way.applies(ruleset))
