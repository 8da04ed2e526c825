"""Photos as evidence of a hand: the leftovers that they fill in, and the tiles that a new photo cannot show.

A hand can be scored with the counts of photos before it is recorded.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from league.domain.hand import HandFacts, Held, held_pips
from league.domain.refusals import InvalidInput, NotFound
from league.domain.result import MatchFacts, ScoredInPlace, score_in_place
from league.domain.rules import Mode, Ruleset
from league.domain.seating import count_sides, side_of
from league.domain.sentences import say
from league.domain.tiles import Tile, ordered
from league.photos.domain.photo import CountNotSettled, PhotoState, PhotoUploaded

PhotosById = Sequence[tuple[str, PhotoState]]
"""Photos with their ids."""


def with_leftovers(
    facts: HandFacts, match: str, hand: int, mode: Mode, photos: PhotosById, *, proposed: bool
) -> HandFacts:
    """The facts of a hand, with the leftovers that its photos show.

    `proposed`: also accept proposed counts that no person has settled yet. Raises NotFound, WrongState, InvalidInput.
    """
    seats = len(facts.leftover)
    for number, (id_, photo) in enumerate(photos):
        at = f"photos.{number}"
        uploaded = _of_this_hand(at, id_, photo, match, hand)
        held = _counted(at, id_, photo, proposed=proposed)
        seat = _only_seat(uploaded, mode, seats)
        if seat is None:
            assert uploaded.side is not None, "a photo is of a seat or a side"
            facts = _with_side(facts, at, uploaded.side, held, mode)
        else:
            facts = _with_seat(facts, at, seat, held)
    return facts


def tiles_elsewhere(photo: PhotoUploaded, played: MatchFacts, others: Iterable[PhotoState]) -> frozenset[Tile]:
    """Tiles that are known to be elsewhere, so that the photo cannot show them.

    These are the tiles of the recorded hand that belong to other seats or sides, and the settled tiles of the hand's
    other photos, `others`.
    """
    tiles: set[Tile] = set()
    if photo.hand <= len(played.hands):
        facts = played.hands[photo.hand - 1]
        if facts.closing.tile is not None:
            tiles.add(ordered(facts.closing.tile))
        for seat, held in enumerate(facts.leftover):
            if isinstance(held, tuple) and not _may_show(photo, seat, played.mode):
                tiles.update(map(ordered, held))
    for other in others:
        shown = other.uploaded
        if shown is None or other.tiles is None or other.erased:
            continue
        if not _overlap(photo, shown, played.mode):
            tiles.update(map(ordered, other.tiles))
    return frozenset(tiles)


def _of_this_hand(at: str, id_: str, photo: PhotoState, match: str, hand: int) -> PhotoUploaded:
    uploaded = photo.uploaded
    if uploaded is None:
        raise NotFound(at, "photo", id_)
    if (uploaded.match, uploaded.hand) != (match, hand):
        reason = say(
            "photo {photo!r} is of hand {hand} of match {match!r}", photo=id_, hand=uploaded.hand, match=uploaded.match
        )
        raise InvalidInput(at, reason)
    return uploaded


def _counted(at: str, id_: str, photo: PhotoState, *, proposed: bool) -> Held:
    """The settled tiles of a photo, or their pips if only these are known. Raises CountNotSettled."""
    if photo.settled is not None:
        return photo.pips if photo.tiles is None else photo.tiles
    tiles = photo.proposed_tiles
    if proposed and tiles is not None:
        return tiles
    reason = say("a person confirms or corrects its count before a hand is recorded with it")
    raise CountNotSettled(say("photo {photo!r}", photo=id_), say("not settled"), reason, at)


def _only_seat(photo: PhotoUploaded, mode: Mode, seats: int) -> int | None:
    """The seat whose tiles a photo shows; None if it shows a side of several seats."""
    if photo.seat is not None:
        return photo.seat
    of_side = [seat for seat in range(seats) if side_of(seat, mode) == photo.side]
    return of_side[0] if len(of_side) == 1 else None


def _with_seat(facts: HandFacts, at: str, seat: int, held: Held) -> HandFacts:
    given = facts.leftover[seat] if seat < len(facts.leftover) else None
    if given is not None and not _agree(given, held):
        raise InvalidInput(at, say("the photo shows other tiles than the leftover of seat {seat}", seat=seat))
    if seat >= len(facts.leftover):
        return facts  # later, the facts are refused for their number of seats
    if isinstance(given, tuple):
        return facts  # tiles say more than their pips
    leftover = (*facts.leftover[:seat], held, *facts.leftover[seat + 1 :])
    return replace(facts, leftover=leftover)


def _agree(one: Held, other: Held) -> bool:
    """Whether both can describe the same leftover: the same tiles, or the same pips if one of them has no tiles."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return sorted(map(ordered, one)) == sorted(map(ordered, other))
    return held_pips(one) == held_pips(other)


def _may_show(photo: PhotoUploaded, seat: int, mode: Mode) -> bool:
    return seat == photo.seat if photo.seat is not None else side_of(seat, mode) == photo.side


def _overlap(one: PhotoUploaded, other: PhotoUploaded, mode: Mode) -> bool:
    """Whether two photos of a hand may show the same tiles."""
    if one.seat is not None and other.seat is not None:
        return one.seat == other.seat
    return _side(one, mode) == _side(other, mode)


def _side(photo: PhotoUploaded, mode: Mode) -> int | None:
    return photo.side if photo.seat is None else side_of(photo.seat, mode)


def _with_side(facts: HandFacts, at: str, side: int, held: Held, mode: Mode) -> HandFacts:
    sides = count_sides(mode, len(facts.leftover))
    given, pips = list(facts.side_leftover or (None,) * sides), held_pips(held)
    if side >= len(given):
        return facts  # later, the facts are refused for their number of sides
    if given[side] not in (None, pips):
        raise InvalidInput(at, say("the photo shows other pips than the leftover of side {side}", side=side))
    given[side] = pips
    return replace(facts, side_leftover=tuple(given))


def recorded_without(photo: PhotoUploaded, played: MatchFacts) -> HandFacts | None:
    """The facts of a photo's hand without the leftovers that the photo shows; None if the hand is not recorded yet."""
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
    facts: HandFacts, match: str, hand: int, played: MatchFacts, ruleset: Ruleset, photos: PhotosById
) -> ScoredInPlace:
    """Score a hand of a match with the leftovers that its photos show, settled or proposed.

    Raises NotFound, WrongState, InvalidInput.
    """
    facts = with_leftovers(facts, match, hand, played.mode, photos, proposed=True)
    return score_in_place(facts, hand, played, ruleset)
