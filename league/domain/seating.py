"""Seats, sides and competitors: how many seats a mode has, which seats form a side, and the id of a side."""

from collections.abc import Iterable
from typing import Final, Literal, NewType

from league.domain.refusals import InvalidInput
from league.domain.rules import Mode
from league.domain.sentences import Sentence, say

SEATS: Final[dict[Mode, tuple[int, ...]]] = {"1v1": (2,), "2v2": (4,), "individuals": (3, 4)}
"""The possible numbers of seats in each mode."""
MODES: Final[dict[Mode, Sentence]] = {
    "1v1": say("one on one"),
    "2v2": say("in pairs"),
    "individuals": say("each on their own"),
}
"""The words for each mode in sentences."""
FULL_TABLE = 4
"""The most seats of any mode."""


def side_of(seat: int, mode: Mode) -> int:
    """The side of a seat. In 2v2, seats 0 and 2 are side 0 and the others side 1; elsewhere each seat is a side."""
    return seat % 2 if mode == "2v2" else seat


def sides_of(mode: Mode, seats: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The player ids by side."""
    if mode == "2v2":
        return (seats[0::2], seats[1::2])
    return tuple((player,) for player in seats)


def count_sides(mode: Mode, seats: int) -> int:
    """The number of sides in a match with `seats` seats."""
    return 2 if mode == "2v2" else seats


def seats_of(side: int, mode: Mode, seats: int) -> range:
    """The seats of a side in a match with `seats` seats."""
    return range(side, seats, count_sides(mode, seats))


CompetitorId = NewType("CompetitorId", str)
"""A player's id, or the ids of a pair's two players, sorted and joined by `JOINT`."""
Subject = Literal["player", "team"]
"""The kind of competitor that a rating belongs to. A team is a fixed pair."""

JOINT = "+"
"""Joins the ids of a pair. No player's id contains it."""
PARTNERS = 2
"""Number of players in a pair."""


def competitor_of(players: Iterable[str]) -> CompetitorId:
    """The id under which the players of a side compete."""
    return CompetitorId(JOINT.join(sorted(players)))


def players_of(competitor: CompetitorId) -> tuple[str, ...]:
    """The player's id, or the ids of the pair's two players in order."""
    return tuple(competitor.split(JOINT))


def is_pair(competitor: CompetitorId) -> bool:
    """Whether the competitor is a pair."""
    return JOINT in competitor


def subject_of(competitor: CompetitorId) -> Subject:
    """The kind of the competitor."""
    return "team" if is_pair(competitor) else "player"


def read_competitor(text: str, at: str) -> CompetitorId:
    """A player's id, or two ids in either order joined by `+`. Raises InvalidInput at the field `at`."""
    players = text.split(JOINT)
    if len(players) > PARTNERS or len(set(players)) < len(players):
        raise InvalidInput(at, say("{text!r} is neither a player nor a pair of two players", text=text))
    return competitor_of(players)
