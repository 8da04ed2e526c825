"""The distribution of the league's ratings, and the drift of their mean."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.enums import RatedSubject, RatingMode
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.arguments import check_played
from league.projections.queries.distribution import distribution
from league.projections.queries.drift import rating_drift
from league.wording.language import _

NARROWEST, WIDEST = 5, 500
"""Rating points of a bucket."""


Of = Annotated[RatedSubject, strawberry.argument(description="Whose ratings. Pairs have ratings in TWO_ON_TWO only.")]


@strawberry.type(description="How many ratings lie in a range.")
class RatingBucket:
    start: int = field(description="The lowest rating of the range.")
    end: int = field(description="The range ends below this rating.")
    count: int = field(description="How many.")


@strawberry.type(description="The distribution of the ratings of a mode; figures are in rating points.")
class RatingDistribution:
    count: int = field(description="How many ratings there are.")
    mean: float | None = field(description="Null without a rating.")
    median: float | None = field(description="Null without a rating.")
    standard_deviation: float | None = field(
        description="Of the whole population, not of a sample; null without a rating."
    )
    lowest: float | None = field(description="Null without a rating.")
    highest: float | None = field(description="Null without a rating.")
    buckets: list[RatingBucket] = field(
        description="Ranges of equal width from the lowest to the highest rating, empty ones included."
    )


@strawberry.type(
    description="The ratings at the end of a month of the league's time zone. The Domino Score is not zero-sum: "
    "winners do not gain exactly what losers lose, so the mean drifts."
)
class RatingDriftMonth:
    month: str = field(description="Such as `2026-03`.")
    rated: int = field(
        description="How many have a rating at the end of the month, provisional and inactive ones included."
    )
    mean: float = field(description="The mean of their ratings then.")
    matches: int = field(description="Rated matches decided in the month.")
    gained: float = field(description="The sum of all rating changes in the month, in rating points.")
    gained_per_match: float | None = field(
        description="`gained` divided by `matches`; null in a month without a match."
    )


@strawberry.type
class RatingSpreadQueries:
    @field(description="The current distribution of the ratings of a mode.")
    @keepable
    async def rating_distribution(
        self,
        info: Info,
        mode: Annotated[RatingMode, strawberry.argument(description="The mode.")],
        of: Of = RatedSubject.PLAYERS,
        width: Annotated[
            int,
            strawberry.argument(description=f"The width of a range in rating points, from {NARROWEST} to {WIDEST}."),
        ] = 50,
        established_only: Annotated[bool, strawberry.argument(description="Leave out provisional ratings.")] = True,
    ) -> RatingDistribution:
        if not NARROWEST <= width <= WIDEST:
            message = f"`width` is {width}; a bucket has {NARROWEST} to {WIDEST} rating points."
            raise RequestError(message, argument="width")
        _check(mode, of)
        found = await info.context.reader.read(distribution, of.value, mode.value, width, established=established_only)
        return RatingDistribution(
            count=found.count,
            mean=found.mean,
            median=found.median,
            standard_deviation=found.standard_deviation,
            lowest=found.lowest,
            highest=found.highest,
            buckets=[RatingBucket(start=b.start, end=b.end, count=b.count) for b in found.buckets],
        )

    @field(description="The mean rating of a mode month by month, from its first rated match to its latest.")
    @keepable
    async def rating_drift(
        self,
        info: Info,
        mode: Annotated[RatingMode, strawberry.argument(description="ONE_ON_ONE or TWO_ON_TWO.")],
        of: Of = RatedSubject.PLAYERS,
    ) -> list[RatingDriftMonth]:
        check_played(mode)
        _check(mode, of)
        months = await info.context.reader.read(rating_drift, of.value, mode.value)
        return [
            RatingDriftMonth(**{name: getattr(month, name) for name in month.__struct_fields__}) for month in months
        ]


def _check(mode: RatingMode, of: RatedSubject) -> None:
    if of is RatedSubject.TEAMS and mode is not RatingMode.TWO_ON_TWO:
        raise RequestError(_("`mode`: pairs are rated in TWO_ON_TWO only."), argument="mode")
