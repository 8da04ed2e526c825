"""The order of a list of matches."""

from enum import Enum
from typing import Annotated

import strawberry
from msgspec.structs import replace

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.match_filter import MatchFilterInput
from league.projections.queries import matches as reads
from league.projections.queries.pages import Order


@strawberry.enum(
    description="An order of matches; ties by id. A cursor belongs to the order in which it was issued. Orders by the "
    "decision leave out matches that are open or voided."
)
class MatchOrder(Enum):
    BEGAN_LATEST_FIRST = word("began_latest_first", description="Those that began last come first.")
    BEGAN_EARLIEST_FIRST = word("began_earliest_first", description="Those that began first come first.")
    DECIDED_LATEST_FIRST = word("decided_latest_first", description="Those that were decided last come first.")
    DECIDED_EARLIEST_FIRST = word("decided_earliest_first", description="Those that were decided first come first.")


_ORDERS: dict[MatchOrder, Order] = {
    MatchOrder.BEGAN_LATEST_FIRST: reads.NEWEST_FIRST,
    MatchOrder.BEGAN_EARLIEST_FIRST: reads.OLDEST_FIRST,
    MatchOrder.DECIDED_LATEST_FIRST: reads.LATEST_DECIDED_FIRST,
    MatchOrder.DECIDED_EARLIEST_FIRST: reads.EARLIEST_DECIDED_FIRST,
}
_DECIDED = (MatchOrder.DECIDED_LATEST_FIRST, MatchOrder.DECIDED_EARLIEST_FIRST)

MatchOrderArgument = Annotated[MatchOrder, strawberry.argument(description="The order of the list.")]


async def filter_and_order(
    info: Info, filter_: MatchFilterInput | None, order_by: MatchOrder, *, of_competitor: bool = False
) -> tuple[reads.MatchFilter, Order]:
    """Which matches a list has, also that of one competitor, and their order. Raises UnknownId, RequestError."""
    wanted = reads.MatchFilter() if filter_ is None else await filter_.read(info, of_competitor=of_competitor)
    if order_by in _DECIDED:
        wanted = replace(wanted, decided=True)
    return wanted, _ORDERS[order_by]
