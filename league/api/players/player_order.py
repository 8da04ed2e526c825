"""The order of a list of players."""

from enum import Enum
from typing import Annotated

import strawberry

from league.api.graphql.enums import OrderDirection, word
from league.projections.queries import players as reads
from league.projections.queries.pages import Order, Query
from league.projections.queries.players import PlayerFilter


@strawberry.enum(description="What players are ordered by; ties by id.")
class PlayerOrderField(Enum):
    NAME = word("name", description="Their names as they are shown, regardless of case and accents.")
    REGISTERED_AT = word("registered_at", description="When they were registered.")
    MATCHES = word("matches", description="How many decided matches they have played, of all kinds.")
    RATING = word("rating", description="Their overall rating. Players without one are not in the list.")


@strawberry.input(description="An order of players. A cursor belongs to the order in which it was issued.")
class PlayerOrder:
    field: PlayerOrderField = strawberry.field(description="What they are ordered by.")
    direction: OrderDirection = strawberry.field(
        default=OrderDirection.ASC, description="From A to Z, the earliest or the lowest first, or the reverse."
    )


_ORDERED = {
    PlayerOrderField.NAME: reads.by_name,
    PlayerOrderField.REGISTERED_AT: reads.by_registration,
    PlayerOrderField.MATCHES: reads.by_matches,
    PlayerOrderField.RATING: reads.by_rating,
}

PlayerOrderArgument = Annotated[
    PlayerOrder | None, strawberry.argument(description="The order; null: by their ids in the league.")
]


def ordered(run: int, wanted: PlayerFilter, order_by: PlayerOrder | None) -> tuple[Query, Order]:
    """The players that pass a filter, and their order."""
    if order_by is None:
        return reads.players(wanted), reads.BY_ID
    return _ORDERED[order_by.field](run, wanted, descending=order_by.direction is OrderDirection.DESC)
