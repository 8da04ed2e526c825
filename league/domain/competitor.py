"""A competitor: a player, or a fixed pair of two players, which has an id of its own whatever their seats."""

from collections.abc import Iterable
from typing import Literal, NewType

from league.domain.refusals import InvalidInput
from league.domain.sentences import say

CompetitorId = NewType("CompetitorId", str)
"""A player's id, or the ids of a pair's two players, sorted and joined by `JOINT`."""
Subject = Literal["player", "team"]
"""Which of the two a rating belongs to; a team is a fixed pair."""

JOINT = "+"
"""No player's id contains it."""
PARTNERS = 2
"""Players of a pair."""


def competitor_of(players: Iterable[str]) -> CompetitorId:
    """The id under which the players of a side compete."""
    return CompetitorId(JOINT.join(sorted(players)))


def players_of(competitor: CompetitorId) -> tuple[str, ...]:
    """The ids of the player, or of the pair's two players in order."""
    return tuple(competitor.split(JOINT))


def is_pair(competitor: CompetitorId) -> bool:
    """Whether it is a pair, not a player."""
    return JOINT in competitor


def subject_of(competitor: CompetitorId) -> Subject:
    """Which kind of rating the competitor has."""
    return "team" if is_pair(competitor) else "player"


def read_competitor(text: str, at: str) -> CompetitorId:
    """A player's id, or two ids in either order joined by `+`. Raises InvalidInput at the field `at`."""
    players = text.split(JOINT)
    if len(players) > PARTNERS or len(set(players)) < len(players):
        raise InvalidInput(at, say("{text!r} is neither a player nor a pair of two players", text=text))
    return competitor_of(players)
