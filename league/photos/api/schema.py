"""Photos in the schema."""

from league.api.graphql.executing.context import Info
from league.api.schema_part import SchemaPart
from league.photos.api import seen_photos
from league.photos.api.photo_changes import PhotoSubscriptions
from league.photos.api.photo_mutations import PhotoMutations
from league.photos.api.photos import Photo, PhotoQueries
from league.photos.api.seen_photos import SeenPhoto


async def _photo(info: Info, local: str) -> SeenPhoto | None:
    # Of the log, and for some viewers only.
    return await seen_photos.photo(info.context.beyond_the_state(), local)


SCHEMA = SchemaPart(
    queries=(PhotoQueries,),
    mutations=(PhotoMutations,),
    subscriptions=(PhotoSubscriptions,),
    nodes={"Photo": (_photo, Photo.of)},
)
