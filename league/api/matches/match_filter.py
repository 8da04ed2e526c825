"""Which matches a list contains."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.enums import Competition, MatchMode, MatchStatus
from league.api.graphql.ids import local_id
from league.projections.queries import matches as reads


@strawberry.input(description="Which matches to list; fields left out match everything.")
class MatchFilterInput:
    player: strawberry.ID | None = field(default=None, description="With this player.")
    season: strawberry.ID | None = field(default=None, description="That began in this season.")
    status: list[MatchStatus] | None = field(default=None, description="With one of these statuses.")
    mode: MatchMode | None = field(default=None, description="Played so.")
    ruleset: str | None = field(default=None, description="Played by the ruleset of this name.")
    competition: Competition | None = field(default=None, description="Of this kind of competition.")
    began_from: datetime | None = field(default=None, description="That began at or after this time.")
    began_before: datetime | None = field(default=None, description="That began before this time.")

    def read(self) -> reads.MatchFilter:
        """The filter of the read side."""
        return reads.MatchFilter(
            player=None if self.player is None else local_id("Player", self.player),
            season=None if self.season is None else local_id("Season", self.season),
            status=None if self.status is None else tuple(status.value for status in self.status),
            mode=None if self.mode is None else self.mode.value,
            ruleset=self.ruleset,
            competition=None if self.competition is None else self.competition.value,
            began_from=self.began_from,
            began_before=self.began_before,
        )
