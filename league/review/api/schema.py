"""Reviews in the schema."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, Success, carry_out, mutation
from league.api.graphql.shaping.references import MatchRef, field_of
from league.api.schema_part import SchemaPart
from league.projections.queries.matches import MatchRow
from league.review.application.review_jobs import ReviewJobs
from league.review.domain.requests import RequestReview


@strawberry.input(description="A hand to review.")
class RequestReviewInput(MutationInput):
    match: strawberry.ID = field(description="Global id, or the match's id in the league.")
    hand: int = field(description="Its number, from 1.")

    @property
    def local(self) -> str:
        """The id of the match in the league."""
        return local_id("Match", self.match)


@strawberry.interface(description="A request for a review that was accepted.")
class ReviewSuccess(Success):
    local: strawberry.Private[str]
    hand: int = field(description="The number of the hand.")

    @field_of(MatchRef | None, "The match of the hand.")
    async def match(self, info: Info) -> MatchRow | None:
        return await loaders.matches.match(info, self.local)


@strawberry.type
class ReviewMutations:
    @mutation(
        "Have a hand reviewed that was played turn by turn, when its match is over. A worker does it; "
        "`Hand.review` has the moves as they are done. Asking again does nothing. "
        "Roles: scorekeeper, admin; player: of matches they sit in.",
        success="The hand will be reviewed, or is reviewed already.",
        of=ReviewSuccess,
        refusals=USUAL,
        result="The result of requesting a review.",
    )
    async def request_review(self, info: Info, given: RequestReviewInput) -> Answer:
        def players() -> list[str]:
            played = info.context.states().match(given.local).played
            return [] if played is None else list(played.seats)

        def command() -> RequestReview:
            return RequestReview(given.local, given.hand)

        position = await carry_out(info, given, command, owners=players, owned="match")
        info.context.jobs.of(ReviewJobs).hand_out(given.local, given.hand)
        return {"position": position, "local": given.local, "hand": given.hand}


SCHEMA = SchemaPart(mutations=(ReviewMutations,))
