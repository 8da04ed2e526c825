"""The series before play: the points between two competitors, the next game's effect, and possible opponents."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import Connection, PageableList, paged
from league.api.graphql.shaping.shared_fields import competitor_field, value_field
from league.api.series.series import SeriesMonth, SeriesStanding, StandingInMonth
from league.domain.seating import CompetitorId
from league.projections.queries import encounters as reads
from league.projections.queries.encounters import MonthOutlook, OpponentGamesRow
from league.projections.queries.series import ModeMonth, standing_of


@strawberry.type(description="The points that a competitor has from one opponent; the opponent has the negative.")
class Holding:
    series_points: int = field(description="Points from the share of games won.")
    game_points: int = field(
        description="Points from the games themselves: a fixed number for each win, the negative for each loss."
    )
    total: int = field(description="`seriesPoints` and `gamePoints` together.")
    change: int = field(description="The total less the current total.")

    @classmethod
    def of(cls, outlook: MonthOutlook, *, wins: int = 0, losses: int = 0) -> "Holding":
        """The points after this many more games."""
        now = sum(outlook.holding())
        series, games = outlook.holding(wins, losses)
        return cls(series_points=series, game_points=games, total=series + games, change=series + games - now)


@strawberry.type(description="Two competitors in a month of the series, seen from one side.")
class SeriesEncounter:
    outlook: strawberry.Private[MonthOutlook]

    @classmethod
    def of(cls, outlook: MonthOutlook) -> "SeriesEncounter":
        """The competitor's view of an encounter."""
        return cls(outlook=outlook)

    @field_of(SeriesMonth, "The month.")
    def month(self) -> ModeMonth:
        return self.outlook.month

    competitor_id = value_field(str, "The league id of the competitor whose view this is.", "outlook.own")

    competitor = competitor_field("The competitor.", "outlook.own")

    opponent_id = value_field(str, "The opponent's league id.", "outlook.other")

    opponent = competitor_field("The opponent.", "outlook.other")

    wins = value_field(int, "Games won that count.", "outlook.wins")

    losses = value_field(int, "Games lost that count.", "outlook.losses")

    ignored = value_field(int, "Games beyond the limit, which count zero.", "outlook.ignored")

    open_matches = value_field(int, "Competitive matches between the two that are still open.", "outlook.open_matches")

    @field(description="How many more wins lock the two.")
    def wins_left(self) -> int:
        return 0 if self.outlook.locked else self.outlook.rules.limit - self.outlook.wins

    @field(description="How many more losses lock the two.")
    def losses_left(self) -> int:
        return 0 if self.outlook.locked else self.outlook.rules.limit - self.outlook.losses

    locked = value_field(bool, "Whether the two have played all games that count this month.", "outlook.locked")

    may_meet = value_field(
        bool,
        "Whether another competitive match may be opened: not when the two are locked, when their open "
        "matches may lock them, or when the month is over.",
        "outlook.may_meet",
    )

    @field(
        description="When they may meet competitively again: the end of the month. Null while they may, and when the "
        "month is over."
    )
    def free_at(self) -> datetime | None:
        return None if self.outlook.may_meet or self.outlook.over else self.outlook.month.ends_at

    @field(description="The current points.")
    def now(self) -> Holding:
        return Holding.of(self.outlook)

    @field(description="The points after winning the next game; null when locked, or when the month is over.")
    def if_won(self) -> Holding | None:
        return Holding.of(self.outlook, wins=1) if self.outlook.next_counts else None

    @field(description="The points after losing the next game; null when locked, or when the month is over.")
    def if_lost(self) -> Holding | None:
        return Holding.of(self.outlook, losses=1) if self.outlook.next_counts else None


@strawberry.type(description="A player or a pair in the series of a month.")
class SeriesEntry(FromRow, own="competitor_id", read="month"):
    month: SeriesMonth = field(description="The month.")
    own: strawberry.Private[CompetitorId]
    read: strawberry.Private[ModeMonth]

    @field_of(SeriesStanding | None, "Their place in the standings; null without a game that counts.")
    async def standing(self, info: Info) -> StandingInMonth | None:
        row = await info.context.reader.read(standing_of, self.read, self.own)
        return None if row is None else StandingInMonth.now(row, self.read)

    @paged(
        Connection[SeriesEncounter],
        "The competitors whom they can still play competitively in the month: for a player every other player, for a "
        "pair every pair with a rating or a place in the month's standings. The highest stake first (how far apart "
        "winning and losing the next game are), then by id. Empty when the month is over.",
    )
    async def opponents(self, info: Info) -> PageableList[OpponentGamesRow]:
        month, own, now = self.read, self.own, info.context.clock()
        rules = await loaders.players.series_rules(info, month)
        waiting = await loaders.players.open_matches(info, month, own)

        def outlook(row: OpponentGamesRow) -> MonthOutlook:
            return MonthOutlook(month, own, row.id, rules, row.wins, row.losses, row.ignored, row.open_matches)

        return PageableList(
            OpponentGamesRow,
            lambda run: (reads.opponents(run, month, own, rules, waiting, now), reads.MOST_AT_STAKE_FIRST),
            outlook,
        )
