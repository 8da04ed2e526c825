"""Two players, or two fixed pairs, against each other."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import PresentMonth
from league.api.graphql.shaping.ids import local_competitor_id
from league.api.graphql.shaping.references import SeriesEncounterRef, field_of
from league.api.players.players import Competitor
from league.api.players.statistics import Statistics, statistics_of
from league.api.players.statistics_filter import FilterArgument, counted
from league.domain.competitor import CompetitorId, read_competitor
from league.domain.refusals import InvalidInput
from league.projections.queries.encounters import Outlook
from league.projections.queries.played import meeting
from league.wording.language import spoken


@strawberry.type(description="One of the two sides of a head-to-head.")
class HeadToHeadSide:
    competitor: Competitor = field(description="The player or the pair.")
    statistics: Statistics = field(description="Their statistics in the matches against the other side.")


@strawberry.type(
    description="The matches that two players, or two fixed pairs, played against each other, whatever their seats."
)
class HeadToHead:
    a: HeadToHeadSide = field(description="The side named first.")
    b: HeadToHeadSide = field(description="The other side.")
    ids: strawberry.Private[tuple[CompetitorId, CompetitorId]]

    @field_of(
        SeriesEncounterRef,
        "The two in the series of a month, seen from `a`: games so far, and what the next one would change.",
    )
    async def series(self, info: Info, month: PresentMonth = None) -> Outlook:
        own, other = self.ids
        return await loaders.series.outlook(info, own, other, month)


CompetitorArgument = Annotated[
    strawberry.ID,
    strawberry.argument(
        description="A player or a pair: global id, or the id in the league (of a pair, two joined by `+`)."
    ),
]


@strawberry.type
class HeadToHeadQueries:
    @field(description="How two players or pairs have played against each other; null when one of them is not known.")
    async def head_to_head(
        self,
        info: Info,
        a: CompetitorArgument,
        b: CompetitorArgument,
        filter_: FilterArgument = None,
    ) -> HeadToHead | None:
        try:
            sent = read_competitor(local_competitor_id(a), "a"), read_competitor(local_competitor_id(b), "b")
            known = [await loaders.players.read_as(info, one) for one in sent]
            # An unknown id is kept as it is, so that what is impossible is refused first.
            whose = meeting(known[0] or sent[0], known[1] or sent[1], "b")
        except InvalidInput as refusal:
            raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=refusal.at) from None
        matches, sides = await counted(info, filter_), []
        for side in whose:
            found = await loaders.players.competitor(info, side.of)
            if found is None:
                return None
            sides.append(
                HeadToHeadSide(competitor=Competitor.of(found), statistics=await statistics_of(info, side, matches))
            )
        return HeadToHead(a=sides[0], b=sides[1], ids=(whose[0].of, whose[1].of))
