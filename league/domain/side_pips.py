"""What is known of sides whose seats were not counted apart: their pips, and their pases corridos."""

from collections.abc import Sequence

from msgspec.structs import replace

from league.domain.hand import HandFacts, held_pips
from league.domain.rules import Mode
from league.domain.seating import count_sides, seats_of, side_of
from league.domain.tiles import full_set

MOST_CORRIDOS = len(full_set("double-nine"))
"""By one side in a hand: no more than the largest set has tiles."""


def pips_by_seat(facts: HandFacts) -> list[int | None]:
    """The pips that each seat held, None where not known. The seat that went out holds 0."""
    pips = [held_pips(held) for held in facts.leftover]
    if facts.ended_by == "domino" and facts.seat is not None and pips[facts.seat] is None:
        pips[facts.seat] = 0
    return pips


def pips_by_side(facts: HandFacts, pips: Sequence[int | None], mode: Mode) -> list[int | None]:
    """The pips of each side: those of its seats (`pips`) together, else its total, else None."""
    totals = facts.side_leftover or ()
    found: list[int | None] = []
    for side in range(count_sides(mode, len(pips))):
        known = [held for seat in seats_of(side, mode, len(pips)) if (held := pips[seat]) is not None]
        complete = len(known) == len(seats_of(side, mode, len(pips)))
        found.append(sum(known) if complete else totals[side] if totals else None)
    return found


def pips_of_others(facts: HandFacts, mode: Mode, side: int, seat: int | None, *, partner_too: bool) -> int | None:
    """The pips of all but the winning side and seat (None: not known), with those of the partner or without.

    None where one of them is not known.
    """
    if facts.side_leftover is not None or (seat is None and partner_too):
        return _pips_of_other_sides(facts, mode, side, seat, partner_too=partner_too)
    total = 0
    for other, held in enumerate(facts.leftover):
        if other != seat and (partner_too or side_of(other, mode) != side):
            pips = held_pips(held)
            if pips is None:
                return None
            total += pips
    return total


def _pips_of_other_sides(facts: HandFacts, mode: Mode, side: int, seat: int | None, *, partner_too: bool) -> int | None:
    pips = pips_by_seat(facts)
    by_side = pips_by_side(facts, pips, mode)
    counted = [total for other, total in enumerate(by_side) if other != side]
    if partner_too and seat is not None:
        counted += [pips[other] for other in seats_of(side, mode, len(pips)) if other != seat]
    elif partner_too:
        # The seat that went out held nothing. In a block the pips of the winning seat are not known apart.
        counted.append(by_side[side] if facts.ended_by == "domino" else None)
    known = [total for total in counted if total is not None]
    return sum(known) if len(known) == len(counted) else None


def corridos_by_side(facts: HandFacts, mode: Mode) -> tuple[int, ...] | None:
    """How many pases corridos each side made; None where not known."""
    if facts.corridos is None:
        return facts.side_corridos
    sides = [side_of(seat, mode) for seat in facts.corridos]
    return tuple(sides.count(side) for side in range(count_sides(mode, len(facts.leftover))))


def told_by_seat(facts: HandFacts, mode: Mode) -> HandFacts:
    """The facts with what the figures of sides say of seats. Figures that say nothing more are dropped.

    Figures that contradict the seats are kept, for `faults_of` to name.
    """
    seats = len(facts.leftover)
    if facts.side_leftover is not None and len(facts.side_leftover) == count_sides(mode, seats):
        facts = _pips_told_by_seat(facts, facts.side_leftover, mode)
    if facts.side_corridos is not None and len(facts.side_corridos) == count_sides(mode, seats):
        facts = _corridos_told_by_seat(facts, facts.side_corridos, mode)
    return facts


def _pips_told_by_seat(facts: HandFacts, totals: tuple[int | None, ...], mode: Mode) -> HandFacts:
    leftover, new = list(facts.leftover), list(totals)
    in_range = facts.seat is None or 0 <= facts.seat < len(leftover)
    pips = pips_by_seat(facts) if in_range else [held_pips(held) for held in leftover]
    for side, total in enumerate(totals):
        seats = seats_of(side, mode, len(leftover))
        unknown = [seat for seat in seats if pips[seat] is None]
        rest = None if total is None else total - sum(pips[seat] or 0 for seat in seats)
        if rest == 0 and not unknown:
            new[side] = None
        elif rest is not None and rest >= 0 and len(unknown) == 1:
            leftover[unknown[0]], new[side] = rest, None
    side_leftover = tuple(new) if any(total is not None for total in new) else None
    return replace(facts, leftover=tuple(leftover), side_leftover=side_leftover)


def _corridos_told_by_seat(facts: HandFacts, counts: tuple[int, ...], mode: Mode) -> HandFacts:
    if any(not 0 <= count <= MOST_CORRIDOS for count in counts):
        return facts
    corridos, seats = facts.corridos, len(facts.leftover)
    if corridos is None and (not any(counts) or len(counts) == seats):
        # No side made one, or each side is one player.
        corridos = tuple(side for side, count in enumerate(counts) for _ in range(count))
    if corridos is None:
        return facts
    facts = replace(facts, corridos=corridos)
    return replace(facts, side_corridos=None if corridos_by_side(facts, mode) == counts else counts)
