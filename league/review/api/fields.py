"""What reviews add to hands, players and pairs."""

from typing import Annotated, Any, TypeAlias

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.references import Reference, field_of
from league.review.stored_losses import SeenPlay, seen_play
from league.review.stored_reviews import StoredReview, stored_review

ReviewRef: TypeAlias = Annotated["Any", Reference("HandReview", "league.review.api.reviews")]


PlayRef: TypeAlias = Annotated["Any", Reference("ReviewedPlayFigures", "league.review.api.play_figures")]
FIGURES = "How well {whose} played in the hands that were reviewed."


@strawberry.type
class ReviewsOfPlayer:
    player_id: strawberry.Private[str]

    @field_of(PlayRef, FIGURES.format(whose="the player has"))
    async def reviewed_play(self, info: Info) -> SeenPlay:
        return await info.context.reader.read(seen_play, self.player_id, info.context.viewer.sub)


@strawberry.type
class ReviewsOfTeam:
    team_id: strawberry.Private[str]

    @field_of(PlayRef, FIGURES.format(whose="the two have, as partners,"))
    async def reviewed_play(self, info: Info) -> SeenPlay:
        return await info.context.reader.read(seen_play, self.team_id, info.context.viewer.sub)


@strawberry.type
class ReviewOfHand:
    match_id: strawberry.Private[str]
    number: strawberry.Private[int]

    @field_of(
        ReviewRef | None,
        "What each move cost, and what was luck. Null until somebody asks for it with `requestReview`. Those who did "
        "not sit in the match see it if all its players consent (`setReviewConsent`).",
    )
    async def review(self, info: Info) -> StoredReview | None:
        viewer = info.context.viewer
        return await info.context.reader.read(
            stored_review, self.match_id, self.number, viewer.sub, sees_all=viewer.may("readReviews")
        )
