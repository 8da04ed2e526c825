"""Which matches a list or a subscription contains."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.enums import Competition, MatchMode, MatchStatus
from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.known_ids import known_competitor, known_ruleset, known_season
from league.projections.queries import matches as reads
from league.wording.language import _


@strawberry.input(description="Which matches to list; fields left out match everything.")
class MatchFilterInput:
    competitor: strawberry.ID | None = field(
        default=None,
        description="With this player, or with both players of this pair as partners: a global id, or the id in the "
        "league.",
    )
    opponent: strawberry.ID | None = field(
        default=None,
        description="Against this player or this pair: they sit on another side than the `competitor`, and than the "
        "player or pair whose matches are listed. Where there is neither, an error with the code BAD_REQUEST.",
    )
    region: str | None = field(
        default=None, description="In which somebody of this region sits, by its exact name, as in `regions`."
    )
    season: strawberry.ID | None = field(default=None, description="That began in this season.")
    status: list[MatchStatus] | None = field(default=None, description="With one of these statuses.")
    mode: MatchMode | None = field(default=None, description="Played so.")
    ruleset: str | None = field(default=None, description="Played by the ruleset of this name.")
    competition: Competition | None = field(default=None, description="Of this kind of competition.")
    began_from: datetime | None = field(default=None, description="That began at or after this time.")
    began_before: datetime | None = field(default=None, description="That began before this time.")
    decided_from: datetime | None = field(default=None, description="That were decided at or after this time.")
    decided_before: datetime | None = field(default=None, description="That were decided before this time.")

    async def read(self, info: Info, *, of_competitor: bool = False) -> reads.MatchFilter:
        """The filter of the read side, also for the list of one competitor. Raises UnknownId, RequestError."""
        competitor, opponent, season = self.competitor, self.opponent, self.season
        if opponent is not None and competitor is None and not of_competitor:
            message = _("`filter.opponent` needs a `competitor`, whose opponent it is.")
            raise RequestError(message, argument="filter.opponent")
        return reads.MatchFilter(
            competitor=None if competitor is None else await known_competitor(info, competitor, "filter.competitor"),
            opponent=None if opponent is None else await known_competitor(info, opponent, "filter.opponent"),
            region=self.region,
            season=None if season is None else await known_season(info, season, "filter.season"),
            status=None if self.status is None else tuple(status.value for status in self.status),
            mode=None if self.mode is None else self.mode.value,
            ruleset=None if self.ruleset is None else await known_ruleset(info, self.ruleset, "filter.ruleset"),
            competition=None if self.competition is None else self.competition.value,
            began_from=self.began_from,
            began_before=self.began_before,
            decided_from=self.decided_from,
            decided_before=self.decided_before,
        )


MatchFilterArgument = Annotated[
    MatchFilterInput | None, strawberry.argument(name="filter", description="Only matches that pass this filter.")
]
