"""What promoting a replay would change now: the rules, the figures, and who moves most."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import made_of
from league.api.graphql.shaping.mutations import with_input_path
from league.api.graphql.shaping.user_errors import ConflictError, NotFoundError, WrongStateError
from league.api.graphql.threads import in_writing_thread
from league.api.replays.run_difference import PlaceMove, RulesInSpan
from league.application import promotion_preview as reads
from league.application.earlier_rules import spans_that_differ
from league.application.replay_folding import run_of
from league.domain.refusals import Refusal


@strawberry.type(
    description="What promoting a replay would change now. The replay was first folded up to the position of the "
    "official run, so that only the rules make a difference."
)
class PromotionPreview:
    position: BigInt = field(description="The position of the log at which the two are compared.")
    changes: list[RulesInSpan] = field(
        description="The spans of play time for which it changes the rules in force, which are the first run."
    )
    players_moved: int = field(description="Players with another rating in 1v1 or in 2v2.")
    teams_moved: int = field(description="Teams with another rating.")
    largest_move: float = field(description="The largest move in rating points, up or down; 0 when no rating moves.")
    matches_changed: int = field(description="Matches with a different winner, score or status.")
    hands_changed: int = field(description="Hands with a different winner or points, or that count in one run only.")
    standings_changed: int = field(description="Standings in the series of months with a different rank or total.")
    badges_gained: int = field(description="Badges that only the replay awards.")
    badges_lost: int = field(description="Badges that only the official run awards.")
    badges_earned_otherwise: int = field(description="Badges that both award, for different events.")
    moves: list[PlaceMove] = field(
        description=f"Who moves most on the board of the whole league, by points; at most {reads.MOST_MOVES}."
    )
    fingerprint: str = field(
        description="Stands for its rules, figures and moves. `promoteReplay(input: {previewed})` takes it."
    )

    @classmethod
    def of(cls, found: reads.PromotionPreview) -> "PromotionPreview":
        """The preview of a promotion."""
        return made_of(
            cls,
            found.figures,
            position=BigInt(found.position),
            changes=[RulesInSpan.of(span) for span in spans_that_differ(found.rules_before, found.rules_after)],
            moves=[PlaceMove.of(row) for row in found.moves],
            fingerprint=found.fingerprint,
        )


PromotionPreviewPayload = Annotated[
    PromotionPreview | NotFoundError | WrongStateError | ConflictError,
    strawberry.union(
        "PromotionPreviewPayload", description="What promoting a replay would change, or why it would be refused."
    ),
]


@strawberry.type
class PromotionPreviewQueries:
    @field(
        description="What promoting a replay would change now; nothing official changes. It folds into the replay what "
        "has come since. Roles: those who may promote it; " + REFUSED_TO_OTHERS
    )
    async def preview_promotion(
        self, info: Info, replay: Annotated[int, argument("The number of the replay.")]
    ) -> PromotionPreviewPayload:
        check_may_read(info.context.viewer, "promoteReplay")
        league = info.context.league

        def preview() -> reads.PromotionPreview:
            return league.promoter.preview(run_of(league.database.url, replay))

        try:
            return PromotionPreview.of(await in_writing_thread(preview))
        except Refusal as refusal:
            raise with_input_path(refusal, {"run": "replay"}) from None
