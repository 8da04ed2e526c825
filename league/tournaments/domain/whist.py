"""Full cycles: everybody has everybody as partner once and as opponent twice, in one round fewer than players.

These are whist tournaments (E. H. Moore, "Tactical Memoranda", 1896). The first round of each was found by search, as
one whose differences modulo `players - 1` cover every partnership once and every opposition twice; the other rounds
add 1 to all numbers but the last. A test checks all rounds against the definition.
"""

from collections.abc import Mapping

Pairs = tuple[tuple[int, int], tuple[int, int]]

FIRST_ROUNDS: Mapping[int, tuple[Pairs, ...]] = {
    8: (((7, 0), (1, 3)), ((6, 2), (4, 5))),
    12: (((11, 0), (1, 3)), ((10, 4), (5, 8)), ((9, 2), (6, 7))),
    16: (((15, 0), (1, 2)), ((14, 5), (6, 9)), ((13, 8), (4, 11)), ((12, 10), (3, 7))),
}
"""By the number of players: the tables of the first round; players count from 0."""
SIZES = tuple(FIRST_ROUNDS)


def whist_round(players: int, number: int) -> list[Pairs]:
    """The tables of a round, which counts from 1."""

    def turned(player: int) -> int:
        return player if player == players - 1 else (player + number - 1) % (players - 1)

    return [((turned(a), turned(b)), (turned(c), turned(d))) for (a, b), (c, d) in FIRST_ROUNDS[players]]
