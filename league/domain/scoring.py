"""The score of a hand: facts in, winner, terms and points out, by one ruleset."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from league.domain.hand import HandFacts, has_boneyard, held_pips
from league.domain.rules import Mode, Ruleset
from league.domain.seating import count_sides, side_of
from league.domain.tiles import Tile, is_double, tile_pips

RULES = (
    "leftover", "first_hand", "double_out", "domino_without_draw", "block_won", "shutout", "capicua", "chuchazo",
    "round_bonus", "opening_pass", "pase_corrido", "hand_won", "key_bone", "reset",
)  # fmt: skip
"""The names of the terms of a hand, in the order in which they are told."""


class Term(Struct, frozen=True, gc=False, array_like=True):
    """Why a side scored: the rule's name and its points."""

    side: int
    rule: str
    points: int


def _told_at(term: Term) -> int:
    return RULES.index(term.rule)


class HandScore(Struct, frozen=True, gc=False):
    """A scored hand."""

    winner: int | None
    """The winning side; None when nobody won."""
    winning_seat: int | None
    ended_by: Literal["domino", "block"]
    points: tuple[int, ...]
    """By side: what the hand added to the score."""
    terms: tuple[Term, ...]
    """Their sum by side is `points`."""
    not_judged: tuple[str, ...]
    """Rules that needed a fact which is not known; they awarded nothing."""
    counted: bool = True
    """False for a hand after the match had ended under these rules."""
    leftover: int = 0
    """The leftover pips that the winner scored, bonuses apart."""
    capicua: bool | None = False
    """A capicúa that is not void, made by the winner; None when not judged."""


class Before(Struct, frozen=True, gc=False):
    """What a hand's score depends on besides its own facts."""

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


def is_capicua(facts: HandFacts, ruleset: Ruleset) -> bool | None:
    """Whether the hand closed with a capicúa that is not void; None when a fact that it needs is unknown."""
    if facts.ended_by == "block":
        return False
    closing = facts.closing
    made = closing.fits_both_ends if ruleset.capicua == "fits_both_ends" else closing.ends_equal
    if made is False or not ruleset.capicua_void_on:
        return made
    if closing.tile is None:
        return None
    return False if any(_VOID[kind](closing.tile) for kind in ruleset.capicua_void_on) else made


_VOID: dict[str, Callable[[Tile], bool]] = {
    "double": is_double,
    "blank_half": lambda tile: 0 in tile,
    "double_blank": lambda tile: tile == (0, 0),
}


def winner_of_block(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> int | None:
    """The winning seat of a block, None when nobody won or it cannot be derived.

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
        # Only with `side_total` it is the side that was compared, and not the seat itself.
        is_side = ruleset.block_winner == "side_total"
        return _lowest_seat(sides.pop(), facts, mode, pips) if is_side else _first_in_turn(tied, facts, len(pips))
    named = _tie_seat(facts, ruleset, before)
    if named is None:
        return None
    in_turn = [(named + step) % len(pips) for step in range(len(pips))]
    winner = next(seat for seat in in_turn if side_of(seat, mode) in sides)
    return _lowest_seat(side_of(winner, mode), facts, mode, pips)


def _compared(facts: HandFacts, ruleset: Ruleset, mode: Mode, pips: list[int | None]) -> dict[int, int] | None:
    """The number that each seat in question stands for; None when one is unknown."""
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
    """The side's lowest hand; among equal ones the first in turn order from the starter."""
    mine = [seat for seat in range(len(pips)) if side_of(seat, mode) == side]
    known = [value for seat in mine if (value := pips[seat]) is not None]
    lowest = [seat for seat in mine if pips[seat] == min(known)] if known else mine
    return _first_in_turn(lowest, facts, len(pips))


def _first_in_turn(among: list[int], facts: HandFacts, seats: int) -> int:
    """The first of these seats in turn order from the starter."""
    return min(among, key=lambda seat: (seat - (facts.starter or 0)) % seats)


def _tie_seat(facts: HandFacts, ruleset: Ruleset, before: Before) -> int | None:
    """The seat that a tie is given to; None when nobody wins it."""
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
    """The seat that drew the most pips; None when the draw is unknown or was no deciding one."""
    pips = [tile_pips(tile) for tile in draw or ()]
    return pips.index(max(pips)) if pips and pips.count(max(pips)) == 1 else None


class _Hand:
    """Collects the terms of one hand."""

    def __init__(self, facts: HandFacts, ruleset: Ruleset, mode: Mode, before: Before) -> None:
        self.facts, self.ruleset, self.mode, self.before = facts, ruleset, mode, before
        self.seats = len(facts.leftover)
        self.sides = count_sides(mode, self.seats)
        self.terms: list[Term] = []
        self.not_judged: list[str] = []
        self.leftover = 0

    def score(self) -> HandScore:
        facts = self.facts
        domino = facts.ended_by == "domino"
        seat = facts.seat if domino else winner_of_block(facts, self.ruleset, self.mode, self.before)
        winner = None if seat is None else side_of(seat, self.mode)
        capicua = is_capicua(facts, self.ruleset)
        if self.ruleset.scoring == "points":
            self._points(seat, winner, capicua)
        elif self.ruleset.scoring == "hands":
            self._hand_point(winner)
        if capicua is None and "capicua" not in self.not_judged:
            self.not_judged.append("capicua")
        points = [0] * self.sides
        for term in self.terms:
            points[term.side] += term.points
        return HandScore(
            winner=winner,
            winning_seat=seat,
            ended_by=facts.ended_by,
            points=tuple(points),
            terms=tuple(sorted(self.terms, key=_told_at)) if len(self.terms) > 1 else tuple(self.terms),
            not_judged=tuple(sorted(self.not_judged, key=RULES.index)),
            leftover=self.leftover,
            capicua=capicua,
        )

    def _points(self, seat: int | None, winner: int | None, capicua: bool | None) -> None:
        facts, bonus = self.facts, self.ruleset.bonuses
        domino, tile = facts.ended_by == "domino", facts.closing.tile
        no_winner_known = winner is None and not self._nobody_won()
        if seat is not None and winner is not None:
            self._leftover(seat, winner)
        elif no_winner_known:
            self.not_judged.append("leftover")
        if self.before.number == 1:
            self._award("first_hand", bonus.first_hand, winner, None if no_winner_known else winner is not None)
        if domino:
            self._award("double_out", bonus.double_out, winner, None if tile is None else is_double(tile))
            if has_boneyard(self.ruleset, self.seats):
                dry = None if facts.drew is None else seat not in facts.drew
                self._award("domino_without_draw", bonus.domino_without_draw, winner, dry)
        else:
            self._award("block_won", bonus.block_won, winner, None if no_winner_known else winner is not None)
        self._award("capicua", bonus.capicua, winner, capicua)
        if domino:
            self._award("chuchazo", bonus.chuchazo, winner, None if tile is None else tile == (0, 0))
        if self.before.number <= len(bonus.rounds):
            points = bonus.rounds[self.before.number - 1]
            self._award("round_bonus", points, winner, None if no_winner_known else winner is not None)
        self._passes()
        if self.ruleset.shutout == "per_hand" and winner is not None:
            alone = all(term.side == winner or term.points == 0 for term in self.terms)
            self._award("shutout", bonus.shutout, winner, alone)

    def _leftover(self, seat: int, winner: int) -> None:
        everybody, total = self.ruleset.counted_pips == "all_others", 0
        for other, held in enumerate(self.facts.leftover):
            if other != seat and (everybody or side_of(other, self.mode) != winner):
                pips = held_pips(held)
                if pips is None:
                    self.not_judged.append("leftover")
                    return
                total += pips
        self.leftover = total
        self.terms.append(Term(winner, "leftover", total))

    def _passes(self) -> None:
        facts, bonus = self.facts, self.ruleset.bonuses
        starter = None if facts.starter is None else side_of(facts.starter, self.mode)
        scores = facts.opening_pass if starter is not None or not facts.opening_pass else None
        self._award("opening_pass", bonus.opening_pass, starter, scores)
        if facts.corridos is None:
            self._award("pase_corrido", bonus.pase_corrido, None, None)
        for seat in facts.corridos or ():
            self._award("pase_corrido", bonus.pase_corrido, side_of(seat, self.mode), True)

    def _hand_point(self, winner: int | None) -> None:
        """Partnership (Caribbean text, Partnership Variations): the reset rule, the hand's point, the key bone."""
        if winner is None:
            if not self._nobody_won():
                self.not_judged.append("hand_won")
            return
        score = self.before.score
        if self.ruleset.reset != "off" and score[winner] < max(score):
            self.terms.append(Term(winner, "reset", 0))
            if self.ruleset.reset == "to_zero":
                return
        self.terms.append(Term(winner, "hand_won", 1))
        if self.facts.ended_by == "domino":
            self._award("key_bone", self.ruleset.bonuses.key_bone, winner, self.facts.closing.fits_both_ends)

    def _nobody_won(self) -> bool:
        """A tie under `no_score`: known to have no winner, rather than not judged."""
        if self.facts.ended_by == "domino" or self.ruleset.block_tie != "no_score":
            return False
        pips = [held_pips(held) for held in self.facts.leftover]
        return _compared(self.facts, self.ruleset, self.mode, pips) is not None

    def _award(self, rule: str, points: int | None, side: int | None, judged: bool | None) -> None:
        """Add a term when the rule is played and its facts hold; list it when they are unknown."""
        if points is None:
            return
        if judged is None:
            self.not_judged.append(rule)
        elif judged and side is not None:
            self.terms.append(Term(side, rule, points))
