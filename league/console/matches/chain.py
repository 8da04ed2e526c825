"""The chain on the table, from left to right, as the turns of a hand made it."""

from collections.abc import Mapping, Sequence
from typing import Any


def chain_of(turns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The turns that played a tile, in the order in which the tiles lie at the end of the hand."""
    chain: list[Mapping[str, Any]] = []
    for turn in turns:
        if turn["tile"] is None or turn["where"] == "DRAW":
            continue
        if turn["where"] == "LEFT":
            chain.insert(0, turn)
        else:
            chain.append(turn)
    return chain
