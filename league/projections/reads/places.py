"""The places of a leaderboard, as a list that can be paged through."""

from datetime import datetime

from sqlalchemy import ColumnElement, case, select

from league.projections.boards import RatingBoard, rating_board
from league.projections.reads.pages import Order, Query


def board_places(run: int, board: RatingBoard, region: str | None, since: datetime | None) -> tuple[Query, Order]:
    """The places of a rating board and their order: established ones by value, then provisional ones, ties by id."""
    places = rating_board(run, board, region, since)
    # Values place a row for good; a rank would shift whenever somebody above it comes or goes.
    value: ColumnElement[float] = case((places.c.provisional, 0.0), else_=-places.c.value)
    below = value.label("below")
    return select(places, below), Order((places.c.provisional, below, places.c.id))
