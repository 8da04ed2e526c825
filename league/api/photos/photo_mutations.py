"""Confirming and correcting counts of photos, and erasing photos."""

from collections.abc import Callable
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.ids import local_id
from league.api.graphql.loaders.photos import SeenPhoto, seated
from league.api.graphql.mutations import INPUT, MutationInput, OverwritingInput, Success, carry_out, checked_reason
from league.api.graphql.references import field_of
from league.api.graphql.scalars import BigInt, Tile
from league.api.graphql.user_errors import (
    ChangedSinceError,
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    WrongStateError,
)
from league.api.photos.photos import Photo
from league.domain import photo as domain
from league.domain.deciders import Command


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


@strawberry.interface(description="A mutation that changed a photo.")
class PhotoSuccess(Success):
    local: strawberry.Private[str]

    @field_of(Photo | None, "The photo afterwards; null when the viewer may not see it.")
    async def photo(self, info: Info) -> SeenPhoto | None:
        return await loaders.photos.photo(info.context, self.local)


PhotoErrors = InvalidInputError | NotFoundError | WrongStateError | KeyReusedError | ConflictError | ForbiddenError


@strawberry.type(description="The count is settled as it was proposed.")
class ConfirmPhotoSuccess(PhotoSuccess):
    pass


ConfirmPhotoPayload = Annotated[
    ConfirmPhotoSuccess | ChangedSinceError | PhotoErrors,
    strawberry.union("ConfirmPhotoPayload", description="The result of confirming a count."),
]


@strawberry.type(description="The count is settled as it was given.")
class CorrectPhotoCountSuccess(PhotoSuccess):
    pass


CorrectPhotoCountPayload = Annotated[
    CorrectPhotoCountSuccess | ChangedSinceError | PhotoErrors,
    strawberry.union("CorrectPhotoCountPayload", description="The result of correcting a count."),
]


@strawberry.type(description="The picture is removed within seconds, and not shown any more.")
class ErasePhotoSuccess(PhotoSuccess):
    pass


ErasePhotoPayload = Annotated[
    ErasePhotoSuccess | PhotoErrors,
    strawberry.union("ErasePhotoPayload", description="The result of erasing a photo."),
]


@strawberry.type
class PhotoMutations:
    @strawberry.mutation(
        description="Settle the count of a photo as it was proposed. `recordHand` and `correctHand` take it then. "
        "Roles: scorekeeper, admin; player: of matches they sit in."
    )
    async def confirm_photo(self, info: Info, given: Annotated[ConfirmPhotoInput, INPUT]) -> ConfirmPhotoPayload:
        position = await _sent(info, "confirmPhoto", given, lambda: domain.ConfirmCount(given.local))
        return ConfirmPhotoSuccess(position=position, local=given.local)

    @strawberry.mutation(
        description="Settle the count of a photo by its tiles or their pips, whatever was proposed, also before "
        "anything was. Roles: scorekeeper, admin; player: of matches they sit in."
    )
    async def correct_photo_count(
        self, info: Info, given: Annotated[CorrectPhotoCountInput, INPUT]
    ) -> CorrectPhotoCountPayload:
        position = await _sent(info, "correctPhotoCount", given, given.read)
        return CorrectPhotoCountSuccess(position=position, local=given.local)

    @strawberry.mutation(
        description="Remove a picture and its overlay for good. What was read on it and its hash stay in the log. "
        "Roles: admin."
    )
    async def erase_photo(self, info: Info, given: Annotated[ErasePhotoInput, INPUT]) -> ErasePhotoPayload:
        position = await _sent(info, "erasePhoto", given, given.read)
        return ErasePhotoSuccess(position=position, local=given.local)


async def _sent(info: Info, operation: str, given: OnPhotoInput, make: Callable[[], Command]) -> BigInt:
    def players() -> list[str]:
        return seated(info.context, given.local)

    return await carry_out(info, operation, given, make, owners=players, owned="photo")
