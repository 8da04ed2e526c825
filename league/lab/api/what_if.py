"""The laboratory in the API: the league under other rules, computed at once and never stored."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import (
    GLOBAL_BOARD,
    BigInt,
    BoardKind,
    KRule,
    ModifierRule,
    RatedSubject,
    RatingMode,
    argument,
    optional,
)
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, Region, check_may_read, check_played
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.mutations import with_input_path
from league.api.graphql.shaping.object_fields import MatchRef, loaded_field
from league.api.graphql.shaping.relay import Connection, PageableInMemory, local_competitor_id, local_id, paged
from league.api.graphql.shaping.shared_fields import competitor_field
from league.api.graphql.shaping.user_errors import (
    InvalidInputError,
    InvalidRulebookError,
    NotFoundError,
    RulebookProblem,
    WrongStateError,
)
from league.api.graphql.threads import in_thread, in_writing_thread
from league.api.ratings import ModifierTerm, RatingDriftMonth
from league.api.replays.forecast_verdict import ForecastVerdict
from league.application.replay_requests import period_of
from league.domain.rating import shown
from league.domain.refusals import Refusal
from league.domain.rulebook import parse_rulebook
from league.domain.seating import CompetitorId
from league.domain.sentences import say
from league.domain.timeline import check_span
from league.lab.api.what_if_difference import WhatIfDifference, WhatIfDifferencePayload
from league.lab.laboratory import Laboratory
from league.lab.trial import RulesTrial, without_effect
from league.lab.trial_results import (
    ChangeUnderRules,
    RatedMatchRow,
    TriedPlace,
    change_of,
    drift,
    judged,
    rows_of,
    tried_board,
)
from league.lab.verdicts import verdict_of
from league.projections.boards.board import BoardKey
from league.projections.boards.dated_boards import RatingBoard
from league.projections.boards.definitions import BOARDS
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.matches import matches_by_id
from league.projections.replays.replay import revised
from league.projections.replays.starting_points import changes_ratings_alone


@strawberry.input(description="The period to which the tried rules apply, as in a replay: matches that began in it.")
class WhatIfPeriod:
    season: strawberry.ID | None = optional("Matches of this season: global id, or the id in the league.")
    start: datetime | None = optional("Matches that began at or after this time.", name="from")
    end: datetime | None = optional("Matches that began before this time.", name="to")


@strawberry.type(description="A place on a rating board under the tried rules, beside that under the rules in force.")
class WhatIfPlace(FromRow, competitor_id="id"):
    rank: int | None = field(description="From 1, shared by equal values; null while provisional.")
    rank_before: int | None = field(description="The rank under the rules in force; null while provisional.")
    value: float = field(description="The rating, unrounded.")
    value_before: float = field(description="The rating under the rules in force, unrounded.")
    change: float = field(description="`value` minus `valueBefore`.")
    matches: int = field(description="Rated matches so far.")
    provisional: bool = field(description="Whether the competitor has too few matches for a rank.")
    last_decided_at: datetime = field(description="When the competitor's latest match was decided.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")

    @field(description="The displayed value, rounded half up.")
    def shown(self) -> int:
        return shown(self.value)

    @field(description="Ranks gained; negative if lost. Null unless there is a rank under both sets of rules.")
    def move(self) -> int | None:
        return None if self.rank is None or self.rank_before is None else self.rank_before - self.rank

    competitor = competitor_field("The player, or the pair.")


@strawberry.type(
    description="The sides whose expected score lies in a range. If ratings are well calibrated, the share that won is "
    "close to the expected score. A match counts for both sides; the loser's expected score is 1 minus the forecast."
)
class CalibrationClass(FromRow):
    start: float = field(description="The lowest expected score of the range.")
    end: float = field(description="The range ends below this score; the last range includes 1.")
    sides: int = field(description="How many sides are in the range.")
    expected: float | None = field(description="The mean of their expected scores; null without a side.")
    won: float | None = field(description="The share of them that won; null without a side.")


@strawberry.type(
    description="How well expected scores predicted who won. The forecast of a match is the expected score of the side "
    "that won; for partners it is the mean of both. Each match counts once. A lower loss is better."
)
class Judgement(FromRow):
    matches: int = field(description="How many matches were judged.")
    brier: float | None = field(
        description="Brier score: the mean of (1 - forecast)², from 0 to 1; 0.25 for tossing a coin. Null without a "
        "match."
    )
    log_loss: float | None = field(
        description="Log loss: the mean of -ln(forecast), in nats; 0.693 for tossing a coin. A forecast counts as "
        "1e-15 at least. Null without a match."
    )
    classes: list[CalibrationClass] = field(description="Ten ranges of expected scores.")


@strawberry.type(description="Forecasts of a month under both rules.")
class WhatIfPrediction:
    month: str | None = field(description="The month, such as `2026-03`; null for all months together.")
    before: Judgement = field(description="Under the rules in force.")
    after: Judgement = field(description="Under the tried rules.")


@strawberry.type(description="The mean rating at the end of a month under both rules.")
class WhatIfDrift:
    month: str = field(description="The month, such as `2026-03`.")
    before: RatingDriftMonth = field(description="Under the rules in force.")
    after: RatingDriftMonth = field(description="Under the tried rules.")


@strawberry.type(
    description="What a match does to a rating under one set of rules: `after` is "
    "`before + k * ((outcome + modifier) - expected)`."
)
class WhatIfRating:
    before: float = field(description="The rating before the match, unrounded.")
    after: float = field(description="The rating after the match, unrounded.")
    outcome: float = field(description="S: 1 for a win, 0 for a loss.")
    expected: float = field(description="E: the expected score.")
    k: float = field(description="K: how far one match can move the rating.")
    k_rule: KRule = field(description="The rule that chose K.")
    modifier: float = field(description="M, after the cap.")
    modifier_terms: list[ModifierTerm] = field(description="The parts of M before the cap that are not 0.")
    capped: bool = field(description="Whether the cap changed M.")

    @classmethod
    def of(cls, side: ChangeUnderRules) -> "WhatIfRating":
        """The change under one set of rules."""
        one = side.edition.formula.one
        terms = [ModifierTerm(rule=ModifierRule(rule), value=units / one) for rule, units in side.change.terms]
        return made_of(cls, side.change, modifier_terms=terms)


@strawberry.type(description="What a match does to the rating of a player or a pair, under both sets of rules.")
class WhatIfChange(FromRow):
    match_id: str = field(description="The match's id in the league.")
    mode: RatingMode = field(description="The mode of the match.")
    decided_at: datetime = field(description="When the match was decided.")
    before: WhatIfRating = field(description="Under the rules in force.")
    after: WhatIfRating = field(description="Under the tried rules.")

    match = loaded_field(MatchRef, "The match.", matches_by_id, lambda change: change.match_id)


def _rating_board(kind: BoardKind) -> RatingBoard:
    definition = BOARDS[kind.value]
    if not isinstance(definition, RatingBoard):
        raise RequestError(say("`board`: only boards of ratings change with the rules of ratings."), argument="board")
    return definition


Revise = Callable[[RulesTimeline], RulesTimeline]
"""Makes the tried rules of the rules in force."""
OfBoard = Annotated[BoardKind, argument("A board of ratings.")]
Inactive = Annotated[bool, argument("Whether to include players or pairs who have finished no match lately.")]


@strawberry.type(description="The league under the tried rules. Nothing is stored.")
class WhatIf:
    trial: strawberry.Private[RulesTrial]
    revise: strawberry.Private[Revise]

    @field(description="The position of the log up to which matches were read.")
    def position(self) -> BigInt:
        return BigInt(self.trial.columns.position)

    @field(description="How many matches are decided.")
    def matches(self) -> int:
        return len(self.trial.columns)

    @paged(Connection[WhatIfPlace], "A board of ratings, in its order.")
    async def board(
        self, info: Info, board: OfBoard = GLOBAL_BOARD, region: Region = None, include_inactive: Inactive = False
    ) -> PageableInMemory[TriedPlace]:
        rows = await self._places(info, board, region, include_inactive)
        return PageableInMemory(rows, lambda place: (place.provisional, -place.value, place.id), "board")

    @paged(Connection[WhatIfPlace], "A board of ratings in order of the size of the change, up or down; largest first.")
    async def movers(
        self, info: Info, board: OfBoard = GLOBAL_BOARD, region: Region = None, include_inactive: Inactive = False
    ) -> PageableInMemory[TriedPlace]:
        rows = await self._places(info, board, region, include_inactive)
        return PageableInMemory(sorted(rows, key=_by_size), _by_size, "movers")

    @field(description="How well forecasts predicted results: first for all matches, then month by month.")
    async def predictions(self) -> list[WhatIfPrediction]:
        return await in_thread(self._predictions)

    @field(
        description="Whether the tried rules foresee results better, as a comparison with their replay says. Null "
        "without a rated match."
    )
    async def verdict(self) -> ForecastVerdict | None:
        found = await in_thread(verdict_of, self.trial)
        return None if found is None else ForecastVerdict.of_rules(found)

    @field(description="How the mean rating of a mode moves, month by month.")
    async def drift(
        self,
        mode: Annotated[RatingMode, argument("ONE_ON_ONE or TWO_ON_TWO.")],
        of: Annotated[
            RatedSubject, argument("The ratings of players or of pairs. Pairs have ratings in TWO_ON_TWO only.")
        ] = RatedSubject.PLAYERS,
    ) -> list[WhatIfDrift]:
        check_played(mode)
        return await in_thread(self._drift, of.value, mode.value)

    @paged(
        Connection[WhatIfChange], "The rating changes of a player or a pair, side by side, in the order of the matches."
    )
    async def changes(
        self, of: Annotated[strawberry.ID, argument("A player or a pair: global id, or the id in the league.")]
    ) -> "_Changes":
        competitor = CompetitorId(local_competitor_id(of))
        return _Changes(self.trial, competitor, await in_thread(rows_of, self.trial, competitor))

    @field(description="Settings of the tried rules that other settings leave without effect, each with why.")
    def without_effect(self) -> list[RulebookProblem]:
        return [RulebookProblem.of(one) for one in without_effect(self.trial.rules, self.trial.tried)]

    @field(
        description="How the series, badges and boards would differ, as a replay under the tried rules gives it. Folds "
        "the league again, which takes about as long as a preview of its first match."
    )
    async def difference(
        self,
        info: Info,
        ratings_too: Annotated[
            bool,
            argument(
                "False: null unless a setting of the series, badges or boards changes; the other fields tell the "
                "rest at once."
            ),
        ] = True,
    ) -> WhatIfDifferencePayload | None:
        if not ratings_too and changes_ratings_alone(self.trial.rules, self.trial.tried):
            return None
        laboratory, url = info.context.shared(Laboratory), info.context.league.database.url
        async with laboratory.slot():
            return WhatIfDifference(found=await in_writing_thread(laboratory.leagues.trial, url, self.revise))

    async def _places(self, info: Info, board: BoardKind, region: str | None, inactive: bool) -> list[TriedPlace]:
        wanted = BoardKey(_rating_board(board).kind, region, inactive)
        return await info.context.reader.read(tried_board, wanted, self.trial)

    def _predictions(self) -> list[WhatIfPrediction]:
        trial = self.trial
        spans: list[tuple[str | None, int, int]] = [(None, 0, len(trial.columns))]
        spans += [(month.name, month.first, month.end) for month in trial.months]
        return [
            WhatIfPrediction(
                month=month,
                before=Judgement.of(judged(trial.before, first, end)),
                after=Judgement.of(judged(trial.after, first, end)),
            )
            for month, first, end in spans
        ]

    def _drift(self, subject: str, mode: str) -> list[WhatIfDrift]:
        both = (
            drift(self.trial.columns, rated, self.trial.months, subject, mode)
            for rated in (self.trial.before, self.trial.after)
        )
        return [
            WhatIfDrift(month=one.month, before=made_of(RatingDriftMonth, one), after=made_of(RatingDriftMonth, other))
            for one, other in zip(*both, strict=True)
        ]


def _by_size(place: TriedPlace) -> tuple[float, str]:
    return -abs(place.change), place.id


class _Changes(Struct, frozen=True):
    """The rating changes of a competitor. Each is computed only when its page is asked for."""

    trial: RulesTrial
    competitor: CompetitorId
    rows: list[RatedMatchRow]

    async def page(self, info: Info, page: Any, node: Any) -> Connection[Any]:
        """A page of the changes. Raises BadCursor."""
        listed = PageableInMemory(self.rows, lambda row: (row.row,), "changes")
        return await listed.page(info, page, lambda row: node(change_of(self.trial, self.competitor, *row)))


WhatIfPayload = Annotated[
    WhatIf | InvalidInputError | InvalidRulebookError | NotFoundError | WrongStateError,
    strawberry.union("WhatIfPayload", description="The league under the tried rules, or why they cannot be tried."),
]


PATHS = {
    "document": "settings", "rulesets.*": "settings",
    "season": "period.season", "start": "period.from", "end": "period.to",
}  # fmt: skip
"""Maps the fields that a refusal names to the arguments of `whatIf`."""


@strawberry.type
class WhatIfQueries:
    @field(
        description="The league under other rules, computed at once. Nothing is stored; `startReplay` "
        "with the same settings makes a run. Role: admin; " + REFUSED_TO_OTHERS
    )
    async def what_if(
        self,
        info: Info,
        settings: Annotated[
            str,
            argument(
                "The settings that change in the edition in force, as TOML, such as `rating.k.standard = 20`: those "
                "below `rating`, `series`, `badges` and `boards`."
            ),
        ],
        period: Annotated[WhatIfPeriod | None, argument("The matches to which they apply; null means all.")] = None,
    ) -> WhatIfPayload:
        check_may_read(info.context.viewer, "whatIf")
        try:
            revise = await in_thread(_revision, info, settings, period or WhatIfPeriod())
            laboratory = info.context.shared(Laboratory)
            async with laboratory.slot():
                trial = await info.context.reader.read(lambda snapshot: laboratory.trial(snapshot, revise))
            return WhatIf(trial=trial, revise=revise)
        except Refusal as refusal:
            raise with_input_path(refusal, PATHS) from None


def _revision(info: Info, settings: str, period: WhatIfPeriod) -> Revise:
    """A function from the rules in force to the tried rules. Blocks; raises Refusal."""
    states = info.context.states()
    season = None if period.season is None else local_id("Season", period.season)
    check_span(period.start, period.end)
    of = period_of(states, season, period.start, period.end)
    rules = states.rulebook()
    candidate = rules.with_rulesets_in_use(parse_rulebook(settings, rules.at(states.now)))

    def revise(timeline: RulesTimeline) -> RulesTimeline:
        return revised(timeline, candidate, of)

    return revise
