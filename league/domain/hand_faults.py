"""Finds facts of a hand that are impossible or contradict each other, and completes facts that follow from others."""

from collections.abc import Iterator

from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.hand import (
    MOST_CORRIDOS,
    HandFacts,
    corridos_by_side,
    has_boneyard,
    pips_by_seat,
    spelled,
    told_by_seat,
)
from league.domain.refusals import InvalidInput
from league.domain.rules import Mode, Ruleset
from league.domain.seating import count_sides, seats_of
from league.domain.sentences import say
from league.domain.tiles import SETS, Tile, fits, full_set, is_double, ordered, tile_pips


def complete(facts: HandFacts, ruleset: Ruleset, mode: Mode) -> HandFacts:
    """The facts with everything that follows from them.

    A single seat without tiles went out. Without a boneyard no seat drew. Figures of sides may give those of seats.
    """
    seat, drew = facts.seat, facts.drew
    if facts.ended_by == "domino" and seat is None and facts.leftover.count(()) == 1:
        seat = facts.leftover.index(())
    if drew is None and not has_boneyard(ruleset, len(facts.leftover)):
        drew = ()
    return told_by_seat(replace(facts, seat=seat, drew=drew), mode)


def checked(facts: HandFacts, ruleset: Ruleset, mode: Mode, seats: int) -> HandFacts:
    """The facts as the log stores them: complete, possible and in one spelling. Raises InvalidInput or Faults."""
    facts = complete(facts, ruleset, mode)
    check_facts(facts, ruleset, mode, seats)
    return spelled(facts)


def check_facts(facts: HandFacts, ruleset: Ruleset, mode: Mode, seats: int) -> None:
    """Raise InvalidInput if complete facts have one fault, Faults if they have several."""
    Faults.check(faults_of(facts, ruleset, mode, seats))


def faults_of(facts: HandFacts, ruleset: Ruleset, mode: Mode, seats: int) -> Iterator[InvalidInput]:
    """The faults of complete facts: impossible values and contradictions, each with the field's path.

    Leaves out faults that only follow from others.
    """
    found = [*_faults_of_seats(facts, ruleset, seats), *faults_of_statement(facts, mode, seats)]
    found += [*_faults_of_leftover(facts, ruleset, seats), *_faults_of_sides(facts, mode, seats)]
    found += [*_faults_of_closing(facts), *_faults_of_tiles(facts, ruleset)]
    yield from found
    if not found:
        yield from _faults_of_block(facts)
        yield from _faults_of_pips(facts, ruleset, mode)
    else:
        at_fault = {fault.at for fault in found}
        yield from (fault for fault in _faults_of_each_pips(facts, ruleset) if fault.at not in at_fault)


def faults_of_statement(facts: HandFacts, mode: Mode, seats: int) -> Iterator[InvalidInput]:
    """The faults of the stated winner: it is missing, no such side exists, or none of its seats can have gone out."""
    side, sides = facts.stated_winner, count_sides(mode, seats)
    if side is not None and not 0 <= side < sides:
        yield _no_side("stated_winner", side, sides)
    elif facts.ended_by == "domino" and facts.seat is None:
        if side is None:
            reason = say(
                "a domino needs the seat that went out, or at least the side that the sheet names as the winner"
            )
            yield InvalidInput("ended.seat", reason)
        elif len(facts.leftover) == seats and not _may_have_gone_out(facts, mode):
            reason = say("every seat of the stated side holds pips, so none of them went out")
            yield InvalidInput("stated_winner", reason)


def _no_side(at: str, side: int, sides: int) -> InvalidInput:
    return InvalidInput(at, say("there is no side {side}: the sides are 0 to {last}", side=side, last=sides - 1))


def _may_have_gone_out(facts: HandFacts, mode: Mode) -> list[int]:
    """The seats that may have gone out, if a hand ended by a domino and only the winning side is known; else none."""
    if facts.ended_by == "block" or facts.seat is not None or facts.stated_winner is None:
        return []
    seats = seats_of(facts.stated_winner, mode, len(facts.leftover))
    return [seat for seat in seats if facts.leftover[seat] in ((), 0, None)]


def _faults_of_seats(facts: HandFacts, ruleset: Ruleset, seats: int) -> Iterator[InvalidInput]:
    named = [
        ("starter", facts.starter),
        ("ended.seat" if facts.ended_by == "domino" else "ended.locker", facts.seat),
    ]
    named += [(f"passes.corridos.{i}", seat) for i, seat in enumerate(facts.corridos or ())]
    named += [(f"passes.drew.{i}", seat) for i, seat in enumerate(facts.drew or ())]
    for at, seat in named:
        if seat is not None and not 0 <= seat < seats:
            yield InvalidInput(at, say("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=seats - 1))
    if facts.drew and not has_boneyard(ruleset, seats):
        reason = say("no seat draws from a boneyard with {seats} seats under these rules", seats=seats)
        yield InvalidInput("passes.drew", reason)
    if facts.corridos and len(facts.corridos) > len(full_set(ruleset.set)):
        yield _too_many_passes("passes.corridos", len(facts.corridos))
    if facts.drew and len(set(facts.drew)) < len(facts.drew):
        yield InvalidInput("passes.drew", say("a seat is named twice"))


def _too_many_passes(at: str, count: int) -> InvalidInput:
    return InvalidInput(at, say("{count} passes are more than the set has tiles", count=count))


def _faults_of_leftover(facts: HandFacts, ruleset: Ruleset, seats: int) -> Iterator[InvalidInput]:
    count = len(facts.leftover)
    if count != seats:
        reason = say("there must be {seats} entries, one for each seat, not {count}", seats=seats, count=count)
        yield InvalidInput("leftover", reason)
        return
    # If the named seat does not exist, any seat may have played the last tile.
    seat_is_known = facts.seat is None or 0 <= facts.seat < seats
    out = facts.seat if facts.ended_by == "domino" else None
    for seat, held in enumerate(facts.leftover):
        at = f"leftover.{seat}"
        if seat == out:
            if held not in ((), 0, None):
                yield InvalidInput(at, say("the player at this seat went out and cannot hold tiles"))
        elif held == ():
            if seat_is_known:
                yield InvalidInput(at, _held_none(seat, facts))
        elif isinstance(held, tuple) and len(held) > ruleset.tiles_each and not _may_have_drawn(seat, facts, ruleset):
            reason = say(
                "seat {seat} was dealt {dealt} tiles and cannot hold {held}",
                seat=seat, dealt=ruleset.tiles_each, held=len(held),
            )  # fmt: skip
            yield InvalidInput(at, reason)


def _held_none(seat: int, facts: HandFacts) -> str:
    """The reason why a seat that did not end the hand cannot be without tiles."""
    if facts.ended_by == "block":
        return say(
            "seat {seat} holds no tile although the hand was blocked: only one seat can have played the last tile",
            seat=seat,
        )
    if facts.seat is None:
        return say("seat {seat} holds no tile, and so does another: only one seat can have gone out", seat=seat)
    return say(
        "seat {seat} holds no tile although seat {out} went out: only one seat can have played the last tile",
        seat=seat, out=facts.seat,
    )  # fmt: skip


def _may_have_drawn(seat: int, facts: HandFacts, ruleset: Ruleset) -> bool:
    return has_boneyard(ruleset, len(facts.leftover)) and (facts.drew is None or seat in facts.drew)


def _faults_of_sides(facts: HandFacts, mode: Mode, seats: int) -> Iterator[InvalidInput]:
    """Figures of sides that are impossible or contradict the seats. `told_by_seat` has dropped those that agree."""
    sides = count_sides(mode, seats)
    for at, figures in (("side_leftover", facts.side_leftover), ("passes.corridos_by_side", facts.side_corridos)):
        if figures is not None and len(figures) != sides:
            reason = say(
                "there must be {sides} entries, one for each side, not {count}", sides=sides, count=len(figures)
            )
            yield InvalidInput(at, reason)
            return
    yield from _faults_of_side_corridos(facts, mode)
    if facts.side_leftover is None or len(facts.leftover) != seats or not 0 <= (facts.seat or 0) < seats:
        return
    pips = pips_by_seat(facts)
    for side, total in enumerate(facts.side_leftover):
        of_side = [pips[seat] for seat in seats_of(side, mode, seats)]
        known = sum(held or 0 for held in of_side)
        if total is not None and (None not in of_side or 0 < known > total):
            reason = say("the seats of this side hold {known} pips, not {total}", known=known, total=total)
            yield InvalidInput(f"side_leftover.{side}", reason)


def _faults_of_side_corridos(facts: HandFacts, mode: Mode) -> Iterator[InvalidInput]:
    at, counts = "passes.corridos_by_side", facts.side_corridos or ()
    for side, count in enumerate(counts):
        if count < 0:
            yield InvalidInput(f"{at}.{side}", say("a count is 0 or more"))
    if sum(counts) > MOST_CORRIDOS:
        yield _too_many_passes(at, sum(counts))
    elif counts and facts.corridos is not None:
        of_seats = ", ".join(map(str, corridos_by_side(facts, mode) or ()))
        reason = say("the pases corridos by seat give {counts} by side; send one of the two", counts=of_seats)
        yield InvalidInput(at, reason)


def _faults_of_closing(facts: HandFacts) -> Iterator[InvalidInput]:
    closing = facts.closing
    if facts.ended_by == "block" and closing.blocks_too is False:
        yield InvalidInput("ended.blocks_too", say("a hand that ended by a block was blocked by its last tile"))
    # Only for a domino: the first tile of a hand can block it, and before it there were no ends to fit.
    if facts.ended_by == "domino" and closing.ends_equal and closing.fits_both_ends is False:
        reason = say("a tile that leaves equal ends could have gone on either end before")
        yield InvalidInput("ended.ends_equal", reason)
    if closing.tile and is_double(closing.tile) and closing.fits_both_ends and closing.ends_equal is False:
        yield InvalidInput("ended.ends_equal", say("a double that fitted both ends leaves equal ends"))


def _faults_of_tiles(facts: HandFacts, ruleset: Ruleset) -> Iterator[InvalidInput]:
    tiles = full_set(ruleset.set)
    seen: dict[Tile, str] = {}
    for at, tile in _named_tiles(facts):
        if ordered(tile) not in tiles:
            yield InvalidInput(
                at, say("there is no tile {tile} in a {set} set", tile=list(tile), set=SETS[ruleset.set])
            )
        elif ordered(tile) in seen:
            other = seen[ordered(tile)]
            yield InvalidInput(
                at, say("the tile {tile} is named twice, here and at {other}", tile=list(tile), other=other)
            )
        seen.setdefault(ordered(tile), at)


def _named_tiles(facts: HandFacts) -> Iterator[tuple[str, Tile]]:
    """The path and the tile, for each tile that the facts name."""
    if facts.closing.tile:
        yield "ended.tile", facts.closing.tile
    for seat, held in enumerate(facts.leftover):
        if isinstance(held, tuple):
            yield from ((f"leftover.{seat}.{number}", tile) for number, tile in enumerate(held))


def _faults_of_block(facts: HandFacts) -> Iterator[InvalidInput]:
    if facts.ended_by == "block" and facts.closing.tile:
        held = [tile for at, tile in _named_tiles(facts) if at != "ended.tile"]
        # One half of the last tile is an open end. If seats hold tiles for both halves, one of them could have played.
        if all(any(fits(tile, half) for tile in held) for half in facts.closing.tile):
            reason = say("a seat could have played on the last tile, so the hand was not blocked")
            yield InvalidInput("leftover", reason)


def _faults_of_pips(facts: HandFacts, ruleset: Ruleset, mode: Mode) -> Iterator[InvalidInput]:
    """Pip totals that are impossible with the tiles that no seat is known to hold."""
    named = {ordered(tile) for _, tile in _named_tiles(facts)}
    free = sorted((tile_pips(tile) for tile in full_set(ruleset.set) - named), reverse=True)
    blanks = free.count(0)
    without_tile = [facts.seat] if facts.ended_by == "domino" else []
    without_tile += [seat for seat in _may_have_gone_out(facts, mode) if facts.leftover[seat] == 0][:1]
    for seat, held in enumerate(facts.leftover):
        at = f"leftover.{seat}"
        if not isinstance(held, int):
            continue
        most = sum(free if _may_have_drawn(seat, facts, ruleset) else free[: ruleset.tiles_each])
        if not 0 <= held <= most:
            yield _impossible_pips(at, held, most)
        if held == 0 and seat not in without_tile:
            if not blanks:
                reason = say("0 pips are impossible: the seat holds a tile, and the double blank is elsewhere")
                yield InvalidInput(at, reason)
            blanks -= 1
    known = [held for held in facts.leftover if isinstance(held, int)]
    totals = [total for total in facts.side_leftover or () if total is not None]
    if len(known) + len(totals) > 1 and sum(known) + sum(totals) > sum(free):
        reason = say(
            "{pips} pips are more than the rest of the set has ({rest})", pips=sum(known) + sum(totals), rest=sum(free)
        )
        yield InvalidInput("side_leftover" if totals else "leftover", reason)
    for side, total in enumerate(facts.side_leftover or ()):
        if total is not None:
            yield from _faults_of_total(side, total, facts, free, ruleset, mode)


def _faults_of_each_pips(facts: HandFacts, ruleset: Ruleset) -> Iterator[InvalidInput]:
    """Pip totals that are impossible regardless of the other facts."""
    pips = sorted((tile_pips(tile) for tile in full_set(ruleset.set)), reverse=True)
    for seat, held in enumerate(facts.leftover):
        most = sum(pips if _may_have_drawn(seat, facts, ruleset) else pips[: ruleset.tiles_each])
        if isinstance(held, int) and not 0 <= held <= most:
            yield _impossible_pips(f"leftover.{seat}", held, most)
    for side, total in enumerate(facts.side_leftover or ()):
        if total is not None and not 0 <= total <= sum(pips):
            reason = say(
                "{pips} pips are impossible: this side can hold {least} to {most}", pips=total, least=0, most=sum(pips)
            )
            yield InvalidInput(f"side_leftover.{side}", reason)


def _impossible_pips(at: str, held: int, most: int) -> InvalidInput:
    return InvalidInput(at, say("{pips} pips are impossible: this seat can hold 0 to {most}", pips=held, most=most))


def _faults_of_total(
    side: int, total: int, facts: HandFacts, free: list[int], ruleset: Ruleset, mode: Mode
) -> Iterator[InvalidInput]:
    """The total of a side, if its seats cannot hold it. `free`: the pips of the unnamed tiles, the highest first."""
    seats = seats_of(side, mode, len(facts.leftover))
    known = sum(held for held in pips_by_seat(facts)[seats.start :: seats.step] if held is not None)
    unknown = [seat for seat in seats if facts.leftover[seat] is None]
    may_be_out = any(seat in unknown for seat in _may_have_gone_out(facts, mode))
    least = known + sum(free[len(free) - len(unknown) + may_be_out :])
    most = known + sum(free[: len(unknown) * ruleset.tiles_each])
    if not least <= total <= most:
        reason = say(
            "{pips} pips are impossible: this side can hold {least} to {most}", pips=total, least=least, most=most
        )
        yield InvalidInput(f"side_leftover.{side}", reason)
