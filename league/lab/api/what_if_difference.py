"""The series, badges and boards under other rules, beside those under the rules in force."""

from typing import Annotated, Self
from zoneinfo import ZoneInfo

import strawberry
from strawberry import field

from league.api.graphql.leaf_types import BigInt, BoardKind, SeriesMode, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.relay import Connection, PageableInMemory, paged
from league.api.graphql.shaping.shared_fields import competitor_field
from league.api.graphql.shaping.user_errors import WrongStateError
from league.api.replays.run_difference import (
    BadgeEarning,
    BadgeFate,
    CompetitorFields,
    EncounterMove,
    PlaceMove,
    earnings,
)
from league.domain.refusals import InvalidInput
from league.domain.series import bounds
from league.lab.tried_league import MonthOfTrial, TriedBadge, TriedLeague
from league.projections.difference.places import GAINED, LOST, PlaceMoveRow
from league.projections.difference.series import EncounterMoveRow, StandingPairRow
from league.wording.language import spoken


@strawberry.type(description="What changes in the series of a month in one mode.")
class WhatIfMonth(FromRow):
    month: str = field(description="The month, such as `2026-03`.")
    mode: SeriesMode = field(description="Who competes.")
    closed: bool = field(description="Whether the month is closed: its published list stays as it is.")
    standings_changed: int = field(description="Standings with another rank or total.")
    locked: int = field(description="Encounters that only the tried rules lock.")
    unlocked: int = field(description="Encounters that only the rules in force lock.")


@strawberry.type(description="A standing in the series of a month under the tried rules, beside the rules in force.")
class WhatIfStanding(
    FromRow, competitor_id="id", rank="rank_after", wins="wins_after", losses="losses_after", total="total_after"
):
    competitor_id: str = field(description="The player's id in the league, or both ids of a team joined by `+`.")
    rank: int | None = field(description="From 1, shared by equal totals; null: no game counts.")
    rank_before: int | None = field(description="The rank under the rules in force; null: no game counts.")
    wins: int | None = field(description="Games won that count; null: no game counts.")
    wins_before: int | None = field(description="Games won that count under the rules in force; null: no game counts.")
    losses: int | None = field(description="Games lost that count; null: no game counts.")
    losses_before: int | None = field(
        description="Games lost that count under the rules in force; null: no game counts."
    )
    total: int | None = field(description="Points of the series; null: no game counts.")
    total_before: int | None = field(description="Points under the rules in force; null: no game counts.")

    competitor = competitor_field("The player, or the pair.")


@strawberry.type(description="A badge that is gained, lost, or earned by a different event under the tried rules.")
class WhatIfBadge(CompetitorFields, fate="what"):
    badge: str = field(description="The measure and the threshold, such as `streak-5`.")
    description: str = field(description="What it is awarded for, in the language of the request.")
    fate: BadgeFate = field(description="How the badge differs.")
    before: BadgeEarning | None = field(
        description="What earned it under the rules in force; null: they do not award it."
    )
    after: BadgeEarning | None = field(description="What earned it under the tried rules; null: they do not award it.")

    @classmethod
    def of(cls, badge: TriedBadge) -> Self:
        """A badge."""
        return made_of(cls, badge.row, **earnings(badge.row), description=spoken(badge.description))


@strawberry.type(
    description="How the league would differ beside ratings, as a replay under the tried rules gives it. In the types "
    "that comparisons of runs have too, the first run is the official one."
)
class WhatIfDifference:
    found: strawberry.Private[TriedLeague]

    @field(description="The position of the log up to which matches were read.")
    def position(self) -> BigInt:
        return BigInt(self.found.position)

    @field(description="Standings of all months with another rank or total.")
    def standings_changed(self) -> int:
        return sum(one.standings_changed for one in self.found.months)

    @field(description="Encounters that only the tried rules lock.")
    def locked(self) -> int:
        return sum(one.locked for one in self.found.months)

    @field(description="Encounters that only the rules in force lock.")
    def unlocked(self) -> int:
        return sum(one.unlocked for one in self.found.months)

    @field(description="Places on boards with another rank, or that only one of the two sets of rules has.")
    def places_moved(self) -> int:
        return len(self.found.places)

    @field(description="Badges that only the tried rules award.")
    def badges_gained(self) -> int:
        return sum(one.row.what == GAINED for one in self.found.badges)

    @field(description="Badges that only the rules in force award.")
    def badges_lost(self) -> int:
        return sum(one.row.what == LOST for one in self.found.badges)

    @paged(Connection[WhatIfMonth], "Every month with standings, latest first; within a month by mode.")
    async def months(self) -> PageableInMemory[MonthOfTrial]:
        rows = sorted(self.found.months, key=lambda one: (_backwards(one.month), one.mode))
        return PageableInMemory(rows, lambda one: (_backwards(one.month), one.mode), "months")

    @paged(Connection[WhatIfStanding], "All standings of a month, in the order of the tried rules.")
    async def standings(
        self,
        month: Annotated[str | None, argument("Such as `2026-03`; null: the latest month with standings.")] = None,
        mode: Annotated[SeriesMode, argument("Players, or fixed pairs.")] = SeriesMode.ONE_ON_ONE,
    ) -> PageableInMemory[StandingPairRow]:
        _check_month(month)
        if month is None:
            month = max((one.month for one in self.found.months if one.mode == mode.value), default="")
        rows = [row for row in self.found.standings if (row.month, row.mode) == (month, mode.value)]
        return PageableInMemory(
            rows, lambda row: (row.rank_after is None, row.rank_after or 0, row.id), f"standings {month} {mode.value}"
        )

    @paged(Connection[EncounterMove], "Encounters that only one of the two sets of rules locks; by month.")
    async def locks(
        self, month: Annotated[str | None, argument("Only this month, such as `2026-03`; null: all months.")] = None
    ) -> PageableInMemory[EncounterMoveRow]:
        _check_month(month)
        rows = [row for row in self.found.locks if month in (None, row.month)]
        return PageableInMemory(rows, lambda row: (row.month, row.mode, row.a, row.b), f"locks {month}")

    @paged(Connection[WhatIfBadge], "Badges gained, lost, or earned by a different event; by player and badge.")
    async def badges(
        self, fate: Annotated[BadgeFate | None, argument("Only badges that differ in this way.")] = None
    ) -> PageableInMemory[TriedBadge]:
        rows = [one for one in self.found.badges if fate is None or fate.value == one.row.what]
        return PageableInMemory(rows, lambda one: (one.row.id, one.row.badge), f"badges {fate}")

    @paged(
        Connection[PlaceMove],
        "Places with another rank, or that only one of the two sets of rules has, on the boards of the whole league "
        "without inactive players; by ranks gained or lost. The series has its `standings`.",
    )
    async def places(
        self, board: Annotated[BoardKind | None, argument("Only this board.")] = None
    ) -> PageableInMemory[PlaceMoveRow]:
        rows = [row for row in self.found.places if board is None or board.value == row.board]
        return PageableInMemory(rows, _by_ranks, f"places {board}")


def _check_month(month: str | None) -> None:
    """Raise RequestError for a text that is no month."""
    try:
        if month is not None:
            bounds(month, ZoneInfo("UTC"))
    except InvalidInput as refused:
        raise RequestError(f"`month`: {spoken(refused.reason)}.", argument="month") from None


def _backwards(month: str) -> int:
    return -int(month.replace("-", ""))


def _by_ranks(row: PlaceMoveRow) -> tuple[int, str, str]:
    return -abs(row.change or 0), row.board, row.id


WhatIfDifferencePayload = Annotated[
    WhatIfDifference | WrongStateError,
    strawberry.union("WhatIfDifferencePayload", description="What would differ, or why it cannot be computed."),
]
