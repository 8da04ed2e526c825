"""How a replay differs from the official league, or from another replay: in figures, and row by row."""

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

import strawberry
from sqlalchemy import func, select
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import (
    GLOBAL_BOARD,
    BigInt,
    BoardKind,
    MatchMode,
    RatedSubject,
    RatingMode,
    SeriesMode,
    argument,
    word,
)
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import MonthName, PlayerId, Region, check_played, known_player
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.relay import Connection, PageableList, paged
from league.api.replays.run_difference import (
    BadgeFate,
    BadgeMove,
    OtherResult,
    PlaceMove,
    RatingDivergence,
    RatingMove,
    StandingMove,
)
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.difference.places import BADGES, PLACES, STANDINGS, BadgeMoveRow, PlaceMoveRow, StandingMoveRow
from league.projections.difference.ratings import DIVERGENCES, MOVES, DivergenceRow, MoveRow
from league.projections.difference.totals import totals
from league.projections.difference.two_runs import RESULTS, DifferenceList, ResultRow, TwoRuns, two_runs
from league.projections.queries.pages import R
from league.projections.queries.snapshot import NO_RUN, Snapshot
from league.wording.verdicts import position_warning, predictions_verdict


@strawberry.enum(description="The order of moves.")
class MoveOrder(Enum):
    LARGEST_FIRST = word("largest_first", "By the size of the change, up or down; no change comes last.")
    BY_ID = word("by_id", "By the ids of players and teams.")


@strawberry.enum(description="The order of divergences.")
class DivergenceOrder(Enum):
    EARLIEST_FIRST = word("earliest_first", "In the order in which the matches were decided.")
    BY_ID = word("by_id", "By the ids of players and teams.")


OfPlayer = Annotated[
    PlayerId | None, argument("Only rows that concern this player, including pairs: global id, or the league's.")
]
InMode = Annotated[RatingMode | None, argument("Only ratings of this mode.")]
Subject = Annotated[RatedSubject | None, argument("Only players, or only teams.")]
MovesBy = Annotated[MoveOrder, argument("The order.")]


@strawberry.type(
    description="How well expected scores predicted who won. The forecast of a match is the expected score of the side "
    "that won; each match counts once, casual ones too, if both runs have rated it. The lower a loss, the better."
)
class Prediction(FromRow):
    mode: RatingMode | None = field(description="The mode of the matches; null: all modes.")
    matches: int = field(description="How many matches.")
    brier_before: float | None = field(
        description="Brier score in the first run: the mean of (1 - forecast)², from 0 to 1; 0.25 for tossing a coin. "
        "Null without a match."
    )
    brier_after: float | None = field(description="Brier score in the second run.")
    log_loss_before: float | None = field(
        description="Log loss in the first run: the mean of -ln(forecast), in nats; 0.693 for tossing a coin. A "
        "forecast counts as 1e-15 at least. Null without a match."
    )
    log_loss_after: float | None = field(description="Log loss in the second run.")


@strawberry.type(
    description="A difference in figures. Moves are those of players and teams in 1v1 and in 2v2; the overall rating "
    "is made of these."
)
class DifferenceTotals:
    players_moved: int = field(description="Players with a rating that differs.")
    teams_moved: int = field(description="Teams with a rating that differs.")
    largest_move: float = field(description="The largest move in rating points, up or down; 0 when no rating moves.")
    median_move: float = field(description="The median of the moves in rating points, up or down.")
    mean_move: float = field(description="The mean of the moves in rating points, up or down.")
    mean_before: float | None = field(description="The mean rating of players in the first run; null without ratings.")
    mean_after: float | None = field(description="The mean rating of players in the second run.")
    drift: float = field(description="The change of that mean in rating points.")
    matches_changed: int = field(description="Matches with a different winner, score or status.")
    hands_changed: int = field(description="Hands with a different winner or points, or that count in one run only.")
    standings_changed: int = field(description="Standings in the series of months with a different rank or total.")
    badges_gained: int = field(description="Badges that only the second run awards.")
    badges_lost: int = field(description="Badges that only the first run awards.")
    badges_earned_otherwise: int = field(description="Badges that both runs award, for different events.")
    predictions: list[Prediction] = field(description="The predictions by mode, and for all modes together.")
    verdict: str | None = field(
        description="Whether the second run predicts results better, in words, by the Brier score of all matches. Null "
        "without a match."
    )


@strawberry.type(description="How one run of the league, the second, differs from another run, the first.")
class LeagueDifference:
    two: strawberry.Private[TwoRuns]

    @field(description="The position of the log up to which the first run is folded.")
    def position_before(self) -> BigInt:
        return BigInt(self.two.first_position)

    @field(description="The position of the log up to which the second run is folded.")
    def position_after(self) -> BigInt:
        return BigInt(self.two.second_position)

    @field(
        description="A warning, in English, when one run has folded events that the other run has not, and that may "
        "be the cause of differences. To compare the rules alone, start the replay again. Null when both have folded "
        "the same events."
    )
    def warning(self) -> str | None:
        return position_warning(self.two)

    @field(description="The difference in figures.")
    async def totals(self, info: Info) -> DifferenceTotals:
        found = await info.context.reader.read(lambda snapshot: totals(snapshot.conn, self.two))
        return made_of(DifferenceTotals, found, verdict=predictions_verdict(found.predictions))

    @paged(Connection[RatingMove], "Ratings that differ.")
    async def moves(
        self,
        info: Info,
        order_by: MovesBy = MoveOrder.LARGEST_FIRST,
        mode: InMode = None,
        subject: Subject = None,
        player: OfPlayer = None,
    ) -> PageableList[MoveRow]:
        return await self._list(info, MOVES, order_by, player, self._with_runs, mode=mode, subject=subject)

    @paged(Connection[PlaceMove], "Places on a board that differ. Boards of ratings are without inactive players.")
    async def places(
        self,
        info: Info,
        board: Annotated[BoardKind, argument("Which board.")] = GLOBAL_BOARD,
        region: Region = None,
        month: MonthName = None,
        mode: Annotated[SeriesMode, argument("On SERIES: players, or fixed pairs.")] = SeriesMode.ONE_ON_ONE,
        order_by: MovesBy = MoveOrder.LARGEST_FIRST,
        player: OfPlayer = None,
    ) -> PageableList[PlaceMoveRow]:
        of_series = {}
        if BOARDS[board.value].monthly:
            of_series = {"month": (await loaders.players.month(info, mode, month)).month, "mode": mode.value}
        boards = [BoardKey(board.value, region, **of_series)]
        return await self._list(info, PLACES, order_by, player, boards=boards)

    @paged(Connection[StandingMove], "Standings in the series of months that differ.")
    async def standings(
        self,
        info: Info,
        month: Annotated[str | None, argument("Only this month, such as `2026-03`; null: all months.")] = None,
        mode: Annotated[SeriesMode | None, argument("Only players, or only pairs.")] = None,
        order_by: MovesBy = MoveOrder.LARGEST_FIRST,
        player: OfPlayer = None,
    ) -> PageableList[StandingMoveRow]:
        return await self._list(info, STANDINGS, order_by, player, month=month, mode=mode)

    @paged(Connection[BadgeMove], "Badges gained, lost, or earned by a different event; by player and badge.")
    async def badges(
        self,
        info: Info,
        fate: Annotated[BadgeFate | None, argument("Only badges that differ in this way.")] = None,
        player: OfPlayer = None,
    ) -> PageableList[BadgeMoveRow]:
        return await self._list(info, BADGES, None, player, what=fate)

    @paged(
        Connection[OtherResult], "Matches with a different winner, score or status, in the order in which they began."
    )
    async def results(
        self,
        info: Info,
        mode: Annotated[MatchMode | None, argument("Only matches of this mode.")] = None,
        player: OfPlayer = None,
    ) -> PageableList[ResultRow]:
        return await self._list(info, RESULTS, None, player, self._with_runs, mode=mode)

    @paged(
        Connection[RatingDivergence],
        "For each player or team and mode, the first match after which the ratings differ.",
    )
    async def divergences(
        self,
        info: Info,
        order_by: Annotated[DivergenceOrder, argument("The order.")] = DivergenceOrder.EARLIEST_FIRST,
        mode: Annotated[RatingMode | None, argument("Only ONE_ON_ONE or TWO_ON_TWO; null: both.")] = None,
        subject: Subject = None,
        player: OfPlayer = None,
    ) -> PageableList[DivergenceRow]:
        check_played(mode)
        return await self._list(info, DIVERGENCES, order_by, player, mode=mode, subject=subject)

    async def _list(
        self,
        info: Info,
        which: DifferenceList[R],
        order_by: Enum | None,
        player: strawberry.ID | None,
        data: Callable[[R], Any] | None = None,
        **conditions: Any,
    ) -> PageableList[R]:
        of = None if player is None else await known_player(info, player, "player")
        given = {name: value.value if isinstance(value, Enum) else value for name, value in conditions.items()}
        query = which.query(self.two, player=of, **given)
        order = which.usual if order_by is None else which.orders[order_by.value]
        return PageableList(which.row, lambda _: (query, order), data)

    def _with_runs(self, row: R) -> tuple[TwoRuns, R]:
        return self.two, row


async def difference_of(info: Info, run: int, against: int | None = None) -> LeagueDifference | None:
    """How a run differs from another run (None: the official run). Returns None if either was removed."""
    two = await info.context.reader.read(_held, run, against)
    return None if two is None else LeagueDifference(two=two)


def _held(snapshot: Snapshot, run: int, against: int | None) -> TwoRuns | None:
    """Both runs, protected from removal until the snapshot is released."""
    first = snapshot.run if against is None else against
    query = select(func.hold_run(t.runs.c.run)).where(t.runs.c.run.in_([first, run]), t.runs.c.ready)
    held = snapshot.conn.scalars(query).all()
    if first == NO_RUN or len(held) != len({first, run}) or not all(held):
        return None
    return two_runs(snapshot.conn, first, run)
