"""What photos add to a match and to a hand."""

from typing import Annotated, Any, TypeAlias

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.object_fields import Reference, field_of
from league.photos.api import seen_photos
from league.photos.api.seen_photos import SeenPhoto

PhotoRef: TypeAlias = Annotated["Any", Reference("Photo", "league.photos.api.photos")]


@strawberry.type
class PhotosOfMatch:
    match_id: strawberry.Private[str]

    @field_of(
        list[PhotoRef] | None,
        "Photos of leftover tiles, by hand; also of the hand that is not recorded yet. Null where the viewer may not "
        "see them.",
    )
    async def photos(self, info: Info) -> list[SeenPhoto] | None:
        return await seen_photos.photos_of(info.context, self.match_id)


@strawberry.type
class PhotosOfHand:
    match_id: strawberry.Private[str]
    number: strawberry.Private[int]

    @field_of(
        list[PhotoRef] | None,
        "Photos of what was left over in it; `isEvidence` says which its facts rest on. Null where the viewer may not "
        "see them.",
    )
    async def photos(self, info: Info) -> list[SeenPhoto] | None:
        found = await seen_photos.photos_of(info.context, self.match_id)
        return None if found is None else [photo for photo in found if photo.uploaded.hand == self.number]
