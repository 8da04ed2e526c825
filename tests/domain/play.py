"""Hands dealt and played at random by the rules of play; an own small table, so that it can check the real one."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from league.domain.play import Turn
from league.domain.rules import Ruleset
from league.domain.tiles import Tile, full_set
from league.domain.transcript import Transcript


class PlayedHand(NamedTuple):
    """A hand, and what the table looked like when it was over."""

    transcript: Transcript
    chain: list[Tile]
    """The tiles on the table from left to right, as they lie."""
    held: list[list[Tile]]
    boneyard: list[Tile]
    out: int | None
    stuck_at: int | None
    """The number of turns until no seat could move for the first time; None if a seat always could."""


def random_hand(seed: int, rules: Ruleset, seats: int) -> PlayedHand:
    """Deal and play a hand; every choice is drawn from the seed."""
    random = Random(seed)
    tiles = sorted(full_set(rules.set))
    random.shuffle(tiles)
    each = rules.tiles_each
    dealt = tuple(tuple(tiles[seat * each : (seat + 1) * each]) for seat in range(seats))
    draws = rules.cannot_play != "pass" and seats < 4
    held, boneyard = [list(hand) for hand in dealt], tiles[seats * each :] if draws else []
    seat, chain, turns = random.randrange(seats), list[Tile](), list[Turn]()
    stuck_at, out = None, None
    while True:
        if stuck_at is None and _nobody_can_move(chain, held, boneyard):
            stuck_at = len(turns)
        if stuck_at is not None and not boneyard:
            break
        drawn = 0
        while not (moves := [m for tile in held[seat] for m in _moves(tile, chain)]) and boneyard:
            if rules.cannot_play == "draw_one" and drawn:
                break
            tile = boneyard.pop()
            held[seat].append(tile)
            turns.append(Turn(seat, tile, "draw"))
            drawn += 1
        if moves:
            tile, lying, where = random.choice(moves)
            held[seat].remove(tile)
            chain.insert(0 if where == "left" else len(chain), lying)
            turns.append(Turn(seat, lying, where))
            if not held[seat]:
                out = seat
                break
        elif not boneyard and _nobody_can_move(chain, held, boneyard):
            break  # the draw that emptied the boneyard ended the hand
        else:
            turns.append(Turn(seat, None))
        seat = (seat + 1) % seats
    return PlayedHand(Transcript(dealt, tuple(turns)), chain, held, boneyard, out, stuck_at)


def _moves(tile: Tile, chain: list[Tile]) -> list[tuple[Tile, Tile, str | None]]:
    """Every way to play a tile: the tile, how it lies then, and on which end."""
    if not chain:
        return [(tile, tile, None)]
    left, right = chain[0][0], chain[-1][1]
    moves: list[tuple[Tile, Tile, str | None]] = []
    for lying in {tile, tile[::-1]}:
        if lying[1] == left:
            moves.append((tile, lying, "left"))
        if lying[0] == right:
            moves.append((tile, lying, "right"))
    return sorted(moves, key=repr)


def _nobody_can_move(chain: list[Tile], held: list[list[Tile]], boneyard: list[Tile]) -> bool:
    return bool(chain) and not any(_moves(tile, chain) for hand in (*held, boneyard) for tile in hand)
