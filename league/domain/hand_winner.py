"""Who won a hand: by its facts, or where these do not tell, by what the sheet states.

Cuban text, Winning a Round and Round Tie Resolution; Caribbean text, Blocked Game; Dominican text 2.6.
"""

from typing import Literal

from msgspec import Struct

from league.domain.hand import HandFacts, held_pips
from league.domain.rules import Mode, Ruleset
from league.domain.seating import seats_of, side_of
from league.domain.side_pips import pips_by_side
from league.domain.tiles import Tile, tile_pips

WinnerBy = Literal["facts", "stated"]
"""What names the winner of a hand: its facts, or the sheet alone."""


class Before(Struct, frozen=True, gc=False):
    """What the score of a hand depends on beside its own facts."""

    number: int
    """Of the hand, from 1."""
    score: tuple[int, ...]
    """By side, before the hand."""
    last_winner: int | None = None
    """The side that won the last hand that had a winner."""
    last_winner_known: bool = True
    """False where a hand since then may have had a winner who is not known."""
    starting_draw: tuple[Tile, ...] | None = None


class Won(Struct, frozen=True, gc=False):
    """Who won a hand."""

    side: int | None
    """None: no side, by a tie that is not scored."""
    seat: int | None
    """None also where only the side is known."""
    by: WinnerBy | None


NO_SIDE = Won(None, None, None)


def winner_of(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> Won | None:
    """Who won a hand; None where neither the facts nor the sheet tell."""
    won = winner_by_facts(facts, ruleset, mode, before)
    if won is not None or facts.stated_winner is None:
        return won
    seats = seats_of(facts.stated_winner, mode, len(facts.leftover))
    return Won(facts.stated_winner, seats[0] if len(seats) == 1 else None, "stated")


def winner_by_facts(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> Won | None:
    """Who won a hand by its facts; None where they do not tell."""
    if facts.ended_by == "domino":
        return None if facts.seat is None else Won(side_of(facts.seat, mode), facts.seat, "facts")
    pips = [held_pips(held) for held in facts.leftover]
    seats: list[int] | None = None
    if ruleset.block_winner == "side_total":
        sides = _lowest_sides(facts, pips, mode)
    else:
        seats = _lowest_compared(facts, ruleset, pips)
        sides = None if seats is None else list({side_of(seat, mode) for seat in seats})
    if sides is None:
        return None
    if len(sides) > 1 and ruleset.block_tie == "no_score":
        return NO_SIDE
    side = sides[0] if len(sides) == 1 else _side_that_wins_tie(sides, facts, ruleset, mode, before)
    if side is None:
        return None
    if seats is None:
        # Sides were compared: the seat of the winning side with the fewest pips wins.
        return Won(side, _lowest_seat(side, facts, mode, pips), "facts")
    # Seats were compared: a partner who was not among them does not win, even with fewer pips.
    return Won(side, _first_in_turn([seat for seat in seats if side_of(seat, mode) == side], facts), "facts")


def _lowest_sides(facts: HandFacts, pips: list[int | None], mode: Mode) -> list[int] | None:
    """The sides with the fewest pips; None when those of one are unknown."""
    totals = pips_by_side(facts, pips, mode)
    known = [total for total in totals if total is not None]
    return [side for side, total in enumerate(totals) if total == min(known)] if len(known) == len(totals) else None


def _lowest_compared(facts: HandFacts, ruleset: Ruleset, pips: list[int | None]) -> list[int] | None:
    """Of the seats that are compared those with the fewest pips; None when those of one are unknown."""
    seats = range(len(pips))
    compared: list[int | None] = [*seats]
    if ruleset.block_winner == "locker_vs_next":
        compared = [facts.seat, None if facts.seat is None else (facts.seat + 1) % len(pips)]
    known = {seat: held for seat in compared if seat is not None and (held := pips[seat]) is not None}
    if len(known) < len(compared):
        return None
    lowest = min(known.values())
    return [seat for seat, held in known.items() if held == lowest]


def _side_that_wins_tie(sides: list[int], facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> int | None:
    """The side of the seat that the rule names, or of the first tied seat after it; None when it is not known."""
    named = _tie_seat(facts, ruleset, before)
    if named is None:
        return None
    count = len(facts.leftover)
    in_turn = (side_of((named + step) % count, mode) for step in range(count))
    return next(side for side in in_turn if side in sides)


def _lowest_seat(side: int, facts: HandFacts, mode: Mode, pips: list[int | None]) -> int | None:
    """The seat of a side with the fewest pips; None when those of one seat are unknown."""
    seats = seats_of(side, mode, len(pips))
    known = {seat: held for seat in seats if (held := pips[seat]) is not None}
    if len(known) < len(seats):
        return None
    lowest = min(known.values())
    return _first_in_turn([seat for seat in seats if known[seat] == lowest], facts)


def _first_in_turn(among: list[int], facts: HandFacts) -> int:
    """The first of these seats in turn order from the starter; equal hands of one side are settled so."""
    return min(among, key=lambda seat: (seat - (facts.starter or 0)) % len(facts.leftover))


def _tie_seat(facts: HandFacts, ruleset: Ruleset, before: Before) -> int | None:
    """The seat that wins a tie; None when it is not known."""
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
    """The seat that drew the most pips; None when the draw is unknown or tied."""
    pips = [tile_pips(tile) for tile in draw or ()]
    return pips.index(max(pips)) if pips and pips.count(max(pips)) == 1 else None
