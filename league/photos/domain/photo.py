"""A photo of leftover tiles. The computer proposes a count, and a person decides what counts.

Each photo has its own stream, `photo:<id>`, so that uploads and counts do not delay the match.
"""

from collections.abc import Collection
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.player import check_id
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, WrongState
from league.domain.result import MatchFacts
from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import check_readable
from league.domain.tiles import HIGHEST_HALF, SetName, Tile, full_set, ordered, total_pips
from league.domain.wrong_states import MatchIsVoided

# ---------------------------------------------------------------- refusals


class PhotosAreOff(WrongState, code="PHOTOS_OFF"):
    """The server stores no photos."""


class EnoughPhotos(WrongState, code="ENOUGH_PHOTOS"):
    """The hand has as many photos as it may have."""


class BeingCounted(WrongState, code="BEING_COUNTED"):
    """The photo is being counted."""


class NothingProposed(WrongState, code="NOTHING_PROPOSED"):
    """The computer could not count the photo."""


class CountIsSettled(WrongState, code="COUNT_SETTLED"):
    """A person has settled the count."""


class CountNotSettled(WrongState, code="COUNT_NOT_SETTLED"):
    """No person has settled the count of the photo."""


class PhotoIsErased(WrongState, code="PHOTO_ERASED"):
    """The picture of the photo was erased."""


PixelPoint = tuple[float, float]
"""Pixels from the left and from the top of the stored picture."""

# ---------------------------------------------------------------- events


class PhotoUploaded(Struct, frozen=True):
    """A photo of the tiles of a seat or a side was stored. The log holds its hash, never the picture."""

    match: str
    hand: int
    seat: int | None
    """The seat whose tiles it shows; None for the tiles of a side."""
    side: int | None
    """The side whose tiles it shows; None for the tiles of a seat."""
    sha256: str
    """Hash of the picture as it is stored, which is without metadata."""
    size: int
    """In bytes."""
    media_type: str
    width: int
    """In pixels."""
    height: int
    """In pixels."""


class ReadTile(Struct, frozen=True):
    """A tile as the computer reads it."""

    tile: Tile
    confidence: float
    """From 0 to 1."""
    outline: tuple[PixelPoint, ...]
    """Its corners on the picture."""


class CountProposed(Struct, frozen=True):
    """What the computer reads on the photo."""

    tiles: tuple[ReadTile, ...]
    total: int | None
    """The pips of all tiles; None if the computer cannot tell."""
    confidence: float
    """Confidence in the total, from 0 to 1."""
    reason: str | None
    """Why the computer cannot tell: a word such as `no_tiles`."""


class CountConfirmed(Struct, frozen=True):
    """A person found the proposed count right."""


class CountCorrected(Struct, frozen=True):
    """A person named the tiles, or only their pips, whatever was proposed."""

    tiles: tuple[Tile, ...] | None
    pips: int


class PhotoErased(Struct, frozen=True):
    """The picture was removed. Its hash and what was read on it stay."""

    reason: str


PhotoEvent = PhotoUploaded | CountProposed | CountConfirmed | CountCorrected | PhotoErased

# ---------------------------------------------------------------- commands


class UploadPhoto(Struct, frozen=True):
    """Store a photo of the tiles of a seat or a side, in a recorded hand or in the next hand to record."""

    photo: str
    match: str
    hand: int
    seat: int | None
    side: int | None
    sha256: str
    size: int
    media_type: str
    width: int
    height: int


class ProposeCount(Struct, frozen=True):
    """Add what the computer has read. It decides nothing."""

    photo: str
    tiles: tuple[ReadTile, ...]
    total: int | None
    confidence: float
    reason: str | None = None


class ConfirmCount(Struct, frozen=True):
    """Accept the proposed count as it is."""

    photo: str


class CorrectCount(Struct, frozen=True):
    """Name the tiles, or give only their pips."""

    photo: str
    tiles: tuple[Tile, ...] | None = None
    pips: int | None = None


class ErasePhoto(Struct, frozen=True):
    """Remove the picture for good."""

    photo: str
    reason: str


# ---------------------------------------------------------------- state

HowSettled = Literal["confirmed", "corrected", "typed"]
"""How a person settled the count: confirmed the proposal, named the tiles, or gave only their pips."""


class PhotoState(Struct, frozen=True):
    """A photo, and what is known of its tiles."""

    uploaded: PhotoUploaded | None = None
    proposal: CountProposed | None = None
    settled: HowSettled | None = None
    """None until a person settles the count."""
    tiles: tuple[Tile, ...] | None = None
    """The settled tiles; None if only their pips are settled, or nothing."""
    pips: int | None = None
    erased: bool = False

    @property
    def proposed_tiles(self) -> tuple[Tile, ...] | None:
        """The proposed tiles; None without a proposal, or if the computer cannot tell the total."""
        if self.proposal is None or self.proposal.total is None:
            return None
        return tuple(read.tile for read in self.proposal.tiles)


def evolve(state: PhotoState, event: PhotoEvent) -> PhotoState:
    """The state after an event."""
    match event:
        case PhotoUploaded():
            return PhotoState(event)
        case CountProposed():
            return replace(state, proposal=event)
        case CountConfirmed():
            assert state.proposal is not None, "what is confirmed was proposed"
            return replace(state, settled="confirmed", tiles=state.proposed_tiles, pips=state.proposal.total)
        case CountCorrected():
            settled: HowSettled = "typed" if event.tiles is None else "corrected"
            return replace(state, settled=settled, tiles=event.tiles, pips=event.pips)
        case PhotoErased():
            return replace(state, erased=True)


# ---------------------------------------------------------------- decide


def upload_photo(command: UploadPhoto, state: PhotoState, played: MatchFacts | None) -> list[PhotoEvent]:
    """Add a photo to a hand of a match. Raises AlreadyExists, NotFound, WrongState, InvalidInput."""
    check_id("photo", command.photo)
    if state.uploaded is not None:
        raise AlreadyExists("photo", "photo", command.photo)
    check_shown(command.match, command.hand, command.seat, command.side, played)
    return [
        PhotoUploaded(
            command.match, command.hand, command.seat, command.side, command.sha256, command.size, command.media_type,
            command.width, command.height,
        )
    ]  # fmt: skip


def check_shown(match: str, hand: int, seat: int | None, side: int | None, played: MatchFacts | None) -> None:
    """Check that a photo of these tiles can exist: of a recorded hand, or the next one, and a seat or side of it.

    Raises NotFound, WrongState, InvalidInput.
    """
    if played is None:
        raise NotFound("match", "match", match)
    if played.voided:
        raise MatchIsVoided(say("match {match!r}", match=match), "voided", say("a voided match cannot be changed"))
    last = len(played.hands) + (1 if played.ended_at is None else 0)
    if not 1 <= hand <= last:
        raise InvalidInput("hand", say("a photo is of hand 1 to {last} of this match", last=last))
    if (seat is None) == (side is None):
        raise InvalidInput("seat", say("a photo shows the tiles of a seat or of a side: name one of the two"))
    if seat is not None and not 0 <= seat < len(played.seats):
        raise InvalidInput(
            "seat", say("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=len(played.seats) - 1)
        )
    if side is not None and not 0 <= side < len(played.sides):
        raise InvalidInput(
            "side", say("there is no side {side}: the sides are 0 to {last}", side=side, last=len(played.sides) - 1)
        )


def propose_count(command: ProposeCount, state: PhotoState) -> list[PhotoEvent]:
    """Add what the computer has read. Raises NotFound, WrongState."""
    _stored(command.photo, state)
    if state.proposal is not None:
        raise WrongState(_named(command.photo), say("counted"), say("a photo is counted once"))
    return [CountProposed(command.tiles, command.total, command.confidence, command.reason)]


def confirm_count(command: ConfirmCount, state: PhotoState) -> list[PhotoEvent]:
    """Accept the proposal. Raises NotFound, WrongState."""
    _stored(command.photo, state)
    if state.proposal is None:
        raise BeingCounted(_named(command.photo), say("being counted"), say("wait for the proposal, or give the tiles"))
    if state.proposal.total is None:
        raise NothingProposed(
            _named(command.photo), say("unclear"), say("nothing is proposed: give the tiles or their pips")
        )
    if state.settled == "confirmed":
        raise CountIsSettled(_named(command.photo), say("confirmed"), say("its count is settled"))
    return [CountConfirmed()]


def correct_count(command: CorrectCount, state: PhotoState, tile_set: SetName) -> list[PhotoEvent]:
    """Settle what is on the photo, before or after the proposal. Raises NotFound, WrongState, InvalidInput."""
    _stored(command.photo, state)
    if (command.tiles is None) == (command.pips is None):
        raise InvalidInput("tiles", say("give the tiles, or their pips alone"))
    if command.tiles is None:
        assert command.pips is not None, "one of the two is given"
        most = total_pips(full_set(tile_set))
        if not 0 <= command.pips <= most:
            raise InvalidInput("pips", say("the tiles of this set have 0 to {most} pips", most=most))
        return [CountCorrected(None, command.pips)]
    _check_tiles(command.tiles, tile_set)
    tiles = tuple(sorted(map(ordered, command.tiles)))
    return [CountCorrected(tiles, total_pips(tiles))]


def erase_photo(command: ErasePhoto, state: PhotoState) -> list[PhotoEvent]:
    """Remove the picture. Raises NotFound, WrongState."""
    _stored(command.photo, state)
    check_readable("reason", command.reason, with_lines=True)
    return [PhotoErased(command.reason)]


def _stored(photo: str, state: PhotoState) -> PhotoUploaded:
    if state.uploaded is None:
        raise NotFound("photo", "photo", photo)
    if state.erased:
        raise PhotoIsErased(_named(photo), say("erased"), say("its picture is gone; upload another one"))
    return state.uploaded


def _named(photo: str) -> Sentence:
    return say("photo {photo!r}", photo=photo)


def _check_tiles(tiles: Collection[Tile], tile_set: SetName) -> None:
    seen: set[Tile] = set()
    for number, tile in enumerate(tiles):
        at = f"tiles.{number}"
        if ordered(tile) not in full_set(tile_set):
            highest = HIGHEST_HALF[tile_set]
            raise InvalidInput(
                at,
                say("there is no tile {tile}: halves of this set are 0 to {highest}", tile=list(tile), highest=highest),
            )
        if ordered(tile) in seen:
            raise InvalidInput(at, say("the tile {tile} is named twice", tile=list(tile)))
        seen.add(ordered(tile))
