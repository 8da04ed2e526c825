"""What a hand scores in its place in a match, before a person has recorded it."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from league.domain.hand import HandFacts
from league.domain.hand_faults import checked
from league.domain.result import Played, result_of
from league.domain.rules import Ruleset
from league.domain.scoring import HandScore


class ScoredInPlace(Struct, frozen=True):
    """A hand with its score."""

    facts: HandFacts
    score: HandScore
    before: tuple[int, ...]
    """The score before the hand, by side."""


def score_in_place(facts: HandFacts, hand: int, played: Played, ruleset: Ruleset) -> ScoredInPlace:
    """Score a hand as the one of this number. Raises InvalidInput."""
    facts = checked(facts, ruleset, played.mode, len(played.seats))
    earlier = played.hands[: hand - 1]
    before = result_of(_open(played, earlier), ruleset).score or (0,) * len(played.sides)
    score = result_of(_open(played, (*earlier, facts)), ruleset).hands[-1]
    return ScoredInPlace(facts, score, before)


def _open(played: Played, hands: Sequence[HandFacts]) -> Played:
    """The match with these hands and no other end than theirs."""
    return replace(
        played, hands=tuple(hands), ended_at=None, announced=None, forfeited_by=None, voided=False, pending=False
    )
