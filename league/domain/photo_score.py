"""What a hand scores with the count of a photo, before a person has recorded it."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from league.domain.hand import HandFacts
from league.domain.hand_faults import checked
from league.domain.photo import PhotoUploaded
from league.domain.photo_evidence import Named, with_leftovers
from league.domain.result import Played, result_of
from league.domain.rules import Ruleset
from league.domain.scoring import HandScore
from league.domain.seating import side_of


class PhotographedHand(Struct, frozen=True):
    """A hand with the counts of its photos."""

    facts: HandFacts
    score: HandScore
    before: tuple[int, ...]
    """The score before the hand, by side."""


def recorded_without(photo: PhotoUploaded, played: Played) -> HandFacts | None:
    """The facts of the hand of a photo, without what the photo shows; None if the hand is not recorded yet."""
    if photo.hand > len(played.hands):
        return None
    facts = played.hands[photo.hand - 1]
    shown = {seat for seat in range(len(facts.leftover)) if photo.seat in (None, seat)}
    if photo.side is not None:
        shown = {seat for seat in shown if side_of(seat, played.mode) == photo.side}
    leftover = tuple(None if seat in shown else held for seat, held in enumerate(facts.leftover))
    totals = facts.side_leftover
    if totals is not None and photo.side is not None:
        totals = tuple(None if side == photo.side else pips for side, pips in enumerate(totals))
    return replace(facts, leftover=leftover, side_leftover=totals)


def score_with_photos(
    facts: HandFacts, match: str, hand: int, played: Played, ruleset: Ruleset, photos: Named
) -> PhotographedHand:
    """Score a hand of a match with what its photos say was left over, settled or proposed.

    Raises NotFound, WrongState, InvalidInput.
    """
    facts = with_leftovers(facts, match, hand, played.mode, photos, proposed=True)
    facts = checked(facts, ruleset, played.mode, len(played.seats))
    earlier = played.hands[: hand - 1]
    before = result_of(_open(played, earlier), ruleset).score or (0,) * len(played.sides)
    score = result_of(_open(played, (*earlier, facts)), ruleset).hands[-1]
    return PhotographedHand(facts, score, before)


def _open(played: Played, hands: Sequence[HandFacts]) -> Played:
    """The match with these hands and no other end than theirs."""
    return replace(
        played, hands=tuple(hands), ended_at=None, announced=None, forfeited_by=None, voided=False, pending=False
    )
