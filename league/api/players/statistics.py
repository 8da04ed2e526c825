"""Statistics of players, pairs and seasons, over all matches or those that pass a filter."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, TypeVar

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import Competition, MatchMode, RatingMode, argument, optional
from league.api.graphql.request_errors import RequestError, UnknownId
from league.api.graphql.shaping.arguments import known_ruleset
from league.api.graphql.shaping.from_rows import FromItems, FromRow, made_of
from league.api.graphql.shaping.object_fields import cacheable_field_of
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.shared_fields import match_field, shown_field
from league.domain.refusals import NotFound, Refusal
from league.projections.queries import ratings as mark_reads
from league.projections.queries import statistics as reads
from league.projections.queries.ratings import MarkRow
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.statistics import CountedMatches, MatchOwner
from league.wording.language import spoken

T = TypeVar("T")
Ask = Callable[[Snapshot, CountedMatches, Sequence[MatchOwner]], Mapping[MatchOwner, T]]


@strawberry.input(description="Which matches count; fields left out match everything.")
class StatisticsFilterInput:
    mode: MatchMode | None = optional("Played in this mode.")
    season: strawberry.ID | None = optional("That began in this season.")
    month: str | None = optional("That began in this month of the league's time zone, such as `2026-03`.")
    ruleset: str | None = optional("Played by the ruleset of this name.")
    competition: Competition | None = optional("Only this kind of competition.")
    as_of: datetime | None = optional(
        "Decided by this moment of play: the figures as they were then, under the rules of the latest match by then."
    )

    def read(self) -> reads.StatisticsFilter:
        """The filter of the read side."""
        return reads.StatisticsFilter(
            mode=None if self.mode is None else self.mode.value,
            season=None if self.season is None else local_id("Season", self.season),
            month=self.month,
            ruleset=self.ruleset,
            competition=None if self.competition is None else self.competition.value,
            decided_until=self.as_of,
        )


FilterArgument = Annotated[
    StatisticsFilterInput | None, argument("Only these matches count; null: all.", name="filter")
]


async def counted(info: Info, filter_: StatisticsFilterInput | None) -> reads.CountedMatches:
    """The matches that pass a filter. Raises RequestError or UnknownId, which name the argument."""
    if filter_ is None:
        return reads.CountedMatches()
    if filter_.ruleset is not None:
        await known_ruleset(info, filter_.ruleset)
    wanted = filter_.read()
    try:
        found = await info.context.reader.load(
            lambda snapshot, _: {wanted: reads.counted(snapshot, wanted)}, wanted, kind=("counted", wanted)
        )
    except Refusal as refusal:
        kind = UnknownId if isinstance(refusal, NotFound) else RequestError
        message = f"`filter.{refusal.field}`: {refusal.said(spoken)}."
        raise kind(message, argument=f"filter.{refusal.field}") from None
    assert found is not None
    return found


@strawberry.type(description="Matches won after trailing far behind.")
class Recoveries(FromItems):
    behind: int = field(description="They trailed by at least this many points at the end of some hand.")
    matches: int = field(description="Matches they won after trailing by that much.")


@strawberry.type(description="Consecutive wins or losses.")
class Streak(FromRow):
    won: bool = field(description="Whether they were won; false: lost.")
    length: int = field(description="How many matches.")
    since: datetime = field(description="When the first of them was decided.")
    until: datetime = field(description="When the last of them was decided.")


@strawberry.type(description="A notable match.")
class NotedMatch(FromRow):
    decided_at: datetime = field(description="When it was decided.")
    match_id: str = field(description="The match's id in the league.")

    match = match_field("The match.")


@strawberry.type(description="One of the latest matches.")
class FormMatch(NotedMatch):
    won: bool = field(description="Whether it was won.")


@strawberry.type(description="The highest rating that was reached.")
class PeakRating(NotedMatch, value="after"):
    value: float = field(description="The rating after the match, unrounded.")
    mode: RatingMode = field(description="The mode in which it was reached.")
    provisional: bool = field(
        description="Whether it was still provisional; then no rating in these matches was established."
    )

    shown = shown_field("The displayed rating: rounded half up.", "value")


@strawberry.type(description="The most surprising win or loss, by the rating of the other side.")
class RatedResult(NotedMatch):
    mode: RatingMode = field(description="The mode of the match.")
    opponents: float = field(description="The rating of the other side before the match, unrounded.")


@strawberry.type(description="How often a number was led with.")
class OpeningNumber(FromItems):
    number: int = field(description="A half of the tile, from 0.")
    hands: int = field(description="Hands that were led with a tile that has it.")


@strawberry.type(
    description="How a player or a pair played, turn by turn, in the hands whose turns are known: those of live "
    "tables, and those recorded with their turns. For a pair the figures of both players are added. Only hands that "
    "count in a decided match are counted here. The turns of a corrected hand are no longer known."
)
class Play(FromRow, average_pips_held="average_pips", opening_numbers="led"):
    hands: int = field(description="Hands whose turns are known.")
    turns: int = field(
        description="Plays and passes. At a live table, those that the clock or an AI made for the player count, too."
    )
    passes: int = field(description="Passes for want of a tile that fits. A pass by the clock is not one of them.")
    passes_caused: int = field(
        description="Plays after which the next seat passed for want of a tile that fits. In 2v2 and 1v1 it is an "
        "opponent's."
    )
    average_seconds_to_play: float | None = field(
        description="Mean time to choose a tile, in seconds, from the beginning of the turn or from the end of a "
        "pause. Only plays that the player made at a live table count; null without any."
    )
    closed_by_domino: int = field(description="Hands in which they played the last tile of their own hand.")
    closed_by_block: int = field(description="Hands that they locked: they played the tile that blocked the hand.")
    average_pips_held: float | None = field(
        description="Mean of the pips that a player held at the end of a hand, 0 where the player went out; null "
        "without a hand."
    )
    opening_numbers: list[OpeningNumber] = field(
        description="The numbers of the tiles with which they led hands, in ascending order. A double counts once."
    )

    @classmethod
    def of(cls, sums: reads.PlayTotals) -> "Play":
        """The sums of the read side."""
        mean = sums.average_milliseconds
        return made_of(cls, sums, average_seconds_to_play=None if mean is None else mean / 1_000)


@strawberry.type(
    description="The figures of a player or a pair. Casual matches count; open and voided ones do not. A forfeited "
    "match counts as won or lost, with the score at which it stopped, but nothing that happened in its hands counts."
)
class Statistics:
    matches: int = field(description="Decided matches.")
    wins: int = field(description="Matches won.")
    average_difference: float | None = field(
        description="Mean of their score less the best other score, in points; null without a match scored in points."
    )
    hands_won: int = field(description="Hands won by their side.")
    hands_won_by_block: int = field(
        description="How many of these ended in a block (tranque), credited to either player. The badge "
        "measure `blocks` counts only the hands credited to the player."
    )
    capicuas: int = field(description="Hands that they closed with a capicúa, as the ruleset defines it.")
    viajeras: int = field(
        description="Hands that they closed with as many leftover pips as the ruleset asks of a viajera."
    )
    pollonas: int = field(description="Matches won while the other side had 0.")
    pollonas_suffered: int = field(description="Matches lost with 0.")
    recoveries: list[Recoveries] = field(
        description="Matches won after trailing, for each margin that has a badge under the rules of the latest match."
    )
    whose: strawberry.Private[MatchOwner]
    counted: strawberry.Private[CountedMatches]

    @field(description="Matches lost.")
    def losses(self) -> int:
        return self.matches - self.wins

    @field(description="The share of matches won, from 0 to 1; null without a match.")
    def win_rate(self) -> float | None:
        return self.wins / self.matches if self.matches else None

    @field(description="Hands won by the side by playing the last tile.")
    def hands_won_by_domino(self) -> int:
        return self.hands_won - self.hands_won_by_block

    @cacheable_field_of(
        Streak | None,
        "The streak of the latest match; null without a match. Streaks follow the order in which matches "
        "were decided, over 1v1 and 2v2 together, casual matches included; matches of individuals only when the "
        "filter asks for them.",
    )
    async def current_streak(self, info: Info) -> reads.MatchStreak | None:
        return (await self._read(info, reads.streaks)).current

    @cacheable_field_of(Streak | None, "The longest winning streak, the earliest of equals; null without a win.")
    async def longest_winning_streak(self, info: Info) -> reads.MatchStreak | None:
        return (await self._read(info, reads.streaks)).longest_won

    @cacheable_field_of(Streak | None, "The longest losing streak, the earliest of equals; null without a loss.")
    async def longest_losing_streak(self, info: Info) -> reads.MatchStreak | None:
        return (await self._read(info, reads.streaks)).longest_lost

    @cacheable_field_of(list[FormMatch], f"The last {reads.FORM} of the matches that make streaks, the latest first.")
    async def form(self, info: Info) -> list[reads.FormRow]:
        return await self._read(info, reads.form)

    @cacheable_field_of(
        PeakRating | None,
        "The highest rating after one of these matches, the earliest of equals. Provisional ratings count "
        "only where none is established. Null without a rated match.",
    )
    async def peak_rating(self, info: Info) -> MarkRow | None:
        return (await self._read(info, mark_reads.marks)).peak

    @cacheable_field_of(
        RatedResult | None, "The win against the highest rated side, the earliest of equals; null without a rated win."
    )
    async def best_win(self, info: Info) -> MarkRow | None:
        return (await self._read(info, mark_reads.marks)).best_win

    @cacheable_field_of(
        RatedResult | None, "The loss against the lowest rated side, the earliest of equals; null without a rated loss."
    )
    async def worst_loss(self, info: Info) -> MarkRow | None:
        return (await self._read(info, mark_reads.marks)).worst_loss

    @cacheable_field_of(Play, "How they played in these matches, turn by turn (Cuban text, Stat Tracking).")
    async def play(self, info: Info) -> reads.PlayTotals:
        return await self._read(info, reads.play_of)

    async def _read(self, info: Info, ask: Ask[T]) -> T:
        return await _figures(info, ask, self.whose, self.counted)


async def _figures(info: Info, ask: Ask[T], whose: MatchOwner, counted: CountedMatches) -> T:
    """One kind of statistics, read together for all competitors with the same filter."""
    found = await info.context.reader.load(
        lambda snapshot, all_: ask(snapshot, counted, all_), whose, kind=(ask, counted)
    )
    assert found is not None
    return found


async def statistics_of(info: Info, whose: MatchOwner, counted: CountedMatches) -> Statistics:
    """The statistics of a player or a pair over these matches."""
    totals = await _figures(info, reads.totals, whose, counted)
    return made_of(Statistics, totals, whose=whose, counted=counted)
