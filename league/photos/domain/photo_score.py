"""What a hand scores with the count of a photo, before a person has recorded it."""

from msgspec.structs import replace

from league.domain.hand import HandFacts
from league.domain.result import Played, ScoredInPlace, score_in_place
from league.domain.rules import Ruleset
from league.domain.seating import side_of
from league.photos.domain.photo import PhotoUploaded
from league.photos.domain.photo_evidence import Named, with_leftovers


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
) -> ScoredInPlace:
    """Score a hand of a match with what its photos say was left over, settled or proposed.

    Raises NotFound, WrongState, InvalidInput.
    """
    facts = with_leftovers(facts, match, hand, played.mode, photos, proposed=True)
    return score_in_place(facts, hand, played, ruleset)
