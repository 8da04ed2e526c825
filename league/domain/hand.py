"""The facts of one hand: what happened at the table, and which facts cannot be true together."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.seating import FULL_TABLE
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
    """After it no seat could have moved, with any held tile or one of the boneyard."""


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


def has_boneyard(ruleset: Ruleset, seats: int) -> bool:
    """True when a seat that cannot play draws; with four seats there is no boneyard (Caribbean text, Playing Turns)."""
    return ruleset.cannot_play != "pass" and seats < FULL_TABLE


def held_pips(held: Held) -> int | None:
    """The pips of what a seat still holds, None where unknown."""
    return held if held is None or isinstance(held, int) else total_pips(held)


def complete(facts: HandFacts, ruleset: Ruleset) -> HandFacts:
    """The facts with what follows from them: the one seat without a tile went out; without a boneyard no seat drew."""
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
    """The facts as they are stored: complete, possible, in one spelling. Raises InvalidInput for the first fault."""
    facts = complete(facts, ruleset)
    check_facts(facts, ruleset, seats)
    return spelled(facts)


def check_facts(facts: HandFacts, ruleset: Ruleset, seats: int) -> None:
    """Raise InvalidInput for the first fault of complete facts."""
    for fault in faults_of(facts, ruleset, seats):
        raise fault


def faults_of(facts: HandFacts, ruleset: Ruleset, seats: int) -> Iterator[InvalidInput]:
    """Where complete facts are impossible or contradict each other, each with the field's path.

    What only follows from other faults is left out.
    """
    found = [*_faults_of_seats(facts, ruleset, seats), *_faults_of_leftover(facts, ruleset, seats)]
    found += [*_faults_of_closing(facts), *_faults_of_tiles(facts, ruleset)]
    yield from found
    if not found:
        yield from _faults_of_block(facts)
        yield from _faults_of_pips(facts, ruleset)


def _faults_of_seats(facts: HandFacts, ruleset: Ruleset, seats: int) -> Iterator[InvalidInput]:
    named = [
        ("starter", facts.starter),
        ("ended.seat" if facts.ended_by == "domino" else "ended.locker", facts.seat),
    ]
    named += [(f"passes.corridos.{i}", seat) for i, seat in enumerate(facts.corridos or ())]
    named += [(f"passes.drew.{i}", seat) for i, seat in enumerate(facts.drew or ())]
    for at, seat in named:
        if seat is not None and not 0 <= seat < seats:
            yield InvalidInput(at, f"there is no seat {seat}: the seats are 0 to {seats - 1}")
    if facts.ended_by == "domino" and facts.seat is None:
        yield InvalidInput("ended.seat", "a domino needs the seat that went out")
    if facts.drew and not has_boneyard(ruleset, seats):
        yield InvalidInput("passes.drew", f"no seat draws from a boneyard with {seats} seats under these rules")
    if facts.corridos and len(facts.corridos) > len(full_set(ruleset.set)):
        yield InvalidInput("passes.corridos", f"{len(facts.corridos)} passes are more than the set has tiles")
    if facts.drew and len(set(facts.drew)) < len(facts.drew):
        yield InvalidInput("passes.drew", "a seat is named twice")


def _faults_of_leftover(facts: HandFacts, ruleset: Ruleset, seats: int) -> Iterator[InvalidInput]:
    if len(facts.leftover) != seats:
        yield InvalidInput("leftover", f"there must be {seats} entries, one for each seat, not {len(facts.leftover)}")
        return
    if facts.seat is not None and not 0 <= facts.seat < seats:
        return  # a fault of the seat, which would make others of the tiles
    out = facts.seat if facts.ended_by == "domino" else None
    for seat, held in enumerate(facts.leftover):
        at = f"leftover.{seat}"
        if seat == out:
            if held not in ((), 0, None):
                yield InvalidInput(at, f"seat {seat} went out and cannot hold tiles")
        elif held == ():
            who = f"seat {out} went out" if out is not None else "the hand was blocked"
            yield InvalidInput(
                at, f"seat {seat} holds no tile although {who}: only one seat can have played the last tile"
            )
        elif isinstance(held, tuple) and len(held) > ruleset.tiles_each and not _may_have_drawn(seat, facts, ruleset):
            yield InvalidInput(at, f"seat {seat} was dealt {ruleset.tiles_each} tiles and cannot hold {len(held)}")


def _may_have_drawn(seat: int, facts: HandFacts, ruleset: Ruleset) -> bool:
    return has_boneyard(ruleset, len(facts.leftover)) and (facts.drew is None or seat in facts.drew)


def _faults_of_closing(facts: HandFacts) -> Iterator[InvalidInput]:
    closing = facts.closing
    if facts.ended_by == "block" and closing.blocks_too is False:
        yield InvalidInput("ended.blocks_too", "a hand that ended by a block was blocked by its last tile")
    # A block by the first tile of the hand leaves ends that nothing could have fitted before.
    if facts.ended_by == "domino" and closing.ends_equal and closing.fits_both_ends is False:
        yield InvalidInput("ended.ends_equal", "a tile that leaves equal ends could have gone on either end before")
    if closing.tile and is_double(closing.tile) and closing.fits_both_ends and closing.ends_equal is False:
        yield InvalidInput("ended.ends_equal", "a double that fitted both ends leaves equal ends")


def _faults_of_tiles(facts: HandFacts, ruleset: Ruleset) -> Iterator[InvalidInput]:
    tiles = full_set(ruleset.set)
    seen: dict[Tile, str] = {}
    for at, tile in _named_tiles(facts):
        if ordered(tile) not in tiles:
            yield InvalidInput(at, f"there is no tile {list(tile)} in a {ruleset.set} set")
        elif ordered(tile) in seen:
            yield InvalidInput(at, f"the tile {list(tile)} is named twice, here and at {seen[ordered(tile)]}")
        seen.setdefault(ordered(tile), at)


def _named_tiles(facts: HandFacts) -> Iterator[tuple[str, Tile]]:
    """The tiles that the facts name, each after its field."""
    if facts.closing.tile:
        yield "ended.tile", facts.closing.tile
    for seat, held in enumerate(facts.leftover):
        if isinstance(held, tuple):
            yield from ((f"leftover.{seat}.{number}", tile) for number, tile in enumerate(held))


def _faults_of_block(facts: HandFacts) -> Iterator[InvalidInput]:
    if facts.ended_by == "block" and facts.closing.tile:
        held = [tile for at, tile in _named_tiles(facts) if at != "ended.tile"]
        # Whichever half is the open end, a seat holds a tile for it.
        if all(any(fits(tile, half) for tile in held) for half in facts.closing.tile):
            yield InvalidInput("leftover", "a seat could have played on the last tile, so the hand was not blocked")


def _faults_of_pips(facts: HandFacts, ruleset: Ruleset) -> Iterator[InvalidInput]:
    """Pip totals must be possible with the tiles that no other seat is known to hold."""
    named = {ordered(tile) for _, tile in _named_tiles(facts)}
    free = sorted((tile_pips(tile) for tile in full_set(ruleset.set) - named), reverse=True)
    blanks = free.count(0)
    for seat, held in enumerate(facts.leftover):
        at = f"leftover.{seat}"
        if not isinstance(held, int):
            continue
        most = sum(free if _may_have_drawn(seat, facts, ruleset) else free[: ruleset.tiles_each])
        if not 0 <= held <= most:
            yield InvalidInput(at, f"{held} pips are impossible: this seat can hold 0 to {most}")
        if held == 0 and not (facts.ended_by == "domino" and seat == facts.seat):
            if not blanks:
                yield InvalidInput(
                    at, "0 pips are impossible: the seat holds a tile, and the double blank is elsewhere"
                )
            blanks -= 1
    known = [held for held in facts.leftover if isinstance(held, int)]
    if len(known) > 1 and sum(known) > sum(free):
        yield InvalidInput("leftover", f"{sum(known)} pips are more than the rest of the set has ({sum(free)})")
