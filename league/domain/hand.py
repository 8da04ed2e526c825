"""The facts of one hand: what happened at the table, and which facts cannot be true together."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.refusals import InvalidInput
from league.domain.rules import Mode, Ruleset
from league.domain.tiles import Tile, fits, full_set, is_double, ordered, tile_pips, total_pips

Held = tuple[Tile, ...] | int | None
"""What a seat still holds: its tiles, or only their pip total, or unknown."""


# gc=False, here and in what else the folds make by the million: plain values that form no cycles, which the garbage
# collector need not go through.
class Closing(Struct, frozen=True, gc=False):
    """The last tile played and its facts; None where a fact is not known."""

    tile: Tile | None = None
    fits_both_ends: bool | None = None
    """Before it was played it could go on either end, also when both ends were equal."""
    ends_equal: bool | None = None
    """After it was played both ends show the same number."""
    blocks_too: bool | None = None
    """After it nobody could have moved, with any held tile or one of the boneyard."""


class HandFacts(Struct, frozen=True, gc=False):
    """What is known of a hand. None always means: not known."""

    starter: int | None
    ended_by: Literal["domino", "block"]
    seat: int | None
    """By a domino the seat that went out; in a block the locker."""
    leftover: tuple[Held, ...]
    closing: Closing = Closing()
    opening_pass: bool | None = None
    """True when it scores: one that the third seat voids is false."""
    corridos: tuple[int, ...] | None = None
    """The seat of each pase corrido, in order."""
    drew: tuple[int, ...] | None = None
    """The seats that drew from the boneyard."""


FULL_TABLE = 4
"""Seats."""


def side_of(seat: int, mode: Mode) -> int:
    """The side on which a seat plays: in 2v2 seats 0 and 2 are side 0; elsewhere each seat is a side."""
    return seat % 2 if mode == "2v2" else seat


def has_boneyard(ruleset: Ruleset, seats: int) -> bool:
    """True when a seat that cannot play draws; with four seats nobody draws (Caribbean text, Playing Turns)."""
    return ruleset.cannot_play != "pass" and seats < FULL_TABLE


def held_pips(held: Held) -> int | None:
    """The pips of what a seat still holds, None where unknown."""
    return held if held is None or isinstance(held, int) else total_pips(held)


def complete(facts: HandFacts, ruleset: Ruleset) -> HandFacts:
    """The facts with what follows from them: the one seat without a tile went out; without a boneyard nobody drew."""
    seat, drew = facts.seat, facts.drew
    if facts.ended_by == "domino" and seat is None and facts.leftover.count(()) == 1:
        seat = facts.leftover.index(())
    if drew is None and not has_boneyard(ruleset, len(facts.leftover)):
        drew = ()
    return replace(facts, seat=seat, drew=drew)


def spelled(facts: HandFacts) -> HandFacts:
    """The facts in one spelling: every tile with its lower half first, held tiles in order."""
    leftover = tuple(tuple(sorted(map(ordered, held))) if isinstance(held, tuple) else held for held in facts.leftover)
    tile = facts.closing.tile and ordered(facts.closing.tile)
    return replace(facts, leftover=leftover, closing=replace(facts.closing, tile=tile))


def checked(facts: HandFacts, ruleset: Ruleset, seats: int) -> HandFacts:
    """The facts as they are kept: complete, found possible, in one spelling. Raises InvalidInput."""
    facts = complete(facts, ruleset)
    check_facts(facts, ruleset, seats)
    return spelled(facts)


def check_facts(facts: HandFacts, ruleset: Ruleset, seats: int) -> None:
    """Raise InvalidInput, with the field's path, when facts are impossible or contradict each other."""
    _check_seats(facts, ruleset, seats)
    _check_leftover(facts, ruleset, seats)
    _check_closing(facts)
    _check_tiles(facts, ruleset)


def _check_seats(facts: HandFacts, ruleset: Ruleset, seats: int) -> None:
    named = [
        ("starter", facts.starter),
        ("ended.seat" if facts.ended_by == "domino" else "ended.locker", facts.seat),
    ]
    named += [(f"passes.corridos.{i}", seat) for i, seat in enumerate(facts.corridos or ())]
    named += [(f"passes.drew.{i}", seat) for i, seat in enumerate(facts.drew or ())]
    for at, seat in named:
        if seat is not None and not 0 <= seat < seats:
            raise InvalidInput(at, f"there is no seat {seat}: the seats are 0 to {seats - 1}")
    if facts.ended_by == "domino" and facts.seat is None:
        raise InvalidInput("ended.seat", "a domino needs the seat that went out")
    if facts.drew and not has_boneyard(ruleset, seats):
        raise InvalidInput("passes.drew", f"nobody draws from a boneyard with {seats} seats under these rules")
    if facts.corridos and len(facts.corridos) > len(full_set(ruleset.set)):
        raise InvalidInput("passes.corridos", f"{len(facts.corridos)} are more than the set has tiles")
    if facts.drew and len(set(facts.drew)) < len(facts.drew):
        raise InvalidInput("passes.drew", "names a seat twice")


def _check_leftover(facts: HandFacts, ruleset: Ruleset, seats: int) -> None:
    if len(facts.leftover) != seats:
        raise InvalidInput("leftover", f"has {len(facts.leftover)} entries for {seats} seats")
    out = facts.seat if facts.ended_by == "domino" else None
    for seat, held in enumerate(facts.leftover):
        at = f"leftover.{seat}"
        if seat == out:
            if held not in ((), 0, None):
                raise InvalidInput(at, f"seat {seat} went out and cannot hold tiles")
        elif held == ():
            who = f"seat {out} went out" if out is not None else "the hand was blocked"
            raise InvalidInput(
                at, f"seat {seat} holds no tile although {who}: nobody else can have played the last one"
            )
        elif isinstance(held, tuple) and len(held) > ruleset.tiles_each and not _may_have_drawn(seat, facts, ruleset):
            raise InvalidInput(at, f"{len(held)} tiles at a seat that was dealt {ruleset.tiles_each}")


def _may_have_drawn(seat: int, facts: HandFacts, ruleset: Ruleset) -> bool:
    return has_boneyard(ruleset, len(facts.leftover)) and (facts.drew is None or seat in facts.drew)


def _check_closing(facts: HandFacts) -> None:
    closing = facts.closing
    if facts.ended_by == "block" and closing.blocks_too is False:
        raise InvalidInput("ended.blocks_too", "a hand that ended by a block was blocked by its last tile")
    # A block by the first tile of the hand leaves ends that nothing could have fitted before.
    if facts.ended_by == "domino" and closing.ends_equal and closing.fits_both_ends is False:
        raise InvalidInput("ended.ends_equal", "a tile that leaves equal ends could have gone on either end before")
    if closing.tile and is_double(closing.tile) and closing.fits_both_ends and closing.ends_equal is False:
        raise InvalidInput("ended.ends_equal", "a double that fitted both ends leaves equal ends")


def _check_tiles(facts: HandFacts, ruleset: Ruleset) -> None:
    tiles = full_set(ruleset.set)
    seen: dict[Tile, str] = {}
    named = [("ended.tile", facts.closing.tile)] if facts.closing.tile else []
    for seat, held in enumerate(facts.leftover):
        if isinstance(held, tuple):
            named += [(f"leftover.{seat}.{i}", tile) for i, tile in enumerate(held)]
    for at, tile in named:
        if ordered(tile) not in tiles:
            raise InvalidInput(at, f"there is no tile {list(tile)} in a {ruleset.set} set")
        if ordered(tile) in seen:
            raise InvalidInput(at, f"the tile {list(tile)} stands twice, here and at {seen[ordered(tile)]}")
        seen[ordered(tile)] = at
    if facts.ended_by == "block" and facts.closing.tile:
        still_held = [tile for tile in seen if seen[tile] != "ended.tile"]
        # Whichever half is the open end, somebody holds a tile for it.
        if all(any(fits(tile, half) for tile in still_held) for half in facts.closing.tile):
            raise InvalidInput("leftover", "somebody could have played on the last tile, so the hand was not blocked")
    _check_pips(facts, [pips for tile, pips in ((t, tile_pips(t)) for t in tiles) if tile not in seen], ruleset)


def _check_pips(facts: HandFacts, free: list[int], ruleset: Ruleset) -> None:
    """Pip totals must be possible with the tiles that no other seat is known to hold."""
    free.sort(reverse=True)
    blanks = free.count(0)
    for seat, held in enumerate(facts.leftover):
        at = f"leftover.{seat}"
        if not isinstance(held, int):
            continue
        most = sum(free if _may_have_drawn(seat, facts, ruleset) else free[: ruleset.tiles_each])
        if not 0 <= held <= most:
            raise InvalidInput(at, f"{held} pips: what a seat can hold here is 0 to {most}")
        if held == 0 and not (facts.ended_by == "domino" and seat == facts.seat):
            if not blanks:
                raise InvalidInput(at, "0 pips: who has not gone out holds a tile, and there is one double blank only")
            blanks -= 1
    known = sum(held for held in facts.leftover if isinstance(held, int))
    if known > sum(free):
        raise InvalidInput("leftover", f"{known} pips are more than the rest of the set holds ({sum(free)})")
