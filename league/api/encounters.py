"""The series before play: what two hold of each other, what the next game would change, and whom one can still meet."""

from datetime import datetime
from typing import Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.arguments import MonthName
from league.api.boards import month_named
from league.api.competitors import Competitor, competitor_named
from league.api.context import Info
from league.api.relay import Connection, Listed, paged
from league.api.series import SeriesMonth, SeriesStanding, shown
from league.api.words import SeriesMode
from league.bootstrap import clock
from league.projections.reads import encounters as reads
from league.projections.reads.encounters import Outlook
from league.projections.reads.series import Month, standing_of
from league.projections.reads.snapshot import Snapshot


@strawberry.type(description="Points that a competitor holds of another one; the other one holds the negative.")
class Holding:
    series_points: int = field(description="By the share of games won.")
    game_points: int = field(description="By the games themselves.")
    total: int = field(description="Both.")
    change: int = field(description="How far the total lies from what is held now.")

    @classmethod
    def of(cls, outlook: Outlook, *, wins: int = 0, losses: int = 0) -> "Holding":
        """What is held after so many more games."""
        now = sum(outlook.holding())
        series, games = outlook.holding(wins, losses)
        return cls(series_points=series, game_points=games, total=series + games, change=series + games - now)


@strawberry.type(description="A competitor and another one in a month of the series, as the first of them sees it.")
class Encounter:
    outlook: strawberry.Private[Outlook]

    @field(description="The month.")
    def month(self) -> SeriesMonth:
        return shown(self.outlook.month)

    @field(description="The id in the league of the one who sees it so.")
    def competitor_id(self) -> str:
        return self.outlook.own

    @field(description="The id in the league of the other one.")
    def opponent_id(self) -> str:
        return self.outlook.other

    @field(description="The other one; null when the league does not know them.")
    async def opponent(self, info: Info) -> Competitor | None:
        return await competitor_named(info, self.outlook.other)

    @field(description="Games won that count.")
    def wins(self) -> int:
        return self.outlook.wins

    @field(description="Games lost that count.")
    def losses(self) -> int:
        return self.outlook.losses

    @field(description="Games beyond the limit, which count zero.")
    def ignored(self) -> int:
        return self.outlook.ignored

    @field(description="Competitive matches of the two that are open.")
    def open_matches(self) -> int:
        return self.outlook.open_matches

    @field(description="Wins after which the two are locked, if they all come.")
    def wins_left(self) -> int:
        return 0 if self.outlook.locked else self.outlook.rules.limit - self.outlook.wins

    @field(description="Losses after which the two are locked, if they all come.")
    def losses_left(self) -> int:
        return 0 if self.outlook.locked else self.outlook.rules.limit - self.outlook.losses

    @field(description="Whether all games of the month that count are played.")
    def locked(self) -> bool:
        return self.outlook.locked

    @field(description="Whether another competitive match may be opened; an open one may already take the last place.")
    def may_meet(self) -> bool:
        return self.outlook.may_meet

    @field(description="When they can meet competitively again; null while they may.")
    def free_at(self) -> datetime | None:
        return None if self.outlook.may_meet else self.outlook.month.ends_at

    @field(description="What is held now.")
    def now(self) -> Holding:
        return Holding.of(self.outlook)

    @field(description="What would be held after winning the next game; null when it would not count.")
    def if_won(self) -> Holding | None:
        return None if self.outlook.locked else Holding.of(self.outlook, wins=1)

    @field(description="What would be held after losing the next game; null when it would not count.")
    def if_lost(self) -> Holding | None:
        return None if self.outlook.locked else Holding.of(self.outlook, losses=1)


@strawberry.type(description="A player or a pair in the series of a month.")
class SeriesEntry:
    month: SeriesMonth = field(description="The month.")
    own: strawberry.Private[str]
    read: strawberry.Private[Month]

    @field(description="The place in the standings; null without a game that counts.")
    async def standing(self, info: Info) -> SeriesStanding | None:
        row = await info.context.reader.read(standing_of, self.read, self.own)
        return None if row is None else SeriesStanding.of(row)

    @paged(
        Connection[Encounter],
        "Whom they can still meet competitively in the month: who stands in its standings or is active in the mode. "
        "By what is at stake: how far winning and losing the next game lie apart; equal ones by id.",
    )
    async def opponents(self, info: Info) -> Listed:
        month, own, reader = self.read, self.own, info.context.reader
        rules = await reader.read(reads.rules_at, month, clock())
        waiting = await reader.read(reads.open_matches, month, own)
        since = await reader.read(_active_since)

        def node(row: Row[Any]) -> Encounter:
            return Encounter(
                outlook=Outlook(month, own, row.id, rules, row.wins, row.losses, row.ignored, row.open_matches)
            )

        return Listed(
            lambda run: (reads.opponents(run, month, own, rules, waiting, since), reads.MOST_AT_STAKE_FIRST), node
        )


def _active_since(snapshot: Snapshot) -> datetime:
    return clock() if snapshot.shown is None else snapshot.shown.active_since


async def encounter(info: Info, month: Month, own: str, other: str) -> Encounter:
    """What a competitor holds of another one."""
    return Encounter(outlook=await info.context.reader.read(reads.outlook, month, own, other, clock()))


async def entry(info: Info, own: str, month: MonthName) -> SeriesEntry:
    """A competitor in a month: a player in matches of two, a pair in those of two pairs."""
    mode = SeriesMode.TWO_ON_TWO if "+" in own else SeriesMode.ONE_ON_ONE
    found = await month_named(info, mode, month)
    return SeriesEntry(month=shown(found), own=own, read=found)
