"""The order of a list of players."""

from enum import Enum
from typing import Annotated

import strawberry

from league.api.graphql.enums import word
from league.projections.queries import players as reads
from league.projections.queries.pages import Order, Query
from league.projections.queries.players import PlayerFilter


@strawberry.enum(description="An order of players; ties by id. A cursor belongs to the order in which it was issued.")
class PlayerOrder(Enum):
    BY_ID = word("by_id", description="By their ids in the league.")
    NAME = word("name", description="By the names as they are shown, regardless of case and accents, from A to Z.")
    NAME_REVERSED = word("name_reversed", description="By the names from Z to A.")
    EARLIEST_REGISTERED_FIRST = word("earliest_registered_first", description="By when they were registered.")
    LATEST_REGISTERED_FIRST = word("latest_registered_first", description="Those registered last come first.")
    MOST_MATCHES_FIRST = word("most_matches_first", description="By how many decided matches of all kinds they played.")
    FEWEST_MATCHES_FIRST = word("fewest_matches_first", description="Those who played the fewest come first.")
    HIGHEST_RATING_FIRST = word(
        "highest_rating_first", description="By their overall rating. Players without one are not in the list."
    )
    LOWEST_RATING_FIRST = word("lowest_rating_first", description="As `HIGHEST_RATING_FIRST`, the lowest first.")


_ORDERED = {
    PlayerOrder.NAME: (reads.by_name, False),
    PlayerOrder.NAME_REVERSED: (reads.by_name, True),
    PlayerOrder.EARLIEST_REGISTERED_FIRST: (reads.by_registration, False),
    PlayerOrder.LATEST_REGISTERED_FIRST: (reads.by_registration, True),
    PlayerOrder.MOST_MATCHES_FIRST: (reads.by_matches, True),
    PlayerOrder.FEWEST_MATCHES_FIRST: (reads.by_matches, False),
    PlayerOrder.HIGHEST_RATING_FIRST: (reads.by_rating, True),
    PlayerOrder.LOWEST_RATING_FIRST: (reads.by_rating, False),
}
"""The query of each order, and whether it is descending."""

PlayerOrderArgument = Annotated[PlayerOrder, strawberry.argument(description="The order of the list.")]


def ordered(run: int, wanted: PlayerFilter, order_by: PlayerOrder) -> tuple[Query, Order]:
    """The players that pass a filter, and their order."""
    if order_by is PlayerOrder.BY_ID:
        return reads.players(wanted), reads.BY_ID
    query, descending = _ORDERED[order_by]
    return query(run, wanted, descending=descending)
