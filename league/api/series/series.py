"""The monthly series: a month, its standings, its published list, and the months with matches."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import SeriesMode, argument, word
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import AsOf, MonthName, Region
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.loaders.runs import ExplainedInRun
from league.api.graphql.shaping.object_fields import ExplanationRef, SeriesEncounterRef, cacheable_field_of, field_of
from league.api.graphql.shaping.relay import (
    Connection,
    Node,
    PageableList,
    PageablePlaces,
    cacheable_paged,
    global_id,
    paged,
    place_id,
)
from league.api.graphql.shaping.shared_fields import competitor_field, event_field, match_field
from league.domain.sentences import say
from league.explanations.places import explain_standing
from league.projections.boards.board import BoardKey
from league.projections.queries import catalogue
from league.projections.queries import encounters as encounter_reads
from league.projections.queries import series as reads
from league.projections.queries.encounters import EncounterRow, MonthOutlook
from league.projections.queries.pages import Order, Query
from league.projections.queries.series import (
    ClosingRow,
    CorrectionRow,
    LateRow,
    MeetingRow,
    ModeMonth,
    PlayedMonthRow,
    StandingRow,
    ZeroRow,
)
from league.wording.language import spoken

MOST_IN_CROSS_TABLE = 50
"""Limit on the rows of a cross table."""
MOST_IN_ENCOUNTERS = 100
"""Limit on the competitors; 100 make up to 4,950 encounters."""

Mode = Annotated[SeriesMode, argument("Players in 1v1 matches, or fixed pairs in 2v2 matches.")]


class StandingInMonth(Struct, frozen=True):
    """A standing in one of the lists of a month."""

    row: StandingRow
    month: ModeMonth
    board: BoardKey | None
    """The standings now or at a moment of play; None: the published list."""

    @classmethod
    def now(cls, row: StandingRow, month: ModeMonth) -> "StandingInMonth":
        """A current standing in the list of all competitors of the month."""
        return cls(row, month, BoardKey("series", month=month.month, mode=month.mode))


@strawberry.enum(description="Why a match counts zero in the series. New reasons may be added.")
class ZeroReason(Enum):
    BEYOND_LIMIT = word("beyond_limit", "The two had already played all games that count this month.")
    CASUAL = word("casual", "It was a casual match.")
    COMPETITIVE = word("competitive", "It was a competitive match, which its edition does not count.")
    SPECIAL = word("special", "It was a match of a special tournament, which its edition does not count.")
    VOIDED = word("voided", "It was voided.")


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
    found: strawberry.Private[StandingInMonth]

    @field(description="An id for caches of clients; `node` does not accept it.")
    def id(self) -> strawberry.ID:
        month, board = self.found.month, self.found.board
        if board is None:
            local = f"published:{month.mode}:{month.month}:{self.competitor_id}"
            return strawberry.ID(global_id("SeriesStanding", local))
        return place_id("SeriesStanding", board, self.competitor_id)

    competitor = competitor_field("The player, or the pair.")

    @field_of(
        ExplanationRef | None,
        "Why: the points against each opponent, the matches behind them, and the matches that count zero. Null in the "
        "published list and at an earlier moment.",
    )
    async def explanation(self, info: Info) -> ExplainedInRun | None:
        month, board = self.found.month, self.found.board
        if board is None or board.as_of is not None:
            return None
        return await loaders.runs.explained(info, explain_standing, month, self.competitor_id)

    @classmethod
    def of(cls, found: StandingInMonth) -> "SeriesStanding":
        """A standing in a list."""
        row = found.row
        return cls(  # not `made_of`, which takes 1.5 times as long: a page has fifty of them
            rank=row.rank,
            wins=row.wins,
            losses=row.losses,
            series_points=row.series_points,
            total=row.total,
            competitor_id=row.id,
            found=found,
        )


@strawberry.type(description="A competitor whose rank or total differs from the published list.")
class SeriesCorrection(
    FromRow,
    published_rank="rank_then",
    published_total="total_then",
    rank="rank_now",
    total="total_now",
    competitor_id="id",
):
    published_rank: int | None = field(description="The published rank; null when not in the published list.")
    published_total: int | None = field(description="The published total; null when not in the published list.")
    rank: int | None = field(description="The current rank; null when none of their games counts any more.")
    total: int | None = field(description="The current total; null when none of their games counts any more.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")

    competitor = competitor_field("The player, or the pair.")


@strawberry.type(description="A match that was decided after its month was closed.")
class LateMatch(FromRow):
    match_id: str = field(description="The match's id in the league.")
    position: strawberry.Private[int]

    match = match_field("The match.")

    event = event_field("The event that decided it.")


@strawberry.type(
    description="Two competitors who have met in the series of a month, and the points between them. `a` is the first "
    "by id."
)
class SeriesPair(FromRow):
    a: str = field(description="The id in the league of the competitor whose id comes first.")
    b: str = field(description="The id in the league of the other competitor.")
    a_wins: int = field(description="Games that `a` won and that count.")
    b_wins: int = field(description="Games that `b` won and that count.")
    a_series_points: int = field(description="Series points that `a` has from `b`; `b` has the negative.")
    ignored: int = field(description="Games beyond the limit, which do not count.")
    locked: bool = field(description="Whether all games of the month that count have been played.")


@strawberry.type(description="A match that counts zero in the series of its month.")
class ZeroMatch(FromRow):
    reason: ZeroReason = field(description="Why.")
    match_id: str = field(description="The match's id in the league.")

    match = match_field("The match.")


@strawberry.type(description="The closing of a month.")
class MonthClosing(FromRow):
    closed_at: datetime = field(description="When it was closed.")
    position: strawberry.Private[int]

    event = event_field("The event that closed it. The published list rests on the log up to this event.")


@strawberry.type(
    description="The series of a month (ToT): everybody starts with the same points; each game moves a few, and the "
    "share of games won against each opponent moves more. A match belongs to the month in which it began."
)
class SeriesMonth(FromRow, Node, key=("mode", "month")):
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Players, or fixed pairs.")
    starts_at: datetime = field(description="When the month begins in the league's time zone.")
    ends_at: datetime = field(description="When the next month begins.")
    row: strawberry.Private[reads.ModeMonth]

    @cacheable_paged(Connection[SeriesStanding], "The standings, by total; ties by id. They follow every correction.")
    async def standings(self, region: Region = None, as_of: AsOf = None) -> PageablePlaces[StandingRow]:
        board = BoardKey("series", region, as_of=as_of, month=self.row.month, mode=self.row.mode)
        return PageablePlaces(StandingRow, board, lambda row: StandingInMonth(row, self.row, board))

    @cacheable_field_of(MonthClosing | None, "When and by what the month was closed; null while it is open.")
    async def closing(self, info: Info) -> ClosingRow | None:
        return await info.context.reader.read(reads.closing, self.month)

    @cacheable_paged(
        Connection[SeriesStanding],
        "The standings as published when the month was closed; nothing changes them later, and reopening the month "
        "withdraws them. The matches in `late` are not in them. Empty while the month is open.",
    )
    def published(self) -> PageableList[StandingRow]:
        return PageableList(
            StandingRow,
            lambda _: (reads.published_standings(self.row), reads.BY_RANK),
            lambda row: StandingInMonth(row, self.row, None),
        )

    @cacheable_paged(
        Connection[SeriesCorrection],
        "The competitors whose rank or total differs from the published list, after corrections, late matches or other "
        "rules; by id. Empty while the month is open.",
    )
    def corrections(self) -> PageableList[CorrectionRow]:
        return PageableList(CorrectionRow, lambda run: (reads.moved_since_published(run, self.row), reads.BY_ID))

    @cacheable_paged(
        Connection[LateMatch],
        "The matches of the month that were decided after it was closed, in the order they began. They move the "
        "standings, not the published list. Empty while the month is open.",
    )
    def late(self) -> PageableList[LateRow]:
        return PageableList(LateRow, lambda run: (reads.late(run, self.row), reads.BY_BEGINNING))

    @cacheable_paged(
        Connection[SeriesPair],
        "The cells of a cross table: every two competitors who have met, among the first of the standings, by their "
        "ids.",
    )
    def meetings(
        self,
        among_first: Annotated[int, argument("How many of the standings, by total; at most 50.")] = MOST_IN_CROSS_TABLE,
    ) -> PageableList[MeetingRow]:
        _check_size(among_first, MOST_IN_CROSS_TABLE)
        return PageableList(MeetingRow, lambda run: (reads.meetings(run, self.row, among_first), reads.BY_COMPETITORS))

    @paged(
        Connection[SeriesEncounterRef],
        "Who may still play whom: every two of the first of the standings, whether or not they have met, by their ids. "
        "Each encounter is seen from the competitor whose id comes first. Pairs that share a player, and erased "
        "players, are left out. `SeriesEntry.opponents` lists all opponents of one competitor.",
    )
    async def encounters(
        self,
        info: Info,
        among_first: Annotated[int, argument("How many of the standings, by total; at most 100.")] = MOST_IN_ENCOUNTERS,
        may_meet: Annotated[
            bool | None,
            argument(
                "True: only encounters that allow another competitive match; false: only the others, which are all "
                "when the month is over."
            ),
        ] = None,
    ) -> PageableList[EncounterRow]:
        _check_size(among_first, MOST_IN_ENCOUNTERS)
        month, now = self.row, info.context.clock()
        if await info.context.reader.once(catalogue.settings) is None:
            # There are no rules before the league is founded.
            return PageableList(EncounterRow, lambda run: (encounter_reads.no_encounters(run), encounter_reads.BY_IDS))
        rules = await loaders.players.series_rules(info, month)
        waiting = await info.context.reader.read(encounter_reads.all_open_matches, month)

        def outlook(row: EncounterRow) -> MonthOutlook:
            over = month.is_over(now)
            return MonthOutlook(month, row.a, row.b, rules, row.a_wins, row.b_wins, row.ignored, row.open_matches, over)

        def rows(run: int) -> tuple[Query, Order]:
            found = encounter_reads.encounters(run, month, among_first, rules, waiting, now, may_meet=may_meet)
            return found, encounter_reads.BY_IDS

        return PageableList(EncounterRow, rows, outlook)

    @cacheable_paged(Connection[ZeroMatch], "The matches of the month that count zero, in the order they began.")
    def counting_zero(self) -> PageableList[ZeroRow]:
        return PageableList(ZeroRow, lambda run: (reads.counting_zero(run, self.row), reads.BY_BEGINNING))


def _check_size(among_first: int, most: int) -> None:
    if not 0 <= among_first <= most:
        text = say("must be a number from 0 to {most}", most=most)
        raise RequestError(f"`amongFirst`: {spoken(text)}", argument="amongFirst")


@strawberry.type(description="A month of the series in which matches were played, in one mode.")
class PlayedMonth(FromRow):
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Players, or fixed pairs.")
    closed: bool = field(description="Whether the month is closed and its list is published.")

    @field(description="Competitors in its standings.")
    @cacheable
    async def competitors(self, info: Info) -> int:
        key = (self.mode.value, self.month)
        return await info.context.reader.load(reads.competitors_of_months, key) or 0

    @cacheable_field_of(SeriesMonth, "The series of the month.")
    async def series(self, info: Info) -> reads.ModeMonth:
        return await loaders.players.month(info, self.mode, self.month)


@strawberry.type
class SeriesQueries:
    @cacheable_field_of(SeriesMonth, "The series of a month.")
    async def series_month(
        self, info: Info, month: MonthName = None, mode: Mode = SeriesMode.ONE_ON_ONE
    ) -> reads.ModeMonth:
        return await loaders.players.month(info, mode, month)

    @cacheable_paged(
        Connection[PlayedMonth], "The months in which matches were played, one node for each mode, the latest first."
    )
    def series_months(self) -> PageableList[PlayedMonthRow]:
        return PageableList(PlayedMonthRow, lambda run: (reads.months(run), reads.LATEST_MONTH_FIRST))
