"""What reviews add to a hand."""

from typing import Annotated, Any, TypeAlias

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.references import Reference, field_of
from league.review.stored_reviews import StoredReview, stored_review

ReviewRef: TypeAlias = Annotated["Any", Reference("HandReview", "league.review.api.reviews")]


@strawberry.type
class ReviewOfHand:
    match_id: strawberry.Private[str]
    number: strawberry.Private[int]

    @field_of(
        ReviewRef | None,
        "What each move cost, and what was luck. Null until somebody asks for it with `requestReview`.",
    )
    async def review(self, info: Info) -> StoredReview | None:
        return await info.context.reader.read(stored_review, self.match_id, self.number)
