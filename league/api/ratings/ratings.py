"""The rating of a player or a pair in one mode."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.enums import RatingMode
from league.domain.rating import shown
from league.projections.folds.ratings import RatingRow


@strawberry.type(description="A rating in one mode.")
class Rating:
    mode: RatingMode = field(description="The mode in which it was earned.")
    value: float = field(description="The rating, unrounded.")
    matches: int = field(description="Rated matches so far.")
    provisional: bool = field(description="Whether there are too few matches for a rank.")
    last_decided_at: datetime = field(description="When the latest match was decided; overall: of any kind.")

    @field(description="The rating as it is displayed: rounded half up.")
    def shown(self) -> int:
        return shown(self.value)

    @classmethod
    def of(cls, row: RatingRow) -> "Rating":
        """A row of ratings."""
        return cls(
            mode=RatingMode(row.mode),
            value=row.rating,
            matches=row.matches,
            provisional=row.provisional,
            last_decided_at=row.last_decided_at,
        )
