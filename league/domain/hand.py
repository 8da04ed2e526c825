"""The facts of one hand, and what follows from them: the pips of sides, and who won.

`hand_faults` says which facts cannot be true together.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from league.domain.rules import Mode, Ruleset
from league.domain.seating import FULL_TABLE, count_sides, seats_of, side_of
from league.domain.tiles import Tile, full_set, ordered, tile_pips, total_pips

Held = tuple[Tile, ...] | int | None
"""The tiles that a seat still holds, or only their pip total; None if unknown."""
MOST_CORRIDOS = len(full_set("double-nine"))
"""Limit on the pases corridos of a side in one hand: the number of tiles in the largest set."""


# gc=False: folds make such values by the million. They form no cycles, so the garbage collector need not visit them.
class Closing(Struct, frozen=True, gc=False):
    """The last tile played and its facts. A fact is None if it is not known."""

    tile: Tile | None = None
    fits_both_ends: bool | None = None
    """The tile could have gone on either end; true also if both ends showed the same number."""
    ends_equal: bool | None = None
    """After the tile both ends show the same number."""
    blocks_too: bool | None = None
    """After the tile no tile that a seat held or could draw fitted an end."""


def _unknown() -> None:
    """Default of a fact that events write out even if it is not known. Plain defaults are omitted from events."""


class HandFacts(Struct, frozen=True, gc=False, omit_defaults=True):
    """The known facts of a hand. None always means: not known."""

    starter: int | None
    ended_by: Literal["domino", "block"]
    seat: int | None
    """The seat that went out, or in a block the locker."""
    leftover: tuple[Held, ...]
    closing: Closing = field(default_factory=Closing)
    opening_pass: bool | None = field(default_factory=_unknown)
    """Whether there was an opening pass that scores. False also if the third seat voided it."""
    corridos: tuple[int, ...] | None = field(default_factory=_unknown)
    """The seat of each pase corrido, in order."""
    drew: tuple[int, ...] | None = field(default_factory=_unknown)
    """The seats that drew from the boneyard."""
    side_leftover: tuple[int | None, ...] | None = None
    """Pips of each side, if the tiles of partners were counted together."""
    side_corridos: tuple[int, ...] | None = None
    """Number of pases corridos of each side, if the seats are not known."""
    stated_winner: int | None = None
    """The side that the sheet names as the winner. It counts only if the facts give no winner."""
    stated_capicua: bool | None = None
    """Whether the sheet claims a capicúa. It counts only if the facts leave it open."""


def has_boneyard(ruleset: Ruleset, seats: int) -> bool:
    """Whether a seat that cannot play draws. With four seats there is no boneyard (Caribbean text, Playing Turns)."""
    return ruleset.cannot_play != "pass" and seats < FULL_TABLE


def held_pips(held: Held) -> int | None:
    """The pips that a seat still holds; None if unknown."""
    return held if held is None or isinstance(held, int) else total_pips(held)


def spelled(facts: HandFacts) -> HandFacts:
    """The facts in one spelling: every tile with its lower half first, held tiles in order."""
    leftover = tuple(tuple(sorted(map(ordered, held))) if isinstance(held, tuple) else held for held in facts.leftover)
    tile = facts.closing.tile and ordered(facts.closing.tile)
    return replace(facts, leftover=leftover, closing=replace(facts.closing, tile=tile))


def with_statement_of(said: HandFacts, facts: HandFacts) -> HandFacts:
    """These facts with the stated winner and capicúa of `said`."""
    return replace(facts, stated_winner=said.stated_winner, stated_capicua=said.stated_capicua)


# ---------------------------------------------------------------- sides whose seats were not counted apart


def pips_by_seat(facts: HandFacts) -> list[int | None]:
    """The pips that each seat held; None if not known. The seat that went out holds 0."""
    pips = [held_pips(held) for held in facts.leftover]
    if facts.ended_by == "domino" and facts.seat is not None and pips[facts.seat] is None:
        pips[facts.seat] = 0
    return pips


def pips_by_side(facts: HandFacts, pips: Sequence[int | None], mode: Mode) -> list[int | None]:
    """The pips of each side: the sum of its seats' `pips` if all are known, else its recorded total, else None."""
    totals = facts.side_leftover or ()
    found: list[int | None] = []
    for side in range(count_sides(mode, len(pips))):
        known = [held for seat in seats_of(side, mode, len(pips)) if (held := pips[seat]) is not None]
        complete = len(known) == len(seats_of(side, mode, len(pips)))
        found.append(sum(known) if complete else totals[side] if totals else None)
    return found


def pips_that_count(facts: HandFacts, ruleset: Ruleset, mode: Mode, side: int, seat: int | None) -> int | None:
    """The pips that the winner of a hand scores, before any doubling; None if some of them are not known.

    `side` and `seat` won the hand; `seat` is None if it is not known.
    """
    if ruleset.counted_pips == "all_on_block" and facts.ended_by == "block":
        known = [total for total in pips_by_side(facts, pips_by_seat(facts), mode) if total is not None]
        return sum(known) if len(known) == count_sides(mode, len(facts.leftover)) else None
    return pips_for_viajera(facts, ruleset, mode, side, seat)


def pips_for_viajera(facts: HandFacts, ruleset: Ruleset, mode: Mode, side: int, seat: int | None) -> int | None:
    """The pips that make a viajera: never the winner's own; None if some of them are not known."""
    return pips_of_others(facts, mode, side, seat, partner_too=ruleset.counted_pips == "all_others")


def pips_of_others(facts: HandFacts, mode: Mode, side: int, seat: int | None, *, partner_too: bool) -> int | None:
    """The pips that the other sides held, and with `partner_too` the partner of the winning seat.

    `side` and `seat` won the hand; `seat` is None if it is not known. Returns None if some of these pips are not known.
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
        # The seat that went out held nothing. In a block the side's total includes the pips of the winning seat.
        counted.append(by_side[side] if facts.ended_by == "domino" else None)
    known = [total for total in counted if total is not None]
    return sum(known) if len(known) == len(counted) else None


def corridos_by_side(facts: HandFacts, mode: Mode) -> tuple[int, ...] | None:
    """The number of pases corridos of each side; None if not known."""
    if facts.corridos is None:
        return facts.side_corridos
    sides = [side_of(seat, mode) for seat in facts.corridos]
    return tuple(sides.count(side) for side in range(count_sides(mode, len(facts.leftover))))


def told_by_seat(facts: HandFacts, mode: Mode) -> HandFacts:
    """The facts with each seat's figures derived from the figures of its side, where they follow.

    Drops figures of sides that add nothing. Figures that contradict the seats stay, so that `faults_of` names them.
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


# ---------------------------------------------------------------- who won


WinnerBy = Literal["facts", "stated"]
"""The source of a hand's winner: its facts, or only the sheet's statement."""


class HandContext(Struct, frozen=True, gc=False):
    """Everything beside the facts of a hand that its score depends on."""

    number: int
    """The number of the hand, from 1."""
    score: tuple[int, ...]
    """The score of each side before the hand."""
    last_winner: int | None = None
    """The side that won the last hand that had a winner."""
    last_winner_known: bool = True
    """False if the winner of the last hand that may have had one is not known."""
    starting_draw: tuple[Tile, ...] | None = None


class HandWinner(Struct, frozen=True, gc=False):
    """Who won a hand."""

    side: int | None
    """None: no side won, because the hand was a tie that is not scored."""
    seat: int | None
    """None also if only the side is known."""
    by: WinnerBy | None


NO_SIDE = HandWinner(None, None, None)
NOBODY_WINS = ("no_score", "next_starts")
"""The values of `block_tie` under which nobody wins a tie."""


def winner_of(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: HandContext) -> HandWinner | None:
    """The winner of a hand, by its facts or else by the sheet; None if neither tells."""
    won = winner_by_facts(facts, ruleset, mode, before)
    if won is not None or facts.stated_winner is None:
        return won
    seats = seats_of(facts.stated_winner, mode, len(facts.leftover))
    return HandWinner(facts.stated_winner, seats[0] if len(seats) == 1 else None, "stated")


def winner_by_facts(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: HandContext) -> HandWinner | None:
    """The winner of a hand by its facts alone; None if they do not tell."""
    if facts.ended_by == "domino":
        return None if facts.seat is None else HandWinner(side_of(facts.seat, mode), facts.seat, "facts")
    pips = [held_pips(held) for held in facts.leftover]
    seats: list[int] | None = None
    if ruleset.block_winner == "side_total":
        sides = _lowest_sides(facts, pips, mode)
    else:
        seats = _lowest_compared(facts, ruleset, pips)
        sides = None if seats is None else list({side_of(seat, mode) for seat in seats})
    if sides is None:
        return None
    if len(sides) > 1 and ruleset.block_tie in NOBODY_WINS:
        return NO_SIDE
    side = sides[0] if len(sides) == 1 else _side_that_wins_tie(sides, facts, ruleset, mode, before)
    if side is None:
        return None
    if seats is None:
        # Sides were compared: the seat of the winning side with the fewest pips wins.
        return HandWinner(side, _lowest_seat(side, facts, mode, pips), "facts")
    # Seats were compared: a partner who was not among them does not win, even with fewer pips.
    return HandWinner(side, _first_in_turn([seat for seat in seats if side_of(seat, mode) == side], facts), "facts")


def _lowest_sides(facts: HandFacts, pips: list[int | None], mode: Mode) -> list[int] | None:
    """The sides with the fewest pips; None if the pips of a side are unknown."""
    totals = pips_by_side(facts, pips, mode)
    known = [total for total in totals if total is not None]
    return [side for side, total in enumerate(totals) if total == min(known)] if len(known) == len(totals) else None


def _lowest_compared(facts: HandFacts, ruleset: Ruleset, pips: list[int | None]) -> list[int] | None:
    """The compared seats that hold the fewest pips; None if the pips of a compared seat are unknown."""
    seats = range(len(pips))
    compared: list[int | None] = [*seats]
    if ruleset.block_winner == "locker_vs_next":
        compared = [facts.seat, None if facts.seat is None else (facts.seat + 1) % len(pips)]
    known = {seat: held for seat in compared if seat is not None and (held := pips[seat]) is not None}
    if len(known) < len(compared):
        return None
    lowest = min(known.values())
    return [seat for seat, held in known.items() if held == lowest]


def _side_that_wins_tie(
    sides: list[int], facts: HandFacts, ruleset: Ruleset, mode: Mode, before: HandContext
) -> int | None:
    """The first tied side in turn order from the seat that the rule names; None if that seat is not known."""
    named = _tie_seat(facts, ruleset, before)
    if named is None:
        return None
    count = len(facts.leftover)
    in_turn = (side_of((named + step) % count, mode) for step in range(count))
    return next(side for side in in_turn if side in sides)


def _lowest_seat(side: int, facts: HandFacts, mode: Mode, pips: list[int | None]) -> int | None:
    """The seat of a side with the fewest pips; None if the pips of one of its seats are unknown."""
    seats = seats_of(side, mode, len(pips))
    known = {seat: held for seat in seats if (held := pips[seat]) is not None}
    if len(known) < len(seats):
        return None
    lowest = min(known.values())
    return _first_in_turn([seat for seat in seats if known[seat] == lowest], facts)


def _first_in_turn(among: list[int], facts: HandFacts) -> int:
    """The first of these seats in turn order from the starter. Decides between equal hands of one side."""
    return min(among, key=lambda seat: (seat - (facts.starter or 0)) % len(facts.leftover))


def _tie_seat(facts: HandFacts, ruleset: Ruleset, before: HandContext) -> int | None:
    """The seat that the rule for ties names; None if it is not known."""
    match ruleset.block_tie:
        case "locker":
            return facts.seat
        case "starter":
            return facts.starter
        case "previous_winner" if not before.last_winner_known:
            return None
        case "previous_winner" if before.last_winner is not None:
            return before.last_winner  # the first seat of a side has its number
    drawn = _highest_draw(before.starting_draw)
    return facts.starter if drawn is None else drawn


def _highest_draw(draw: tuple[Tile, ...] | None) -> int | None:
    """The seat that drew the most pips; None if the draw is unknown or tied."""
    pips = [tile_pips(tile) for tile in draw or ()]
    return pips.index(max(pips)) if pips and pips.count(max(pips)) == 1 else None
