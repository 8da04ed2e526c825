"""The history of a rating, for charts."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.references import MatchRef
from league.domain.rating import shown
from league.projections.queries import rating_series as reads
from league.projections.queries.matches import matches_by_id


@strawberry.type(description="A rating after a match.")
class RatingPoint:
    decided_at: datetime = field(description="When the match was decided.")
    rating: float = field(description="The rating after the match, unrounded.")
    match_id: str = field(description="The match's id in the league.")

    @field(description="The displayed rating, rounded half up.")
    def shown(self) -> int:
        return shown(self.rating)

    match = loaded_field(MatchRef, "The match.", matches_by_id, lambda point: point.match_id)


@strawberry.type(
    description="A rating match by match, thinned for a chart: the changes between the first and the last are split "
    "into groups of equal size, and the lowest and the highest point of each group stay."
)
class RatingSeries:
    total: int = field(description="Changes of the rating in the span of time, before thinning.")
    points: list[RatingPoint] = field(description="In the order decided.")

    @classmethod
    def of(cls, series: reads.Series) -> "RatingSeries":
        """A series from its rows."""
        points = [RatingPoint(decided_at=p.decided_at, rating=p.rating, match_id=p.match) for p in series.points]
        return cls(total=series.total, points=points)
