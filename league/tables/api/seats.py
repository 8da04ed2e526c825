"""The seats of a live table."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.references import PlayerRef
from league.domain.rules import Mode
from league.domain.seating import side_of
from league.projections.queries.players import players_by_id
from league.tables.api.enums import AiLevel, HandoverReason, PlayedBy
from league.tables.domain.state import SeatState


@strawberry.type(description="A seat of a live table: free, or taken by a player or an AI.")
class TableSeat:
    number: int = field(description="From 0 in the order of play, which is counter-clockwise.")
    side: int = field(description="The side that it plays for.")
    player_id: str | None = field(description="The id in the league of its player; null: it is free, or an AI's.")
    ai_level: AiLevel | None = field(description="The level of the AI that has it from the start; null: none has.")
    ready: bool = field(description="Whether it is ready to play. An AI always is.")
    played_by: PlayedBy = field(description="Who makes its moves at present.")
    handed_over: HandoverReason | None = field(
        description="Why an AI plays for the player; null while the player plays. The result counts for the player."
    )
    timeouts: int = field(description="Turns in a row in which the player's time ran out.")
    away_since: datetime | None = field(description="Since when the player's connection is lost; null: it is not.")
    away_seconds: float = field(description="For how many seconds the table can still wait for the player.")

    player = loaded_field(PlayerRef | None, "Its player.", players_by_id, lambda seat: seat.player_id)

    @classmethod
    def of(cls, seat: SeatState, number: int, mode: Mode) -> "TableSeat":
        """A seat of the table's state."""
        return cls(
            number=number,
            side=side_of(number, mode),
            player_id=seat.player,
            ai_level=None if seat.level is None else AiLevel(seat.level),
            ready=seat.ready,
            played_by=PlayedBy(seat.played_by),
            handed_over=None if seat.handed_over is None else HandoverReason(seat.handed_over),
            timeouts=seat.timeouts,
            away_since=seat.away_since,
            away_seconds=seat.away_left.total_seconds(),
        )
