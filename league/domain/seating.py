"""Seats and sides: how many sit in each mode, and who plays with whom."""

from typing import Final

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
