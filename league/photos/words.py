"""Sentences about the events of a photo of leftover tiles."""

from collections.abc import Iterable

from league.domain.deciders import Event
from league.domain.sentences import say
from league.domain.tiles import Tile
from league.photos.domain import photo
from league.wording.matches import EventContext, StreamWords, WordPart


def _of_photo(photo_id: str, event: Event, around: EventContext) -> str:
    """A sentence about an event of a photo, without a full stop."""
    return say("Photo {photo}: {what}", photo=photo_id, what=_what(event, around))


def words_of_reason(reason: str) -> str:  # noqa: PLR0911  # one return for each reason
    """Why the computer cannot tell the count, as a clause. `reason`: the word stored in the log."""
    match reason:
        case "no_tiles":
            return say("no tile was found on the photo")
        case "unsure":
            return say("the tiles cannot be read for sure")
        case "cut_by_edge":
            return say("a tile is cut by the edge of the photo")
        case "too_many_pips":
            return say("a half seems to have more than nine pips")
        case "not_in_set":
            return say("a tile was read that cannot be there")
        case "damaged":
            return say("the stored picture is missing or damaged")
        case "died":
            return say("counting failed several times; the log of the worker says more")
    return reason


def _what(event: Event, around: EventContext) -> str:  # noqa: PLR0911  # one return for each event
    match event:
        case photo.PhotoUploaded():
            whose = around.on_side(event.side or 0) if event.seat is None else around.at_seat(event.seat)
            return say(
                "uploaded, of hand {hand} of match {match}, tiles of {whose}; SHA-256: {sha256}",
                hand=event.hand, match=around.match() or event.match, whose=whose, sha256=event.sha256,
            )  # fmt: skip
        case photo.CountProposed(total=None):
            return say("the computer cannot tell the count: {reason}", reason=words_of_reason(event.reason or ""))
        case photo.CountProposed():
            tiles = _tiles(read.tile for read in event.tiles)
            confidence = f"{event.confidence:.2f}"
            return say(
                "the computer proposes {total} pips ({tiles}), with a confidence of {confidence}",
                total=event.total, tiles=tiles, confidence=confidence,
            )  # fmt: skip
        case photo.CountConfirmed():
            return say("a person confirmed the proposed count")
        case photo.CountCorrected(tiles=None):
            return say("a person counted {pips} pips", pips=event.pips)
        case photo.CountCorrected():
            return say("a person counted {pips} pips: {tiles}", pips=event.pips, tiles=_tiles(event.tiles or ()))
        case photo.PhotoErased():
            return say("the picture was erased: {reason}", reason=event.reason)
    raise TypeError(event)


def _tiles(tiles: Iterable[Tile]) -> str:
    return " ".join(f"{a}-{b}" for a, b in tiles)


WORDS = WordPart((StreamWords("photo", _of_photo, lambda _id, _event: set()),))
