"""Leaderboards, and how they move."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.arguments import AfterPosition, Region
from league.api.context import Info
from league.api.players import Player, Team, player_named
from league.api.relay import Connection, Listed, paged
from league.api.words import BoardKind
from league.domain.rating import shown
from league.projections.boards import active_since
from league.projections.reads.pages import Order, Query
from league.projections.reads.places import board_places
from league.projections.reads.snapshot import NO_RUN, Snapshot

Kind = Annotated[BoardKind, strawberry.argument(description="Which board.")]
IncludeInactive = Annotated[
    bool, strawberry.argument(description="Show also who has not finished a match for long (90 days, by the rules).")
]


@strawberry.type(description="A place on a leaderboard.")
class BoardPlace:
    rank: int | None = field(description="From 1; equal values share it; null while provisional.")
    value: float = field(description="What the board is about, unrounded.")
    matches: int = field(description="Rated matches so far.")
    provisional: bool = field(description="Few matches so far: below the established ones, without a rank.")
    last_decided_at: datetime = field(description="When the latest match was decided.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")
    is_team: strawberry.Private[bool]

    @field(description="The value as people see it: rounded half up.")
    def shown(self) -> int:
        return shown(self.value)

    @field(description="Who stands there; null on boards of pairs.")
    async def player(self, info: Info) -> Player | None:
        return None if self.is_team else await player_named(info, self.competitor_id)

    @field(description="Which pair stands there; null on boards of players.")
    def team(self) -> Team | None:
        return Team.named(self.competitor_id) if self.is_team else None


@strawberry.type(description="A leaderboard, computed when it is read.")
class Board:
    kind: BoardKind = field(description="Which board.")
    region: str | None = field(description="Only those of this region; pairs: both players.")
    include_inactive: bool = field(description="Whether it shows also who has not finished a match for long.")

    @field(description="Who has finished a match then or later is active; null without a match.")
    async def active_since(self, info: Info) -> datetime | None:
        return await info.context.reader.once(_active_since)

    @paged(Connection[BoardPlace], "The places: established ones by value, provisional ones below; equal ones by id.")
    async def places(self, info: Info) -> Listed:
        since = None if self.include_inactive else await info.context.reader.once(_active_since)

        def places(run: int) -> tuple[Query, Order]:
            return board_places(run, self.kind.value, self.region, since)

        def place(row: Row[Any]) -> BoardPlace:
            return BoardPlace(
                rank=row.rank,
                value=row.value,
                matches=row.matches,
                provisional=row.provisional,
                last_decided_at=row.last_decided_at,
                competitor_id=row.id,
                is_team=self.kind is BoardKind.TEAMS,
            )

        return Listed(places, place)


def _active_since(snapshot: Snapshot) -> datetime | None:
    return None if snapshot.run == NO_RUN else active_since(snapshot.conn, snapshot.run)


@strawberry.type
class BoardQueries:
    @field(description="A leaderboard.")
    def board(
        self,
        kind: Kind = BoardKind.GLOBAL,
        region: Region = None,
        include_inactive: IncludeInactive = False,
        after_position: AfterPosition = None,
    ) -> Board:
        return Board(kind=kind, region=region, include_inactive=include_inactive)
