"""Leaderboards. `board_places` has the places of one, and how they move."""

from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import msgspec
import strawberry
from strawberry import field

from league.api.boards.board_places import AroundOn, BoardPlace, PlaceOn, PlacesAround
from league.api.graphql.enums import GLOBAL_BOARD, BoardKind, SeriesMode
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.executing.limits import MOST_AROUND
from league.api.graphql.request_errors import ExcessivePagination, RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import Region
from league.api.graphql.shaping.ids import global_id
from league.api.graphql.shaping.known_ids import known_competitor
from league.api.graphql.shaping.made_of import made_of
from league.api.graphql.shaping.places import Places
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.relay import Connection, Node, paged
from league.domain.competitor import is_pair
from league.projections.boards.board import Board as BoardOf
from league.projections.boards.definitions import BOARDS
from league.projections.queries.places import PlaceRow, read_around, shown_for, why_missing
from league.wording.language import _, spoken

Kind = Annotated[BoardKind, strawberry.argument(description="Which board.")]
IncludeInactive = Annotated[
    bool,
    strawberry.argument(description="On rating boards, also show players and pairs that the rules count as inactive."),
]
AsOf = Annotated[
    datetime | None,
    strawberry.argument(
        description="The board at this moment of play: by the matches decided by then, under the rules of "
        "the latest of them, with activity counted back from that moment. Regions are today's. Null: now."
    ),
]
OfMonth = Annotated[
    str | None,
    strawberry.argument(
        description="Only on SERIES: such as `2026-03`, in the league's time zone; null: the latest month that has "
        "games in the mode at the moment that the board shows."
    ),
]
OfSeries = Annotated[
    SeriesMode | None,
    strawberry.argument(description="Only on SERIES: players in matches of two (null), or fixed pairs."),
]
Competitor = Annotated[
    strawberry.ID,
    strawberry.argument(description="A player, or a pair on boards of pairs: a global id, or the id in the league."),
]
Radius = Annotated[int, strawberry.argument(description=f"How many places on either side, at most {MOST_AROUND}.")]


@strawberry.type(
    description="A leaderboard, computed when it is read. Its id holds all of its arguments, and on SERIES the month."
)
class Board(Node):
    kind: BoardKind = field(description="Which board.")
    title: str = field(description="Its heading, in the language of the request.")
    decimals: int = field(description="Decimal places of the displayed value.")
    region: str | None = field(description="Only this region, of a pair both players; null: the whole league.")
    include_inactive: bool = field(description="Whether it also shows inactive players and pairs.")
    as_of: datetime | None = field(description="The moment of play that it shows; null: now.")
    month: str | None = field(description="On SERIES the month, such as `2026-03`; null on other boards.")
    mode: SeriesMode | None = field(description="On SERIES the mode; null on other boards.")
    meant: strawberry.Private[BoardOf]

    @classmethod
    def of(cls, meant: BoardOf) -> "Board":
        """A board of the read side."""
        definition = BOARDS[meant.kind]
        return made_of(
            cls,
            meant,
            id=strawberry.ID(global_id("Board", _local_id(meant))),
            title=spoken(definition.title),
            decimals=definition.decimals,
            month=meant.month or None,
            mode=SeriesMode(meant.mode) if meant.mode else None,
            meant=meant,
        )

    @property
    def _of_teams(self) -> bool:
        return BOARDS[self.kind.value].competitor(self.meant.mode) == "team"

    @field(
        description="Those who have finished a match at this time or later are active. Null before the first match, "
        "and on boards other than rating boards, which show everybody."
    )
    @keepable
    async def active_since(self, info: Info) -> datetime | None:
        if not BOARDS[self.kind.value].drops_inactive:
            return None
        shown_ = await info.context.reader.read(shown_for, self.meant)
        return None if shown_ is None else shown_.active_since

    @paged(
        Connection[BoardPlace],
        "The places: established ones by value, then provisional ones by value; equal values by id.",
    )
    @keepable
    async def places(self, info: Info) -> Places[PlaceRow]:
        return Places(PlaceRow, self.meant, partial(PlaceOn, self.meant))

    @field_of(PlacesAround, "The place of a player or a pair and its neighbours, or why they have none here.")
    @keepable
    async def around(self, info: Info, of: Competitor, radius: Radius = 5) -> AroundOn:
        if not 0 <= radius <= MOST_AROUND:
            message = f"`radius` is {radius}; it may be 0 to {MOST_AROUND}."
            raise ExcessivePagination(message, argument="radius", most=MOST_AROUND)
        id_ = await known_competitor(info, of, "of")
        if is_pair(id_) != self._of_teams:
            lists = "pairs" if self._of_teams else "players"
            raise RequestError(
                _(
                    "`of`: this board lists {lists}; {of!r} is a {value}.",
                    lists=lists,
                    of=of,
                    value="player" if self._of_teams else "pair",
                ),
                argument="of",
            )
        rows = await info.context.reader.read(read_around, PlaceRow, self.meant, id_, radius)
        missing = None if rows else await info.context.reader.read(why_missing, self.meant, id_)
        return AroundOn([PlaceOn(self.meant, row) for row in rows], missing)


async def wanted_board(
    info: Info,
    kind: BoardKind,
    region: str | None,
    include_inactive: bool,
    as_of: datetime | None,
    month: str | None,
    mode: SeriesMode | None,
) -> BoardOf:
    """The board of these arguments; on SERIES without a month the latest one with games. Raises RequestError."""
    if not BOARDS[kind.value].monthly:
        for argument, given in (("month", month), ("mode", mode)):
            if given is not None:
                raise RequestError(
                    _("`{argument}`: only the board SERIES has one.", argument=argument), argument=argument
                )
        return BoardOf(kind.value, region, include_inactive, as_of)
    mode = mode or SeriesMode.ONE_ON_ONE
    shown_month = await loaders.series.month(info, mode, month, as_of)
    return BoardOf(kind.value, region, include_inactive, as_of, shown_month.month, mode.value)


async def board_of_id(info: Info, local: str) -> BoardOf | None:
    """The board whose id this is; None for an id that no board has."""
    try:
        read = msgspec.json.decode(local, type=BoardOf)
        kind, mode = BoardKind(read.kind), SeriesMode(read.mode) if read.mode else None
        as_of = None if read.as_of is None else read.as_of.astimezone(UTC)
        found = await wanted_board(info, kind, read.region, read.include_inactive, as_of, read.month or None, mode)
    except (ValueError, OverflowError, RequestError):
        return None
    return found if _local_id(found) == local else None


def _local_id(board: BoardOf) -> str:
    try:
        return msgspec.json.encode(board).decode()
    except UnicodeEncodeError:
        # JSON can hold half a character, and no region has one.
        raise RequestError(_("`region` has half a character, which is no text."), argument="region") from None


@strawberry.type
class BoardQueries:
    @field_of(Board, "A leaderboard.")
    @keepable
    async def board(
        self,
        info: Info,
        kind: Kind = GLOBAL_BOARD,
        region: Region = None,
        include_inactive: IncludeInactive = False,
        as_of: AsOf = None,
        month: OfMonth = None,
        mode: OfSeries = None,
    ) -> BoardOf:
        return await wanted_board(info, kind, region, include_inactive, as_of, month, mode)

    @field_of(list[Board], "Every kind of board, in display order: the whole league, now; on SERIES the latest month.")
    @keepable
    async def boards(self, info: Info) -> list[BoardOf]:
        return [await wanted_board(info, kind, None, False, None, None, None) for kind in BoardKind]
