"""How likely each hidden tile is with each seat, by what the seat has played: players do not play at random."""

from math import exp

from league.ai.knowledge import Knowledge
from league.domain.play import Seen

TEMPER = 5
"""Pips by which a tile has to be better for a seat to prefer it almost three times as often."""

SUPPORT = 1.2
"""How much likelier a seat holds a tile of a number that it has opened."""


Odds = list[list[float]]
"""By seat and place of a tile, a factor for the odds that the seat holds it."""


def equal_odds(seen: Seen, known: Knowledge) -> Odds:
    """The odds where nothing is concluded from what the seats have played: all deals that fit are equally likely."""
    return [[1.0] * len(known.tiles.tiles) for _ in seen.counts]


def plausibility_of(seen: Seen, known: Knowledge) -> Odds:
    """By seat and place of a tile, a factor for the odds that the seat holds it.

    A seat that played one tile, and could have played another if it held it, rather does not hold a better one.
    It rather holds tiles of the number that its play has opened. What a seat played before it drew says nothing of
    the tiles that it drew, so only what it played afterwards counts.
    """
    tiles = known.tiles
    factors = equal_odds(seen, known)
    left = right = -1
    for turn in seen.turns:
        mine = factors[turn.seat]
        if turn.where == "draw":
            factors[turn.seat] = [1.0] * len(tiles.tiles)
        elif turn.tile is not None:
            a, b = turn.tile
            place = tiles.bits[turn.tile].bit_length() - 1
            could = tiles.all if left < 0 else tiles.with_half[left] | tiles.with_half[right]
            left, right = (a if turn.where != "right" else left), (b if turn.where != "left" else right)
            if turn.seat == seen.seat:
                continue
            for other in tiles.places_of(could & known.hidden):
                mine[other] *= 2 / (1 + exp((tiles.weights[other] - tiles.weights[place]) / TEMPER))
            opened = tiles.with_half[a if turn.where == "left" else b]
            for other in tiles.places_of(opened & known.hidden):
                mine[other] *= SUPPORT
    return factors
