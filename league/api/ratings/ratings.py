"""The rating of a player or a pair in one mode."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.enums import RatingMode
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.loaders.players import RatingThen
from league.domain.rating import shown


@strawberry.type(description="A rating in one mode.")
class Rating:
    mode: RatingMode = field(description="The mode in which it was earned.")
    value: float = field(description="The rating, unrounded.")
    matches: int = field(description="Rated matches so far.")
    provisional: bool = field(description="Whether there are too few matches for a rank.")
    last_decided_at: datetime = field(description="When the latest match was decided; overall: of any kind.")
    found: strawberry.Private[RatingThen]

    @field(description="The rating as it is displayed: rounded half up.")
    def shown(self) -> int:
        return shown(self.value)

    @field(
        description="The rank on the board of the whole league that lists ratings of this kind, as that board gives "
        "it: `GLOBAL` for the overall rating, `ONE_ON_ONE`, `TWO_ON_TWO`, or `TEAMS` for a pair's; at the same moment "
        "as the rating. Null without a rank there: provisional, or inactive."
    )
    @keepable
    async def rank(self, info: Info) -> int | None:
        return await loaders.players.rank(info, self.found)

    @classmethod
    def of(cls, found: RatingThen) -> "Rating":
        """A row of ratings, now or at a moment."""
        row = found.row
        return cls(
            found=found,
            mode=RatingMode(row.mode),
            value=row.rating,
            matches=row.matches,
            provisional=row.provisional,
            last_decided_at=row.last_decided_at,
        )
