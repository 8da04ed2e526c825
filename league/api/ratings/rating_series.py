"""How a rating went, as a chart shows it."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.domain.rating import shown
from league.projections.queries import rating_series as reads

if TYPE_CHECKING:
    from league.api.matches.matches import Match

MatchRef = Annotated["Match", strawberry.lazy("league.api.matches.matches")]


@strawberry.type(description="A rating after a match.")
class RatingPoint:
    decided_at: datetime = field(description="When the match was decided.")
    rating: float = field(description="The rating after the match, unrounded.")
    match_id: str = field(description="The match's id in the league.")

    @field(description="The rating as people see it, rounded half up.")
    def shown(self) -> int:
        return shown(self.rating)

    @field(description="The match.")
    async def match(self, info: Info) -> MatchRef:
        from league.api.matches.matches import match_named  # noqa: PLC0415  # matches know players

        match = await match_named(info, self.match_id)
        assert match is not None, "a rating changes by a match"
        return match


@strawberry.type(
    description="A rating match by match, thinned for a chart: the changes between the first and the last are split "
    "into groups of equal size, and the lowest and the highest point of each group stay."
)
class RatingSeries:
    total: int = field(description="Changes of the rating in the span of time, before thinning.")
    points: list[RatingPoint] = field(description="In the order decided.")

    @classmethod
    def of(cls, series: reads.Series) -> "RatingSeries":
        """A series as it is read."""
        points = [RatingPoint(decided_at=p.decided_at, rating=p.rating, match_id=p.match) for p in series.points]
        return cls(total=series.total, points=points)
