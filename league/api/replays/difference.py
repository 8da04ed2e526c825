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
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import (
    MatchId,
    MonthName,
    PlayerId,
    Region,
    check_played,
    known_competitor,
    known_player,
    known_season,
)
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import Connection, PageableList, local_id, paged
from league.api.replays.explained_difference import ExplainedDifference, read_board
from league.api.replays.forecast_verdict import ForecastVerdict
from league.api.replays.other_results import OtherHand, OtherResult
from league.api.replays.run_difference import (
    BadgeFate,
    BadgeMove,
    ChangeMove,
    EncounterMove,
    OtherMonth,
    OtherSeason,
    PlaceMove,
    RatingDivergence,
    RatingMove,
    RulesInSpan,
    StandingMove,
)
from league.domain.refusals import InvalidInput
from league.domain.timeline import OtherRules
from league.projections import tables as t
from league.projections.difference.overview import OTHER_MONTHS, OTHER_SEASONS, OtherMonthRow, OtherSeasonRow
from league.projections.difference.places import BADGES, PLACES, BadgeMoveRow, PlaceMoveRow
from league.projections.difference.ratings import (
    CHANGES,
    DIVERGENCES,
    MOVES,
    ChangeMoveRow,
    DivergenceRow,
    MoveRow,
    ratings_of,
)
from league.projections.difference.results import HANDS, RESULTS, BeganIn, HandMoveRow, ResultRow, began_in, result_of
from league.projections.difference.series import ENCOUNTERS, STANDINGS, EncounterMoveRow, StandingMoveRow
from league.projections.difference.totals import totals
from league.projections.difference.two_runs import DifferenceList, TwoRuns, other_rules, two_runs
from league.projections.difference.verdict import verdict
from league.projections.queries.pages import R
from league.projections.queries.snapshot import NO_RUN, Snapshot
from league.wording.language import spoken
from league.wording.verdicts import position_warning


@strawberry.enum(description="The order of moves.")
class MoveOrder(Enum):
    LARGEST_FIRST = word("largest_first", "By the size of the change, up or down; no change comes last.")
    BY_ID = word("by_id", "By the ids of players and teams.")


@strawberry.enum(description="The order of divergences.")
class DivergenceOrder(Enum):
    EARLIEST_FIRST = word("earliest_first", "In the order in which the matches were decided.")
    BY_ID = word("by_id", "By the ids of players and teams.")


@strawberry.enum(description="The order of places.")
class PlaceOrder(Enum):
    LARGEST_FIRST = word("largest_first", "By ranks gained or lost; no rank in both comes last.")
    LARGEST_VALUE_FIRST = word(
        "largest_value_first", "By the change of the value, up or down; a place that only one run has comes last."
    )
    BY_ID = word("by_id", "By the ids of players and teams.")


@strawberry.enum(description="The order of changes of ratings.")
class ChangeMoveOrder(Enum):
    LARGEST_FIRST = word("largest_first", "By how far the two runs differ, up or down.")
    EARLIEST_FIRST = word("earliest_first", "In the order in which the matches were decided.")


OfPlayer = Annotated[
    PlayerId | None, argument("Only rows that concern this player, including pairs: global id, or the league's.")
]
InMode = Annotated[RatingMode | None, argument("Only ratings of this mode.")]
InMonth = Annotated[str | None, argument("Only this month, such as `2026-03`; null: all months.")]
OfMatchMode = Annotated[MatchMode | None, argument("Only matches of this mode.")]
BeganInMonth = Annotated[str | None, argument("Only matches that began in this month, such as `2026-03`.")]
BeganInSeason = Annotated[
    strawberry.ID | None, argument("Only matches that began in this season: global id, or the league's.")
]
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
    encounters_changed: int = field(
        description="Encounters in the series of months with other games or points, or locked in one run only."
    )
    badges_gained: int = field(description="Badges that only the second run awards.")
    badges_lost: int = field(description="Badges that only the first run awards.")
    badges_earned_otherwise: int = field(description="Badges that both runs award, for different events.")
    predictions: list[Prediction] = field(description="The predictions by mode, and for all modes together.")
    two: strawberry.Private[TwoRuns]
    first_is_official: strawberry.Private[bool]

    @field(
        description="Whether the second run foresees results better, judged on the last three months with matches that "
        "both runs rate. Null without such a match."
    )
    async def verdict(self, info: Info) -> ForecastVerdict | None:
        found = await info.context.reader.read(lambda snapshot: verdict(snapshot.conn, self.two))
        return None if found is None else ForecastVerdict.of_rules(found, first_is_in_force=self.first_is_official)


@strawberry.type(description="How one run of the league, the second, differs from another run, the first.")
class LeagueDifference(ExplainedDifference):
    two: strawberry.Private[TwoRuns]
    first_is_official: strawberry.Private[bool]

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

    @field_of(list[RulesInSpan], "The spans of play time for which the two runs have different rules, in order.")
    async def rules(self, info: Info) -> list[OtherRules[str]]:
        return await info.context.reader.read(lambda snapshot: other_rules(snapshot.conn, self.two))

    @field(description="The difference in figures.")
    async def totals(self, info: Info) -> DifferenceTotals:
        found = await info.context.reader.read(lambda snapshot: totals(snapshot.conn, self.two))
        return made_of(DifferenceTotals, found, two=self.two, first_is_official=self.first_is_official)

    @paged(Connection[RatingMove], "Ratings that differ.")
    async def moves(
        self,
        info: Info,
        order_by: MovesBy = MoveOrder.LARGEST_FIRST,
        mode: InMode = None,
        subject: Subject = None,
        player: OfPlayer = None,
        once: Annotated[
            bool, argument("Each player and team once, with the one of their 1v1 and 2v2 ratings that moves most.")
        ] = False,
    ) -> PageableList[MoveRow]:
        return await self._list(info, MOVES, order_by, player, self._with_runs, mode=mode, subject=subject, once=once)

    @field_of(
        list[RatingMove],
        "The viewer's own ratings in both runs, by mode, also those that do not differ. Empty unless the viewer is a "
        "player.",
    )
    async def mine(self, info: Info) -> list[tuple[TwoRuns, MoveRow]]:
        sub = info.context.viewer.sub
        player = None if sub is None else await loaders.players.player(info, sub)
        if player is None:
            return []
        found = await info.context.reader.read(lambda s: ratings_of(s.conn, self.two, player.player_id))
        return [(self.two, row) for row in found]

    @paged(Connection[PlaceMove], "Places on a board that differ. Boards of ratings are without inactive players.")
    async def places(
        self,
        info: Info,
        board: Annotated[BoardKind, argument("Which board.")] = GLOBAL_BOARD,
        region: Region = None,
        month: MonthName = None,
        mode: Annotated[SeriesMode, argument("On SERIES: players, or fixed pairs.")] = SeriesMode.ONE_ON_ONE,
        order_by: Annotated[PlaceOrder, argument("The order.")] = PlaceOrder.LARGEST_FIRST,
        player: OfPlayer = None,
    ) -> PageableList[PlaceMoveRow]:
        boards = [await read_board(info, board, region, month, mode)]
        return await self._list(info, PLACES, order_by, player, boards=boards)

    @paged(Connection[StandingMove], "Standings in the series of months that differ.")
    async def standings(
        self,
        info: Info,
        month: InMonth = None,
        mode: Annotated[SeriesMode | None, argument("Only players, or only pairs.")] = None,
        order_by: MovesBy = MoveOrder.LARGEST_FIRST,
        player: OfPlayer = None,
    ) -> PageableList[StandingMoveRow]:
        return await self._list(info, STANDINGS, order_by, player, month=month, mode=mode)

    @paged(
        Connection[EncounterMove],
        "Encounters of the series with other games or points, or locked in one run only; by month.",
    )
    async def encounters(
        self,
        info: Info,
        month: InMonth = None,
        mode: Annotated[SeriesMode | None, argument("Only players, or only pairs.")] = None,
        player: OfPlayer = None,
    ) -> PageableList[EncounterMoveRow]:
        return await self._list(info, ENCOUNTERS, None, player, month=month, mode=mode)

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
        mode: OfMatchMode = None,
        player: OfPlayer = None,
        season: BeganInSeason = None,
        month: BeganInMonth = None,
    ) -> PageableList[ResultRow]:
        began = await _began(info, season, month)
        return await self._list(info, RESULTS, None, player, self._with_runs, mode=mode, began=began)

    @field_of(OtherResult | None, "A match in the two runs, also if its result is the same; null if neither has it.")
    async def result(self, info: Info, match: MatchId) -> tuple[TwoRuns, ResultRow] | None:
        id_ = local_id("Match", match)
        row = await info.context.reader.read(lambda snapshot: result_of(snapshot.conn, self.two, id_))
        return None if row is None else (self.two, row)

    @paged(
        Connection[OtherHand],
        "Hands with a different winner or points, or that count in one run only, of any match; by match and number.",
    )
    async def hands(
        self,
        info: Info,
        mode: OfMatchMode = None,
        player: OfPlayer = None,
        season: BeganInSeason = None,
        month: BeganInMonth = None,
    ) -> PageableList[HandMoveRow]:
        return await self._list(info, HANDS, None, player, mode=mode, began=await _began(info, season, month))

    @paged(Connection[OtherSeason], "The seasons in which results or hands differ, in order.")
    async def seasons(self, info: Info, player: OfPlayer = None) -> PageableList[OtherSeasonRow]:
        return await self._list(info, OTHER_SEASONS, None, player)

    @paged(Connection[OtherMonth], "The months in which results, hands or the series differ, in order.")
    async def months(self, info: Info, player: OfPlayer = None) -> PageableList[OtherMonthRow]:
        return await self._list(info, OTHER_MONTHS, None, player)

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

    @paged(
        Connection[ChangeMove],
        "What matches do to ratings, where the runs do it by other points, or one of them only. All of a competitor "
        "and a mode together make the difference of that rating.",
    )
    async def changes(
        self,
        info: Info,
        order_by: Annotated[ChangeMoveOrder, argument("The order.")] = ChangeMoveOrder.LARGEST_FIRST,
        mode: Annotated[RatingMode | None, argument("Only ONE_ON_ONE or TWO_ON_TWO; null: both.")] = None,
        subject: Subject = None,
        player: OfPlayer = None,
        of: Annotated[strawberry.ID | None, argument("Only of this player alone, or of this pair.")] = None,
    ) -> PageableList[ChangeMoveRow]:
        check_played(mode)
        id_ = None if of is None else await known_competitor(info, of, "of")
        return await self._list(info, CHANGES, order_by, player, mode=mode, subject=subject, of=id_)

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


async def _began(info: Info, season: strawberry.ID | None, month: str | None) -> BeganIn | None:
    """The span in which matches began. Raises RequestError, UnknownId."""
    id_ = None if season is None else await known_season(info, season, "season")
    try:
        return await info.context.reader.read(began_in, id_, month)
    except InvalidInput as refusal:
        raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=refusal.at) from None


async def difference_of(info: Info, run: int, against: int | None = None) -> LeagueDifference | None:
    """How a run differs from another run (None: the official run). Returns None if either was removed."""
    two = await info.context.reader.read(runs_held, run, against)
    return None if two is None else LeagueDifference(two=two, first_is_official=against is None)


def runs_held(snapshot: Snapshot, run: int, against: int | None) -> TwoRuns | None:
    """Both runs, protected from removal until the snapshot is released; None if either was removed."""
    first = snapshot.run if against is None else against
    query = select(func.hold_run(t.runs.c.run)).where(t.runs.c.run.in_([first, run]), t.runs.c.ready)
    held = snapshot.conn.scalars(query).all()
    if first == NO_RUN or len(held) != len({first, run}) or not all(held):
        return None
    return two_runs(snapshot.conn, first, run)
