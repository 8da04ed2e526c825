"""The order of a list of matches."""

from enum import Enum
from typing import Annotated

import strawberry
from msgspec.structs import replace

from league.api.graphql.enums import OrderDirection, word
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.match_filter import MatchFilterInput
from league.projections.queries import matches as reads
from league.projections.queries.pages import Order


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

MatchOrderArgument = Annotated[
    MatchOrder | None, strawberry.argument(description="The order; null: those that began last come first.")
]


async def filter_and_order(
    info: Info, filter_: MatchFilterInput | None, order_by: MatchOrder | None, *, of_competitor: bool = False
) -> tuple[reads.MatchFilter, Order]:
    """Which matches a list has, also that of one competitor, and their order. Raises UnknownId, RequestError."""
    wanted = reads.MatchFilter() if filter_ is None else await filter_.read(info, of_competitor=of_competitor)
    if order_by is None:
        return wanted, reads.NEWEST_FIRST
    if order_by.field is MatchOrderField.DECIDED_AT:
        wanted = replace(wanted, decided=True)
    return wanted, _ORDERS[order_by.field, order_by.direction]
