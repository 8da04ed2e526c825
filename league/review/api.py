"""The mutations of reviews: request reviews, and give or withdraw a player's consent."""

from functools import partial

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import optional
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, carry_out, mutation
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.threads import in_thread
from league.api.matches.match_mutations import MatchSuccess
from league.api.players.player_mutations import PlayerSuccess
from league.api.schema_part import SchemaPart
from league.review.commands import RequestReview, SetReviewConsent
from league.review.rows import CHANNEL, OF_MATCH
from league.review.work import ReviewJobs


@strawberry.input(description="A hand to review, or all hands of a match.")
class RequestReviewInput(MutationInput):
    match: strawberry.ID = field(description="Global id, or the match's id in the league.")
    hand: int | None = optional("The number of the hand, from 1; null means all hands whose turns are known.")

    @property
    def local(self) -> str:
        """The id of the match in the league."""
        return local_id("Match", self.match)


@strawberry.input(description="A player's consent that others see what reviews say about their play.")
class SetReviewConsentInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    consents: bool = field(description="True gives the consent, false withdraws it.")


@strawberry.type
class ReviewMutations:
    @mutation(
        "Request reviews of hands that were played turn by turn. Their match must be over. A worker reviews them; "
        "`Hand.review` shows each move when it is done. Another request for the same hands changes nothing. "
        "Roles: scorekeeper, admin; player: of matches they sit in.",
        of=MatchSuccess,
        refusals=USUAL,
        result="The result of requesting reviews.",
    )
    async def request_review(self, info: Info, given: RequestReviewInput) -> Answer:
        command = RequestReview(given.local, given.hand)
        seated = partial(info.context.seated, given.local)
        position = await carry_out(info, given, lambda: command, owners=seated, owned="match")
        await in_thread(info.context.jobs.of(ReviewJobs).hand_out, given.local)
        return {"position": position, "match_id": given.local, "about_hand": given.hand, "names_fields": False}

    @mutation(
        "Give or withdraw a player's consent. With consent, others see how well the player played in reviewed hands, "
        "and the player's hands may go into open sets of hands. Roles: admin; player: for themselves.",
        of=PlayerSuccess,
        refusals=USUAL,
        result="The result of giving or withdrawing consent.",
    )
    async def set_review_consent(self, info: Info, given: SetReviewConsentInput) -> Answer:
        player = local_id("Player", given.player)

        def command() -> SetReviewConsent:
            return SetReviewConsent(player, given.consents)

        position = await carry_out(info, given, command, owners=lambda: [player], owned="player")
        return {"position": position, "player_id": player}


SCHEMA = SchemaPart(mutations=(ReviewMutations,), match_watch=OF_MATCH, channels=(CHANNEL,))
