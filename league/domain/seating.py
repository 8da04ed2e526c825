"""Who plays: how many sit in each mode, who plays with whom, and as which competitor."""

from collections.abc import Iterable
from typing import Final, Literal, NewType

from league.domain.refusals import InvalidInput
from league.domain.rules import Mode
from league.domain.sentences import Sentence, say

SEATS: Final[dict[Mode, tuple[int, ...]]] = {"1v1": (2,), "2v2": (4,), "individuals": (3, 4)}
"""How many seats a match can have."""
MODES: Final[dict[Mode, Sentence]] = {
    "1v1": say("one against one"),
    "2v2": say("in pairs"),
    "individuals": say("each on their own"),
}
"""How a match is played in each mode."""
FULL_TABLE = 4
"""The most seats of any mode."""


def side_of(seat: int, mode: Mode) -> int:
    """The side on which a seat plays: in 2v2 seats 0 and 2 are side 0; elsewhere each seat is a side."""
    return seat % 2 if mode == "2v2" else seat


def sides_of(mode: Mode, seats: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The player ids by side."""
    if mode == "2v2":
        return (seats[0::2], seats[1::2])
    return tuple((player,) for player in seats)


def count_sides(mode: Mode, seats: int) -> int:
    """How many sides play in a match with so many seats."""
    return 2 if mode == "2v2" else seats


def seats_of(side: int, mode: Mode, seats: int) -> range:
    """The seats of a side in a match with so many seats."""
    return range(side, seats, count_sides(mode, seats))


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
