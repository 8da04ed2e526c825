"""What a row of a difference rests on: the same number in both runs, explained side by side."""

from collections.abc import Callable
from typing import Annotated, Any

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BoardKind, SeriesMode, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import MatchId, PlayerId, Region
from league.api.graphql.shaping.loaders.runs import ExplainedInTwoRuns
from league.api.graphql.shaping.object_fields import ExplanationsSideBySideRef, field_of
from league.api.graphql.shaping.relay import local_competitor_id, local_id
from league.domain.refusals import InvalidInput, NotFound
from league.domain.seating import CompetitorId, is_pair
from league.explanations.badges import explain_badge
from league.explanations.explanation import Explanation
from league.explanations.hands import explain_hand
from league.explanations.matches import explain_match
from league.explanations.places import explain_place, explain_standing
from league.explanations.rating_changes import explain_change
from league.projections.boards.board import BoardKey
from league.projections.difference.places import board_of
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot
from league.wording.language import spoken

OfCompetitor = Annotated[strawberry.ID, argument("A player or a pair: global id, or the id in the league.")]


@strawberry.type(description="The numbers of two runs, explained side by side.")
class ExplainedDifference:
    two: strawberry.Private[TwoRuns]

    @field_of(ExplanationsSideBySideRef | None, "How a match ended as it did, in both runs; null if neither has it.")
    async def explained_match(self, info: Info, match: MatchId) -> ExplainedInTwoRuns | None:
        return await self._beside(info, explain_match, local_id("Match", match))

    @field_of(ExplanationsSideBySideRef | None, "Why a hand scored its points, in both runs; null if neither has it.")
    async def explained_hand(
        self, info: Info, match: MatchId, number: Annotated[int, argument("Its number, from 1.")]
    ) -> ExplainedInTwoRuns | None:
        return await self._beside(info, explain_hand, local_id("Match", match), number)

    @field_of(
        ExplanationsSideBySideRef | None, "Why a match changed a rating, in both runs; null if it does so in neither."
    )
    async def explained_change(self, info: Info, match: MatchId, of: OfCompetitor) -> ExplainedInTwoRuns | None:
        return await self._beside(info, explain_change, local_id("Match", match), local_competitor_id(of))

    @field_of(
        ExplanationsSideBySideRef | None, "Why a standing in the series is as it is, in both runs; null in neither."
    )
    async def explained_standing(
        self,
        info: Info,
        month: Annotated[str, argument("Such as `2026-03`.")],
        of: OfCompetitor,
    ) -> ExplainedInTwoRuns | None:
        id_ = local_competitor_id(of)
        return await self._beside(info, _explain_standing, month, id_)

    @field_of(
        ExplanationsSideBySideRef | None,
        "Why a player holds a badge, or how far they have come, in both runs; null if no edition has the badge.",
    )
    async def explained_badge(
        self, info: Info, player: PlayerId, badge: Annotated[str, argument("Such as `streak-5`.")]
    ) -> ExplainedInTwoRuns | None:
        return await self._beside(info, explain_badge, local_id("Player", player), badge)

    @field_of(
        ExplanationsSideBySideRef | None,
        "Why a place on a board is as it is, in both runs; null if neither has it. A place of the series is explained "
        "as a standing.",
    )
    async def explained_place(
        self,
        info: Info,
        board: Annotated[BoardKind, argument("Which board.")],
        of: OfCompetitor,
        region: Region = None,
    ) -> ExplainedInTwoRuns | None:
        key = await read_board(info, board, region, None, SeriesMode.ONE_ON_ONE)
        return None if key.month else await self._beside(info, explain_place, key, local_competitor_id(of))

    async def _beside(self, info: Info, explain: Callable[..., Explanation], *of: Any) -> ExplainedInTwoRuns | None:
        try:
            return await loaders.runs.beside(
                info, lambda snapshot: explain(snapshot, *of), self.two.first, self.two.second
            )
        except (NotFound, InvalidInput):
            return None


def _explain_standing(snapshot: Snapshot, month: str, id_: str) -> Explanation:
    mode = "2v2" if is_pair(CompetitorId(id_)) else "1v1"
    return explain_standing(snapshot, month_named(snapshot, mode, month), id_)


async def read_board(info: Info, board: BoardKind, region: str | None, month: str | None, mode: SeriesMode) -> BoardKey:
    """The key of a board. Raises RequestError."""
    try:
        return await info.context.reader.read(board_of, board.value, region, month, mode.value)
    except InvalidInput as refusal:
        raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=refusal.at) from None
