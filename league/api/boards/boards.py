"""Leaderboards: their places, how these have moved, and the places around a player or a pair."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from typing import Annotated, Any

import msgspec
import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.limits import MOST_AROUND
from league.api.graphql.leaf_types import GLOBAL_BOARD, BoardKind, SeriesMode, argument, word
from league.api.graphql.request_errors import ExcessivePagination, RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import Region, known_competitor
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.loaders.runs import ExplainedInRun
from league.api.graphql.shaping.object_fields import (
    ExplanationRef,
    PlaceAmongProvisionalRef,
    PlayerRef,
    TeamRef,
    cacheable_field_of,
    field_of,
    loaded_field,
)
from league.api.graphql.shaping.relay import Connection, Node, PageablePlaces, cacheable_paged, global_id, place_id
from league.api.graphql.shaping.shared_fields import competitor_field, shown_field
from league.domain.seating import CompetitorId, is_pair
from league.domain.sentences import say
from league.explanations.places import explain_place
from league.projections.boards.board import BoardKey as BoardOf
from league.projections.boards.definitions import BOARDS
from league.projections.queries.places import (
    Missing,
    PlaceAmongProvisional,
    PlaceRow,
    RankAtMoment,
    display_rules_for,
    ranks_before,
    read_around,
    why_missing,
)
from league.projections.queries.players import players_by_id
from league.projections.queries.snapshot import Snapshot, short
from league.wording.language import spoken


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
    @cacheable
    async def day(self, info: Info) -> BoardMove | None:
        return await self._since(info, 1)

    @field(description="Over the 7 days before.")
    @cacheable
    async def week(self, info: Info) -> BoardMove | None:
        return await self._since(info, 7)

    @field(description="Over the 30 days before.")
    @cacheable
    async def month(self, info: Info) -> BoardMove | None:
        return await self._since(info, 30)

    async def _since(self, info: Info, days: int) -> BoardMove | None:
        @short
        def ranks(snapshot: Snapshot, ids: Sequence[str]) -> Any:
            return ranks_before(snapshot, self.board, days, ids)

        then: RankAtMoment | None = await info.context.reader.load(
            ranks, self.place.id, kind=("moves", self.board, days)
        )
        if then is None:
            return None
        now = self.place.rank
        return BoardMove(at=then.at, rank=then.rank, change=None if now is None else then.rank - now)


class PlaceOnBoard(Struct, frozen=True):
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
    place: strawberry.Private[PlaceOnBoard]

    @field(description="An id for caches of clients; `node` does not accept it.")
    def id(self) -> strawberry.ID:
        return place_id("BoardPlace", self.place.board, self.competitor_id)

    @field(description="How the place has moved within a day, a week and a month.")
    def moves(self) -> BoardMoves:
        return BoardMoves(board=self.place.board, place=self.place.row)

    @cacheable_field_of(
        PlaceAmongProvisionalRef | None,
        "The place among the provisional ones of the board; null if established. Boards without ratings have none.",
    )
    async def among_provisional(self, info: Info) -> PlaceAmongProvisional | None:
        if not self.provisional:
            return None
        return await loaders.players.among_provisional(info, self.place.board, self.competitor_id)

    shown = shown_field("The displayed value, rounded half up. On CAPICUAS_PER_HAND use `value`.", "value")

    competitor = competitor_field("The player, or the pair.")

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
    async def explanation(self, info: Info) -> ExplainedInRun | None:
        board = self.place.board
        if BOARDS[board.kind].monthly:
            return None
        return await loaders.runs.explained(info, explain_place, board, self.competitor_id)

    @classmethod
    def of(cls, place: PlaceOnBoard) -> "BoardPlace":
        """A place on a board."""
        row = place.row
        return cls(  # not `made_of`, which takes 1.5 times as long: a page has fifty of them
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
        "inactive", "They have finished no match lately. With `includeInactive: true` the board lists them."
    )
    OTHER_REGION = word("other_region", "They belong to another region.")
    NOTHING_COUNTS = word("nothing_counts", "They have nothing that the board counts.")


class NeighboursOnBoard(Struct, frozen=True):
    """Consecutive places of a board, or why the place in their middle is missing."""

    places: list[PlaceOnBoard]
    missing: Missing | None


@strawberry.type(description="The place of a player or a pair with its neighbours.")
class PlacesAround(FromRow):
    places: list[BoardPlace] = field(
        description="The places in order; empty when the board does not list the player or the pair."
    )
    missing: WhyMissing | None = field(description="Why the board does not list them; null when it does.")


Kind = Annotated[BoardKind, argument("Which board.")]
IncludeInactive = Annotated[
    bool, argument("On rating boards, also show players and pairs that the rules count as inactive.")
]
AsOf = Annotated[
    datetime | None,
    argument(
        "The board at this moment of play: from the matches decided by then, under the rules of "
        "the latest of them, with activity counted back from that moment. Regions are today's. Null: now."
    ),
]
OfMonth = Annotated[
    str | None,
    argument(
        "Only on SERIES: such as `2026-03`, in the league's time zone; null: the latest month that has "
        "games in the mode at the moment that the board shows."
    ),
]
OfSeries = Annotated[SeriesMode | None, argument("Only on SERIES: players in matches of two (null), or fixed pairs.")]
Competitor = Annotated[
    strawberry.ID, argument("A player, or a pair on boards of pairs: a global id, or the id in the league.")
]
Radius = Annotated[int, argument(f"How many places on either side, at most {MOST_AROUND}.")]


@strawberry.type(
    description="A leaderboard, computed when it is read. Its id holds all of its arguments, and on SERIES the month."
)
class Board(Node):
    kind: BoardKind = field(description="Which board.")
    title: str = field(description="Its heading, in the language of the request.")
    decimals: int = field(description="Decimal places of the displayed value.")
    region: str | None = field(description="Only this region, for a pair that of both players; null: the whole league.")
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
        description="Players and pairs who have finished a match at this time or later are active. Null before the "
        "first match, and on boards other than rating boards, which show everybody."
    )
    @cacheable
    async def active_since(self, info: Info) -> datetime | None:
        if not BOARDS[self.kind.value].drops_inactive:
            return None
        shown_ = await info.context.reader.read(display_rules_for, self.meant)
        return None if shown_ is None else shown_.active_since

    @cacheable_paged(
        Connection[BoardPlace],
        "The places: established ones by value, then provisional ones by value; equal values by id.",
    )
    async def places(self, info: Info) -> PageablePlaces[PlaceRow]:
        return PageablePlaces(PlaceRow, self.meant, partial(PlaceOnBoard, self.meant))

    @cacheable_field_of(PlacesAround, "The place of a player or a pair and its neighbours, or why they have none here.")
    async def around(self, info: Info, of: Competitor, radius: Radius = 5) -> NeighboursOnBoard:
        if not 0 <= radius <= MOST_AROUND:
            message = f"`radius` is {radius}; it may be 0 to {MOST_AROUND}."
            raise ExcessivePagination(message, argument="radius", most=MOST_AROUND)
        id_ = await known_competitor(info, of, "of")
        if is_pair(id_) != self._of_teams:
            lists, value = ("pairs", "player") if self._of_teams else ("players", "pair")
            message = say("`of`: this board lists {lists}; {of!r} is a {value}.", lists=lists, of=of, value=value)
            raise RequestError(message, argument="of")
        rows = await info.context.reader.read(read_around, PlaceRow, self.meant, id_, radius)
        missing = None if rows else await info.context.reader.read(why_missing, self.meant, id_)
        return NeighboursOnBoard([PlaceOnBoard(self.meant, row) for row in rows], missing)


async def wanted_board(
    info: Info,
    kind: BoardKind,
    region: str | None,
    include_inactive: bool,
    as_of: datetime | None,
    month: str | None,
    mode: SeriesMode | None,
) -> BoardOf:
    """The board of these arguments; on SERIES without a month, of the latest with games. Raises RequestError."""
    if not BOARDS[kind.value].monthly:
        for argument, given in (("month", month), ("mode", mode)):
            if given is not None:
                raise RequestError(
                    say("`{argument}`: only the board SERIES has one.", argument=argument), argument=argument
                )
        return BoardOf(kind.value, region, include_inactive, as_of)
    mode = mode or SeriesMode.ONE_ON_ONE
    shown_month = await loaders.players.month(info, mode, month, as_of)
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
        raise RequestError(say("`region` has half a character, which is no text."), argument="region") from None


@strawberry.type
class BoardQueries:
    @cacheable_field_of(Board, "A leaderboard.")
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

    @cacheable_field_of(
        list[Board], "Every kind of board, in display order: the whole league, now; on SERIES the latest month."
    )
    async def boards(self, info: Info) -> list[BoardOf]:
        return [await wanted_board(info, kind, None, False, None, None, None) for kind in BoardKind]
