"""The deal of a hand, and who leads it.

Everybody can check the shuffle: it follows from a secret, whose hash is published beforehand, and from what the players
contribute. The starting draw, the highest double or the winner of the last hand decides who leads.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence

from msgspec import Struct

from league.domain.result import MatchFacts, result_of
from league.domain.rules import Ruleset
from league.domain.tiles import SetName, Tile, is_double, tile_pips, tile_set

SECRET_BYTES = 32
NO_CONTRIBUTION = bytes(SECRET_BYTES)
"""The contribution of a seat that sends none, and of an AI."""


class ShuffleInputs(Struct, frozen=True):
    """Everything from which the deals of one hand follow."""

    table: str
    hand: int
    secret: bytes
    contributions: tuple[bytes, ...]
    """The contribution of each seat, 32 bytes each."""


class DealtTiles(Struct, frozen=True):
    """The tiles of each seat, and the boneyard in the order in which it is drawn."""

    dealt: tuple[tuple[Tile, ...], ...]
    boneyard: tuple[Tile, ...]


def commitment_of(secret: bytes) -> str:
    """SHA-256 of the secret, in hexadecimal. It is published before anybody contributes."""
    return hashlib.sha256(secret).hexdigest()


def shuffled(shuffle: ShuffleInputs, attempt: int, tiles: SetName) -> list[Tile]:
    """The tiles of a set in the order of one attempt. Each starting draw and each deal has its own number."""
    order = list(tile_set(tiles).tiles)
    numbers = _numbers(_seed(shuffle, attempt))
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, numbers)
        order[last], order[other] = order[other], order[last]
    return order


def deal(shuffle: ShuffleInputs, attempt: int, ruleset: Ruleset) -> DealtTiles:
    """The hands of one attempt."""
    return dealt_of(shuffled(shuffle, attempt, ruleset.set), len(shuffle.contributions), ruleset.tiles_each)


def dealt_of(order: list[Tile], seats: int, each: int) -> DealtTiles:
    """Deal tiles in this order: seat 0 gets the first `each`, then seat 1, and so on; the rest is the boneyard."""
    dealt = tuple(tuple(sorted(order[seat * each : (seat + 1) * each])) for seat in range(seats))
    return DealtTiles(dealt, tuple(order[seats * each :]))


def starting_draw(shuffle: ShuffleInputs, attempt: int, tiles: SetName) -> tuple[Tile, ...]:
    """The tile that each seat draws to decide who starts. The tiles then go back into the set."""
    return tuple(shuffled(shuffle, attempt, tiles)[: len(shuffle.contributions)])


def _seed(shuffle: ShuffleInputs, attempt: int) -> bytes:
    text = f"{shuffle.table}\n{shuffle.hand}\n{attempt}\n".encode()
    return hmac.digest(shuffle.secret, text + b"".join(shuffle.contributions), "sha256")


def _numbers(seed: bytes) -> Iterator[int]:
    """Numbers of 32 bits: eight from each block SHA-256(seed, counter). The counter has 8 bytes and starts at 0."""
    counter = 0
    while True:
        block = hashlib.sha256(seed + counter.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(block[at : at + 4], "big") for at in range(0, len(block), 4))
        counter += 1


def _below(limit: int, numbers: Iterator[int]) -> int:
    """The next number modulo `limit`. Rejects numbers of the last, incomplete span, so that the result is uniform."""
    whole = 2**32 - 2**32 % limit
    return next(number for number in numbers if number < whole) % limit


def drawn_starter(tiles: Sequence[Tile]) -> int | None:
    """The seat that drew the most pips; None on a tie: all draw again (Cuban text, Determining the Starting Player)."""
    pips = [tile_pips(tile) for tile in tiles]
    return pips.index(max(pips)) if pips.count(max(pips)) == 1 else None


def leading_tile(dealt: Sequence[Sequence[Tile]]) -> tuple[int, Tile]:
    """The seat that holds the highest double, and that double, which it plays first (Caribbean text, Starting Player).

    If nobody holds a double: the tile with the most pips; among equals, the one with the highest half.
    """
    held = [(seat, tile) for seat, hand in enumerate(dealt) for tile in hand]
    return max(held, key=lambda one: (is_double(one[1]), tile_pips(one[1]), max(one[1])))


def next_starter(played: MatchFacts, ruleset: Ruleset) -> int | None:
    """The seat that starts the next hand of a match with hands; None if the facts do not tell.

    It is the seat that won the last hand. If no side won, it is the seat that started, or with `next_starts` the one
    after it (House rules).
    """
    last, facts = result_of(played, ruleset).hands[-1], played.hands[-1]
    if last.winner is not None or not last.winner_known:
        return last.winning_seat
    if facts.starter is None or ruleset.block_tie != "next_starts":
        return facts.starter
    return (facts.starter + 1) % len(played.seats)
