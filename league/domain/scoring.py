"""The score of a hand: facts in, winner, terms and points out, by one ruleset."""

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import BONUSES, HAND_TERMS, HandBonus, JudgedHand, Term, is_capicua
from league.domain.hand import HandFacts, held_pips
from league.domain.rules import Bonuses, Mode, Ruleset
from league.domain.seating import count_sides, side_of
from league.domain.tiles import Tile, tile_pips

_ORDER = {name: place for place, name in enumerate(HAND_TERMS)}


class HandScore(Struct, frozen=True, gc=False):
    """A scored hand."""

    winner: int | None
    """The winning side; None when no side won."""
    winning_seat: int | None
    ended_by: Literal["domino", "block"]
    points: tuple[int, ...]
    """By side: what the hand added to the score."""
    terms: tuple[Term, ...]
    """Their sum by side is `points`."""
    not_judged: tuple[str, ...]
    """Rules that needed an unknown fact; they awarded nothing."""
    counted: bool = True
    """False for a hand after the match had ended under these rules."""
    leftover: int = 0
    """The leftover pips that the winner scored, bonuses apart."""
    capicua: bool | None = False
    """A capicúa that is not void, made by the winner; None when not judged."""


class Before(Struct, frozen=True, gc=False):
    """What the score of a hand depends on beside its own facts."""

    number: int
    """Of the hand, from 1."""
    score: tuple[int, ...]
    """By side, before the hand."""
    last_winning_seat: int | None = None
    """Of the last hand that had a winner."""
    starting_draw: tuple[Tile, ...] | None = None


def score_hand(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> HandScore:
    """Score one hand (Caribbean text, `determineRoundWinner` and `calculateRoundPoints`)."""
    hand = _Hand(facts, ruleset, mode, before)
    return hand.score()


def winner_of_block(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> int | None:
    """The winning seat of a block; None when no seat won, or when the winner cannot be derived.

    Cuban text, Winning a Round and Round Tie Resolution; Caribbean text, Blocked Game; Dominican text 2.6.
    """
    pips = [held_pips(held) for held in facts.leftover]
    compared = _compared(facts, ruleset, mode, pips)
    if compared is None:
        return None
    lowest = min(compared.values())
    tied = [seat for seat, value in compared.items() if value == lowest]
    sides = {side_of(seat, mode) for seat in tied}
    if len(sides) == 1:
        # `side_total` compares sides: the seat of the winning side with the fewest pips wins.
        is_side = ruleset.block_winner == "side_total"
        return _lowest_seat(sides.pop(), facts, mode, pips) if is_side else _first_in_turn(tied, facts, len(pips))
    named = _tie_seat(facts, ruleset, before)
    if named is None:
        return None
    in_turn = [(named + step) % len(pips) for step in range(len(pips))]
    winner = next(seat for seat in in_turn if side_of(seat, mode) in sides)
    return _lowest_seat(side_of(winner, mode), facts, mode, pips)


def _compared(facts: HandFacts, ruleset: Ruleset, mode: Mode, pips: list[int | None]) -> dict[int, int] | None:
    """By seat that can win the block, the pips that decide it; None when one of them is unknown."""
    seats = range(len(pips))
    if ruleset.block_winner == "locker_vs_next":
        if facts.seat is None:
            return None
        duel = (facts.seat, (facts.seat + 1) % len(pips))
        known = {seat: pips[seat] for seat in duel}
    elif ruleset.block_winner == "side_total":
        if None in pips:
            return None
        known = {s: sum(pips[t] or 0 for t in seats if side_of(t, mode) == side_of(s, mode)) for s in seats}
    else:
        known = {seat: pips[seat] for seat in seats}
    return None if None in known.values() else {seat: value for seat, value in known.items() if value is not None}


def _lowest_seat(side: int, facts: HandFacts, mode: Mode, pips: list[int | None]) -> int:
    """The seat of the side with the fewest pips; among equals the first in turn order from the starter."""
    mine = [seat for seat in range(len(pips)) if side_of(seat, mode) == side]
    known = [value for seat in mine if (value := pips[seat]) is not None]
    lowest = [seat for seat in mine if pips[seat] == min(known)] if known else mine
    return _first_in_turn(lowest, facts, len(pips))


def _first_in_turn(among: list[int], facts: HandFacts, seats: int) -> int:
    """The first of these seats in turn order from the starter."""
    return min(among, key=lambda seat: (seat - (facts.starter or 0)) % seats)


def _tie_seat(facts: HandFacts, ruleset: Ruleset, before: Before) -> int | None:
    """The seat that wins a tie; None when no seat does."""
    match ruleset.block_tie:
        case "no_score":
            return None
        case "locker":
            return facts.seat
        case "starter":
            return facts.starter
        case "previous_winner" if before.last_winning_seat is not None:
            return before.last_winning_seat
    drawn = _highest_draw(before.starting_draw)
    return facts.starter if drawn is None else drawn


def _highest_draw(draw: tuple[Tile, ...] | None) -> int | None:
    """The seat that drew the most pips; None when the draw is unknown or tied."""
    pips = [tile_pips(tile) for tile in draw or ()]
    return pips.index(max(pips)) if pips and pips.count(max(pips)) == 1 else None


class _Hand:
    """Collects the terms of one hand."""

    def __init__(self, facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> None:
        self.facts, self.ruleset, self.mode, self.before = facts, ruleset, mode, before
        domino = facts.ended_by == "domino"
        self.seat = facts.seat if domino else winner_of_block(facts, ruleset, mode, before)
        self.winner = None if self.seat is None else side_of(self.seat, mode)
        self.winner_known = self.winner is not None or self._is_tie_without_winner()
        self.capicua = is_capicua(facts, ruleset)
        self.terms: list[Term] = []
        self.not_judged: list[str] = []
        self.leftover = 0

    def score(self) -> HandScore:
        if self.ruleset.scoring == "points":
            self._leftover()
            self._bonuses()
        elif self.ruleset.scoring == "hands" and self._hand_point():
            self._bonuses()
        if self.capicua is None and "capicua" not in self.not_judged:
            self.not_judged.append("capicua")
        points = [0] * count_sides(self.mode, len(self.facts.leftover))
        for term in self.terms:
            points[term.side] += term.points
        return HandScore(
            winner=self.winner,
            winning_seat=self.seat,
            ended_by=self.facts.ended_by,
            points=tuple(points),
            terms=tuple(sorted(self.terms, key=_place)) if len(self.terms) > 1 else tuple(self.terms),
            not_judged=tuple(sorted(self.not_judged, key=_ORDER.__getitem__)),
            leftover=self.leftover,
            capicua=self.capicua,
        )

    def _leftover(self) -> None:
        if self.winner is None:
            if not self.winner_known:
                self.not_judged.append("leftover")
            return
        everybody, total = self.ruleset.counted_pips == "all_others", 0
        for other, held in enumerate(self.facts.leftover):
            if other != self.seat and (everybody or side_of(other, self.mode) != self.winner):
                pips = held_pips(held)
                if pips is None:
                    self.not_judged.append("leftover")
                    return
                total += pips
        self.leftover = total
        self.terms.append(Term(self.winner, "leftover", total))

    def _hand_point(self) -> bool:
        """Partnership (Caribbean text, Partnership Variations): the reset rule and the hand's point.

        False when the hand scores no point.
        """
        if self.winner is None:
            if not self.winner_known:
                self.not_judged.append("hand_won")
            return False
        score = self.before.score
        if self.ruleset.reset != "off" and score[self.winner] < max(score):
            self.terms.append(Term(self.winner, "reset", 0))
            if self.ruleset.reset == "to_zero":
                return False
        self.terms.append(Term(self.winner, "hand_won", 1))
        return True

    def _bonuses(self) -> None:
        """Award the bonuses that the ruleset plays; list those whose facts are unknown."""
        played = _played(self.ruleset.bonuses, self.ruleset.scoring)
        if not played:
            return
        hand = JudgedHand(
            self.facts, self.ruleset, self.mode, self.before.number, self.seat, self.winner, self.winner_known,
            self.capicua, self.terms,
        )  # fmt: skip
        for bonus, by_hand in played:
            points = by_hand if isinstance(by_hand, int) else _points_of_hand(hand.number, by_hand)
            if points is None:
                continue
            sides = bonus.award(hand)
            if sides is None:
                self.not_judged.append(bonus.name)
            elif sides:
                self.terms += [Term(side, bonus.name, points) for side in sides]

    def _is_tie_without_winner(self) -> bool:
        """A tied block under `no_score` is known to have no winner."""
        if self.facts.ended_by == "domino" or self.ruleset.block_tie != "no_score":
            return False
        pips = [held_pips(held) for held in self.facts.leftover]
        return _compared(self.facts, self.ruleset, self.mode, pips) is not None


def _place(term: Term) -> int:
    return _ORDER[term.rule]


@lru_cache(maxsize=256)
def _played(bonuses: Bonuses, scoring: str) -> list[tuple[HandBonus, int | tuple[int, ...]]]:
    """The bonuses that a ruleset plays, with their points, in the order in which they are judged."""
    found = [
        (bonus, points)
        for setting, bonus in BONUSES.items()
        if bonus.scoring == scoring and (points := getattr(bonuses, setting)) not in (None, ())
    ]
    return sorted(found, key=lambda each: each[0].judged_last)


def _points_of_hand(number: int, by_hand: tuple[int, ...]) -> int | None:
    return by_hand[number - 1] if number <= len(by_hand) else None
