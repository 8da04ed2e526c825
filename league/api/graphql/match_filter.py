"""Which matches a list contains, and in which order."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from msgspec.structs import replace
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.enums import Competition, MatchMode, MatchStatus, OrderDirection, word
from league.api.graphql.known_ids import known_competitor, known_season
from league.projections.queries import matches as reads
from league.projections.queries.pages import Order


@strawberry.input(description="Which matches to list; fields left out match everything.")
class MatchFilterInput:
    competitor: strawberry.ID | None = field(
        default=None,
        description="With this player, or with both players of this pair as partners: a global id, or the id in the "
        "league.",
    )
    region: str | None = field(default=None, description="In which somebody of this region sits, by its exact name.")
    season: strawberry.ID | None = field(default=None, description="That began in this season.")
    status: list[MatchStatus] | None = field(default=None, description="With one of these statuses.")
    mode: MatchMode | None = field(default=None, description="Played so.")
    ruleset: str | None = field(default=None, description="Played by the ruleset of this name.")
    competition: Competition | None = field(default=None, description="Of this kind of competition.")
    began_from: datetime | None = field(default=None, description="That began at or after this time.")
    began_before: datetime | None = field(default=None, description="That began before this time.")
    decided_from: datetime | None = field(default=None, description="That were decided at or after this time.")
    decided_before: datetime | None = field(default=None, description="That were decided before this time.")

    async def read(self, info: Info) -> reads.MatchFilter:
        """The filter of the read side. Raises UnknownId."""
        competitor, season = self.competitor, self.season
        return reads.MatchFilter(
            competitor=None if competitor is None else await known_competitor(info, competitor, "filter.competitor"),
            region=self.region,
            season=None if season is None else await known_season(info, season, "filter.season"),
            status=None if self.status is None else tuple(status.value for status in self.status),
            mode=None if self.mode is None else self.mode.value,
            ruleset=self.ruleset,
            competition=None if self.competition is None else self.competition.value,
            began_from=self.began_from,
            began_before=self.began_before,
            decided_from=self.decided_from,
            decided_before=self.decided_before,
        )


@strawberry.enum(description="What matches are ordered by; ties by id.")
class MatchOrderField(Enum):
    BEGAN_AT = word("began_at", description="When they began.")
    DECIDED_AT = word(
        "decided_at", description="When they were decided. Matches that are open or voided are not in the list."
    )


@strawberry.input(description="An order of matches. A cursor belongs to the order in which it was issued.")
class MatchOrder:
    field: MatchOrderField = strawberry.field(description="What they are ordered by.")
    direction: OrderDirection = strawberry.field(
        default=OrderDirection.DESC, description="The latest first, or the earliest."
    )


_ORDERS: dict[tuple[MatchOrderField, OrderDirection], Order] = {
    (MatchOrderField.BEGAN_AT, OrderDirection.DESC): reads.NEWEST_FIRST,
    (MatchOrderField.BEGAN_AT, OrderDirection.ASC): reads.OLDEST_FIRST,
    (MatchOrderField.DECIDED_AT, OrderDirection.DESC): reads.LATEST_DECIDED_FIRST,
    (MatchOrderField.DECIDED_AT, OrderDirection.ASC): reads.EARLIEST_DECIDED_FIRST,
}

MatchFilterArgument = Annotated[
    MatchFilterInput | None, strawberry.argument(name="filter", description="Only matches that pass this filter.")
]
MatchOrderArgument = Annotated[
    MatchOrder | None, strawberry.argument(description="The order; null: those that began last come first.")
]


async def listed(
    info: Info, filter_: MatchFilterInput | None, order_by: MatchOrder | None
) -> tuple[reads.MatchFilter, Order]:
    """Which matches a list has, and their order. Raises UnknownId."""
    wanted = reads.MatchFilter() if filter_ is None else await filter_.read(info)
    if order_by is None:
        return wanted, reads.NEWEST_FIRST
    if order_by.field is MatchOrderField.DECIDED_AT:
        wanted = replace(wanted, decided=True)
    return wanted, _ORDERS[order_by.field, order_by.direction]
