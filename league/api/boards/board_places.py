"""Places on a leaderboard: their values, how they have moved, and the places around a player or a pair."""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Any

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.loaders.explanations import Explained
from league.api.graphql.shaping.made_of import OfRow
from league.api.graphql.shaping.references import CompetitorRef, ExplanationRef, PlayerRef, TeamRef, field_of
from league.domain.competitor import CompetitorId, is_pair
from league.domain.rating import shown
from league.explanations.places import explain_place
from league.projections.boards.board import Board as BoardOf
from league.projections.boards.definitions import BOARDS
from league.projections.queries.places import Missing, PlaceRow, Rank, ranks_before
from league.projections.queries.players import PlayerRow, players_by_id
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot


@strawberry.type(description="The rank of a place at an earlier moment of play.")
class BoardMove:
    at: datetime = field(description="The moment.")
    rank: int = field(description="The rank then.")
    change: int | None = field(description="Ranks gained since then; negative when lost, null without a rank now.")


@strawberry.type(
    description="How a place has moved up to the moment that the board shows: the league's latest decided match, or "
    "`asOf`. Null where there was no rank then: not on the board, provisional, or inactive."
)
class BoardMoves:
    board: strawberry.Private[BoardOf]
    place: strawberry.Private[PlaceRow]

    @field(description="Over the 24 hours before.")
    @keepable
    async def day(self, info: Info) -> BoardMove | None:
        return await self._since(info, 1)

    @field(description="Over the 7 days before.")
    @keepable
    async def week(self, info: Info) -> BoardMove | None:
        return await self._since(info, 7)

    @field(description="Over the 30 days before.")
    @keepable
    async def month(self, info: Info) -> BoardMove | None:
        return await self._since(info, 30)

    async def _since(self, info: Info, days: int) -> BoardMove | None:
        @short
        def ranks(snapshot: Snapshot, ids: Sequence[str]) -> Any:
            return ranks_before(snapshot, self.board, days, ids)

        then: Rank | None = await info.context.reader.load(ranks, self.place.id, kind=("moves", self.board, days))
        if then is None:
            return None
        now = self.place.rank
        return BoardMove(at=then.at, rank=then.rank, change=None if now is None else then.rank - now)


class PlaceOn(Struct, frozen=True):
    """A row of a board."""

    board: BoardOf
    row: PlaceRow


@strawberry.type(description="A place on a leaderboard.")
class BoardPlace:
    rank: int | None = field(description="From 1, shared by equal values; null while provisional.")
    value: float = field(description="What the board ranks by, unrounded; on SERIES the total.")
    matches: int = field(
        description="Rated matches so far; on boards of achievements all matches; on SERIES the games of the month "
        "that count."
    )
    provisional: bool = field(description="Whether there are too few matches for a rank: below the established ones.")
    last_decided_at: datetime = field(
        description="When their latest match was decided: a rated match of the board's mode, on SERIES of any month; "
        "on GLOBAL and on boards of achievements a match of any kind."
    )
    competitor_id: str = field(description="The id in the league of the player or the pair.")
    place: strawberry.Private[PlaceOn]

    @field(description="How the place has moved within a day, a week and a month.")
    def moves(self) -> BoardMoves:
        return BoardMoves(board=self.place.board, place=self.place.row)

    @field(description="The displayed value, rounded half up. On CAPICUAS_PER_HAND use `value`.")
    def shown(self) -> int:
        return shown(self.value)

    @field_of(CompetitorRef, "The player, or the pair.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)

    player = loaded_field(
        PlayerRef | None,
        "The player; null on boards of pairs.",
        players_by_id,
        lambda place: None if is_pair(place.competitor_id) else place.competitor_id,
    )

    @field_of(TeamRef | None, "The pair; null on boards of players.")
    def team(self) -> str | None:
        return self.competitor_id if is_pair(CompetitorId(self.competitor_id)) else None

    @field_of(
        ExplanationRef | None,
        "Why: every term with its rule, the facts and the events behind it. Null on a board of the series: "
        "`seriesMonth` explains its standings.",
    )
    async def explanation(self, info: Info) -> Explained | None:
        board = self.place.board
        if BOARDS[board.kind].monthly:
            return None
        return await loaders.explanations.explained(info, explain_place, board, self.competitor_id)

    @classmethod
    def of(cls, place: PlaceOn) -> "BoardPlace":
        """A place on a board."""
        row = place.row
        return cls(
            rank=row.rank,
            value=row.value,
            matches=row.matches,
            provisional=row.provisional,
            last_decided_at=row.last_decided_at,
            competitor_id=row.id,
            place=place,
        )


@strawberry.enum(description="Why a player or a pair is not on a board.")
class WhyMissing(Enum):
    INACTIVE = word(
        "inactive", description="They have finished no match lately. With `includeInactive: true` the board lists them."
    )
    OTHER_REGION = word("other_region", description="They are not of the board's region.")
    NOTHING_COUNTS = word("nothing_counts", description="They have nothing that the board counts.")


class AroundOn(Struct, frozen=True):
    """Places of a board in a row, or why the one in their middle is missing."""

    places: list[PlaceOn]
    missing: Missing | None


@strawberry.type(description="The place of a player or a pair with its neighbours.")
class PlacesAround(OfRow):
    places: list[BoardPlace] = field(description="The places in order; empty when the one asked for is not there.")
    missing: WhyMissing | None = field(description="Why the board does not list them; null when it does.")
