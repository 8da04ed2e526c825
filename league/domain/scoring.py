"""Scores a hand under one ruleset: from its facts, the winner, the terms and the points."""

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import BONUSES, HAND_TERMS, HandBonus, JudgedHand, ScoredTerm, is_capicua
from league.domain.endings import possible_points
from league.domain.hand import HandContext, HandFacts, WinnerBy, pips_for_viajera, pips_that_count, winner_of
from league.domain.rules import Bonuses, EndingPoints, Mode, Ruleset
from league.domain.seating import count_sides

_ORDER = {name: place for place, name in enumerate(HAND_TERMS)}


class HandScore(Struct, frozen=True, gc=False):
    """A scored hand."""

    winner: int | None
    """The winning side; None when no side won."""
    winning_seat: int | None
    """None also if only the side is known."""
    ended_by: Literal["domino", "block"]
    points: tuple[int, ...]
    """Points that the hand added to the score of each side."""
    terms: tuple[ScoredTerm, ...]
    """The reasons for the points. Their sum for each side is `points`."""
    not_judged: tuple[str, ...]
    """Rules that needed an unknown fact; they awarded nothing."""
    counted: bool = True
    """False for a hand after the match had ended under these rules."""
    leftover: int = 0
    """The leftover pips that the winner scored, without bonuses and counted once."""
    viajera_pips: int | None = 0
    """The pips that a viajera needs; None if they are not known. 0 where nobody won, or the rules know no viajera."""
    capicua: bool | None = False
    """Whether the hand closed with a capicúa that is not void; None if this was not judged."""
    winner_by: WinnerBy | None = None
    """The source of the winner; None if no side won."""
    winner_known: bool = True
    """False when neither the facts nor the sheet tell who won."""


def score_hand(facts: HandFacts, ruleset: Ruleset, mode: Mode, before: HandContext) -> HandScore:
    """Score one hand (Caribbean text, `determineRoundWinner` and `calculateRoundPoints`)."""
    hand = _HandScorer(facts, ruleset, mode, before)
    return hand.score()


class _HandScorer:
    """Collects the terms of one hand."""

    def __init__(self, facts: HandFacts, ruleset: Ruleset, mode: Mode, before: HandContext) -> None:
        self.facts, self.ruleset, self.mode, self.before = facts, ruleset, mode, before
        won = winner_of(facts, ruleset, mode, before)
        self.winner_known = won is not None
        self.winner, self.seat, self.by = (None, None, None) if won is None else (won.side, won.seat, won.by)
        self.capicua = is_capicua(facts, ruleset)
        self.terms: list[ScoredTerm] = []
        self.not_judged: list[str] = []
        self.leftover = 0
        self.viajera_pips: int | None = 0

    def score(self) -> HandScore:
        if self.ruleset.scoring == "points":
            if self.ruleset.ending is None:
                self._leftover()
            else:
                self._ending(self.ruleset.ending)
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
            terms=tuple(sorted(self.terms, key=lambda term: _ORDER[term.rule])),
            not_judged=tuple(sorted(self.not_judged, key=_ORDER.__getitem__)),
            leftover=self.leftover,
            viajera_pips=self.viajera_pips,
            capicua=self.capicua,
            winner_by=self.by,
            winner_known=self.winner_known,
        )

    def _leftover(self) -> None:
        """Give the winner the leftover pips, and twice for a capicúa where the ruleset doubles it."""
        if self.winner is None:
            if not self.winner_known:
                self.not_judged.append("leftover")
                self.viajera_pips = None
            return
        self.viajera_pips = pips_for_viajera(self.facts, self.ruleset, self.mode, self.winner, self.seat)
        total = pips_that_count(self.facts, self.ruleset, self.mode, self.winner, self.seat)
        if total is None:
            self.not_judged.append("leftover")
        else:
            self.leftover = total
            self.terms.append(ScoredTerm(self.winner, "leftover", total))
        if self.ruleset.capicua_doubles and self.capicua is not False:
            if self.capicua is None or total is None:
                self.not_judged.append("capicua_doubled")
            else:
                self.terms.append(ScoredTerm(self.winner, "capicua_doubled", total))

    def _ending(self, points: EndingPoints) -> None:
        """Give the winner the points for the way in which the hand ended, if all that is possible gives one number."""
        if self.winner is None:
            if not self.winner_known:
                self.not_judged.append("ending")
            return
        possible = possible_points(self.facts, points)
        if len(possible) == 1:
            self.terms.append(ScoredTerm(self.winner, "ending", *possible))
        else:
            self.not_judged.append("ending")

    def _hand_point(self) -> bool:
        """Apply the reset rule and give the hand's point (Caribbean text, Partnership Variations).

        Returns False if the hand scores no point.
        """
        if self.winner is None:
            if not self.winner_known:
                self.not_judged.append("hand_won")
            return False
        score = self.before.score
        if self.ruleset.reset != "off" and score[self.winner] < max(score):
            self.terms.append(ScoredTerm(self.winner, "reset", 0))
            if self.ruleset.reset == "to_zero":
                return False
        self.terms.append(ScoredTerm(self.winner, "hand_won", 1))
        return True

    def _bonuses(self) -> None:
        """Award the bonuses that the ruleset plays, and list those whose facts are unknown."""
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
                self.terms += [ScoredTerm(side, bonus.name, points) for side in sides]


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
