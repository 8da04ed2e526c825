"""The monthly series: the standings of a month, the list that was published, and the matches that count zero."""

from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.boards.boards import Places, month_named
from league.api.explanations.explanations import Explanation, explained
from league.api.graphql.arguments import AfterPosition, MonthName, Region
from league.api.graphql.context import Info
from league.api.graphql.enums import SeriesMode, word
from league.api.graphql.relay import Connection, Listed, paged
from league.api.log.log_entries import LogEvent, event_at
from league.api.players.competitors import Competitor, competitor_named
from league.api.players.players import AsOf
from league.explanations.standings import explain_standing
from league.projections.boards.definitions import Board
from league.projections.queries import series as reads

if TYPE_CHECKING:
    from league.api.matches.matches import Match

MatchRef = Annotated["Match", strawberry.lazy("league.api.matches.matches")]

Mode = Annotated[SeriesMode, strawberry.argument(description="Players in 1v1 matches, or fixed pairs in 2v2 matches.")]


@strawberry.enum(description="Why a match counts zero in the series. New reasons may be added.")
class ZeroReason(Enum):
    BEYOND_LIMIT = word("beyond_limit", description="The two had already played all games that count this month.")
    CASUAL = word("casual", description="It was a casual match.")
    COMPETITIVE = word("competitive", description="It was a competitive match, which its edition does not count.")
    SPECIAL = word("special", description="It was a match of a special tournament, which its edition does not count.")
    VOIDED = word("voided", description="It was voided.")


@strawberry.type(description="A competitor's place in the standings of a month.")
class SeriesStanding:
    rank: int = field(description="From 1, shared by equal totals.")
    wins: int = field(description="Games won that count.")
    losses: int = field(description="Games lost that count.")
    series_points: int = field(
        description="Series points from all opponents together; negative when more were lost than won."
    )
    total: int = field(description="Starting points, series points and game points together.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")

    @field(description="The player, or the pair.")
    async def competitor(self, info: Info) -> Competitor:
        return await _competitor(info, self.competitor_id)

    month: strawberry.Private[reads.Month | None]
    """Of standings as they are now."""

    @field(
        description="Why: what is held of each opponent, by which matches, and which count zero. Null in the published "
        "list and of an earlier moment."
    )
    async def explanation(self, info: Info) -> Explanation | None:
        return None if self.month is None else await explained(info, explain_standing, self.month, self.competitor_id)

    @classmethod
    def of(cls, row: Row[Any], month: reads.Month | None = None) -> "SeriesStanding":
        """A row of standings as they were published, or of the board of a month as it is now (which is given then)."""
        return cls(
            rank=row.rank,
            wins=row.wins,
            losses=row.losses,
            series_points=row.series_points,
            total=row.total,
            competitor_id=row.id,
            month=month,
        )


@strawberry.type(description="A competitor whose rank or total is no longer that of the published list.")
class SeriesCorrection:
    published_rank: int | None = field(description="The published rank; null when not in the published list.")
    published_total: int | None = field(description="The published total; null when not in the published list.")
    rank: int | None = field(description="The rank now; null when none of their games counts any more.")
    total: int | None = field(description="The total now; null when none of their games counts any more.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")

    @field(description="The player, or the pair.")
    async def competitor(self, info: Info) -> Competitor:
        return await _competitor(info, self.competitor_id)

    @classmethod
    def of(cls, row: Row[Any]) -> "SeriesCorrection":
        """A row of both lists."""
        return cls(
            published_rank=row.rank_then,
            published_total=row.total_then,
            rank=row.rank_now,
            total=row.total_now,
            competitor_id=row.id,
        )


@strawberry.type(description="A match that counts zero in the series of its month.")
class ZeroMatch:
    reason: ZeroReason = field(description="Why.")
    match_id: str = field(description="The match's id in the league.")

    @field(description="The match.")
    async def match(self, info: Info) -> MatchRef:
        from league.api.matches.matches import match_named  # noqa: PLC0415  # matches know players

        match = await match_named(info, self.match_id)
        assert match is not None, "the list names matches of the league"
        return match

    @classmethod
    def of(cls, row: Row[Any]) -> "ZeroMatch":
        """A row of matches that count zero."""
        return cls(reason=ZeroReason(row.reason), match_id=row.match_id)


@strawberry.type(description="The closing of a month.")
class MonthClosing:
    closed_at: datetime = field(description="When it was closed.")
    position: strawberry.Private[int]

    @field(description="The event that closed it. The published list rests on the log up to this event.")
    async def event(self, info: Info) -> LogEvent:
        event = await event_at(info, self.position)
        assert event is not None, "it was read from the log"
        return event


@strawberry.type(
    description="The series of a month (ToT): everybody starts with the same points; each game moves a few, and the "
    "share of games won against each opponent moves more. A match belongs to the month in which it began."
)
class SeriesMonth:
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Players, or fixed pairs.")
    starts_at: datetime = field(description="When the month begins in the league's time zone.")
    ends_at: datetime = field(description="When the next month begins.")
    read: strawberry.Private[reads.Month]

    @paged(Connection[SeriesStanding], "The standings, by total; ties by id. They follow every correction.")
    async def standings(self, region: Region = None, as_of: AsOf = None) -> Places:
        board = Board("series", region, as_of=as_of, month=self.read.month, mode=self.read.mode)
        month = None if as_of else self.read
        return Places(board, lambda row: SeriesStanding.of(row, month))

    @field(description="When and by what the month was closed; null while it is open.")
    async def closing(self, info: Info) -> MonthClosing | None:
        row = await info.context.reader.read(reads.closing, self.month)
        return None if row is None else MonthClosing(closed_at=row.closed_at, position=row.position)

    @paged(
        Connection[SeriesStanding],
        "The standings as published when the month was closed; nothing changes them later. A match that began in the "
        "month but was decided after the closing is not in them. Empty while the month is open.",
    )
    def published(self) -> Listed:
        return Listed(lambda _: (reads.published_standings(self.read), reads.BY_RANK), SeriesStanding.of)

    @paged(
        Connection[SeriesCorrection],
        "Whose rank or total differs from the published list, after corrections, late matches or other rules; by id. "
        "Empty while the month is open.",
    )
    def corrections(self) -> Listed:
        return Listed(lambda run: (reads.moved_since_published(run, self.read), reads.BY_ID), SeriesCorrection.of)

    @paged(Connection[ZeroMatch], "The matches of the month that count zero, in the order they began.")
    def counting_zero(self) -> Listed:
        return Listed(lambda run: (reads.counting_zero(run, self.read), reads.BY_BEGINNING), ZeroMatch.of)


async def _competitor(info: Info, id_: str) -> Competitor:
    found = await competitor_named(info, id_)
    assert found is not None, "who has played is registered"
    return found


@strawberry.type(description="A month in which somebody has competed, in one mode.")
class PlayedMonth:
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Players, or fixed pairs.")
    competitors: int = field(description="How many are in its standings.")
    closed: bool = field(description="Whether the month is closed and its list is published.")

    @field(description="The series of the month.")
    async def series(self, info: Info) -> SeriesMonth:
        return shown(await month_named(info, self.mode, self.month))

    @classmethod
    def of(cls, row: Row[Any]) -> "PlayedMonth":
        """A row of months."""
        return cls(month=row.month, mode=SeriesMode(row.mode), competitors=row.competitors, closed=row.closed)


def shown(month: reads.Month) -> SeriesMonth:
    """A month as clients see it."""
    return SeriesMonth(
        month=month.month, mode=SeriesMode(month.mode), starts_at=month.starts_at, ends_at=month.ends_at, read=month
    )


@strawberry.type
class SeriesQueries:
    @field(description="The series of a month.")
    async def series_month(
        self,
        info: Info,
        month: MonthName = None,
        mode: Mode = SeriesMode.ONE_ON_ONE,
        after_position: AfterPosition = None,
    ) -> SeriesMonth:
        return shown(await month_named(info, mode, month))

    @paged(
        Connection[PlayedMonth], "The months in which somebody has competed, one node for each mode, the latest first."
    )
    def series_months(self, after_position: AfterPosition = None) -> Listed:
        return Listed(lambda run: (reads.months(run), reads.LATEST_MONTH_FIRST), PlayedMonth.of)
