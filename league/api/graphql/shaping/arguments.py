"""Arguments that many root fields share."""

from datetime import datetime
from typing import Annotated

import strawberry

from league.api.graphql.enums import RatingMode
from league.api.graphql.request_errors import RequestError
from league.wording.language import _

AsOf = Annotated[
    datetime | None,
    strawberry.argument(
        description="The state at this moment of play: by the matches decided by then, under the rules "
        "of the latest of them. Null: now."
    ),
]
PlayerId = Annotated[strawberry.ID, strawberry.argument(description="Global id, or the player's id in the league.")]
TeamId = Annotated[
    strawberry.ID,
    strawberry.argument(description="Global id, or both players' ids in the league, joined by `+` in either order."),
]
MatchId = Annotated[strawberry.ID, strawberry.argument(description="Global id, or the match's id in the league.")]
SeasonId = Annotated[strawberry.ID, strawberry.argument(description="Global id, or the season's id in the league.")]
MonthName = Annotated[
    str | None,
    strawberry.argument(
        description="Such as `2026-03`, in the league's time zone; null: the latest month with games in the mode."
    ),
]
PresentMonth = Annotated[
    str | None,
    strawberry.argument(description="Such as `2026-03`, in the league's time zone; null: the present month."),
]
Region = Annotated[
    str | None,
    strawberry.argument(
        description="Only this region, by its exact name as in `regions`. A region without players gives an empty list."
    ),
]


def check_played(mode: RatingMode | None) -> None:
    """Raise RequestError for OVERALL: no match is played in it."""
    if mode is RatingMode.OVERALL:
        raise RequestError(_("`mode`: no match changes an overall rating by itself."), argument="mode")
