"""Confirming and correcting counts of photos, and erasing photos."""

from collections.abc import Callable

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, Tile
from league.api.graphql.shaping.mutations import (
    USUAL,
    Answer,
    MutationInput,
    OverwritingInput,
    Success,
    carry_out,
    checked_reason,
    mutation,
)
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import (
    ChangedSinceError,
)
from league.domain.deciders import Command
from league.photos.api import seen_photos
from league.photos.api.photos import Photo
from league.photos.api.seen_photos import SeenPhoto, seated
from league.photos.domain import photo as domain


@strawberry.input(description="A photo.")
class OnPhotoInput(MutationInput):
    photo: strawberry.ID = field(description="Global id, or the id in the league.")

    @property
    def local(self) -> str:
        """The id in the league."""
        return local_id("Photo", self.photo)


@strawberry.input(description="A photo whose proposed count is right.")
class ConfirmPhotoInput(OnPhotoInput, OverwritingInput):
    pass


@strawberry.input(description="What is on a photo: its tiles, or their pips alone.")
class CorrectPhotoCountInput(OnPhotoInput, OverwritingInput):
    tiles: list[Tile] | None = field(default=None, description="All tiles on it, not only those that were misread.")
    pips: int | None = field(default=None, description="Only if the tiles are not given.")

    def read(self) -> domain.CorrectCount:
        """The input as the domain's type."""
        return domain.CorrectCount(self.local, None if self.tiles is None else tuple(self.tiles), self.pips)


@strawberry.input(description="A photo to erase.")
class ErasePhotoInput(OnPhotoInput):
    reason: str = field(description="The reason, for readers of the log.")

    def read(self) -> domain.ErasePhoto:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.ErasePhoto(self.local, checked_reason(self.reason))


@strawberry.type(description="A mutation that changed a photo.")
class PhotoSuccess(Success):
    local: strawberry.Private[str]

    @field_of(Photo | None, "The photo afterwards; null when the viewer may not see it.")
    async def photo(self, info: Info) -> SeenPhoto | None:
        return await seen_photos.photo(info.context, self.local)


@strawberry.type
class PhotoMutations:
    @mutation(
        "Settle the count of a photo as it was proposed. `recordHand` and `correctHand` take it then. "
        "Roles: scorekeeper, admin; player: of matches they sit in.",
        of=PhotoSuccess,
        refusals=(ChangedSinceError, *USUAL),
        result="The result of confirming a count.",
    )
    async def confirm_photo(self, info: Info, given: ConfirmPhotoInput) -> Answer:
        position = await _sent(info, given, lambda: domain.ConfirmCount(given.local))
        return {"position": position, "local": given.local}

    @mutation(
        "Settle the count of a photo by its tiles or their pips, whatever was proposed, also before "
        "anything was. Roles: scorekeeper, admin; player: of matches they sit in.",
        of=PhotoSuccess,
        refusals=(ChangedSinceError, *USUAL),
        result="The result of correcting a count.",
    )
    async def correct_photo_count(self, info: Info, given: CorrectPhotoCountInput) -> Answer:
        position = await _sent(info, given, given.read)
        return {"position": position, "local": given.local}

    @mutation(
        "Remove a picture and its overlay for good. What was read on it and its hash stay in the log. Roles: admin.",
        of=PhotoSuccess,
        refusals=USUAL,
        result="The result of erasing a photo.",
    )
    async def erase_photo(self, info: Info, given: ErasePhotoInput) -> Answer:
        position = await _sent(info, given, given.read)
        return {"position": position, "local": given.local}


async def _sent(info: Info, given: OnPhotoInput, make: Callable[[], Command]) -> BigInt:
    def players() -> list[str]:
        return seated(info.context, given.local)

    return await carry_out(info, given, make, owners=players, owned="photo")
