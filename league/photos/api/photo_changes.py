"""Live updates of a photo: the proposal is there, and what a person makes of it."""

from collections.abc import AsyncGenerator
from typing import Any

import strawberry
from sqlalchemy import text
from strawberry import subscription

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import UnknownId
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.relay import local_id
from league.photos.api import seen_photos
from league.photos.api.photos import Photo, PhotoId
from league.photos.application.photo_commands import STREAM
from league.photos.application.photo_jobs import CHANNEL as PHOTOS
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _

_VERSION = text("SELECT max(originator_version) FROM stored_events WHERE originator_id = :stream")


@strawberry.type
class PhotoSubscriptions:
    @subscription(
        description="A photo as it is, then after each change: when the computer proposes a count, and when a person "
        "settles it. It completes when the picture is erased. An error with the code UNKNOWN_ID for a photo that does "
        "not exist or that the viewer may not see."
    )
    async def photo_changed(
        self,
        info: Info,
        id: PhotoId,  # noqa: A002  # the argument's name in the schema
    ) -> AsyncGenerator[Photo, None]:
        photo = local_id("Photo", id)

        def version(snapshot: Snapshot) -> Any:
            return snapshot.conn.execute(_VERSION, {"stream": f"{STREAM}{photo}"}).scalar()

        async for _state in each_change(info, version, (PHOTOS,)):
            seen = await seen_photos.photo(info.context, photo)
            if seen is None:
                raise UnknownId(_("`id`: the league has no photo {id!r} that you may see.", id=id), argument="id")
            yield Photo.of(seen)
            if seen.state.erased:
                return
