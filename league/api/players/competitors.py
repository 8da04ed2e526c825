"""What players and fixed pairs have in common: statistics, opponents, and how their rating went."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.graphql.arguments import MonthName
from league.api.graphql.context import Info
from league.api.graphql.enums import Competition, MatchMode, RatingMode
from league.api.graphql.failures import RequestError
from league.api.graphql.ids import local_id, read_global_id
from league.api.graphql.relay import Connection, ListedOf, Node, paged
from league.domain.competitor import JOINT, PARTNERS, CompetitorId, competitor_of, is_pair, players_of
from league.domain.refusals import Refusal
from league.projections.queries import company, played
from league.projections.queries import rating_series as series_reads
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.thinning import FEWEST

if TYPE_CHECKING:
    from league.api.players.statistics import Statistics
    from league.api.ratings.journal import JournalEntry
    from league.api.ratings.rating_series import RatingSeries
    from league.api.series.encounters import SeriesEntry

StatisticsRef = Annotated["Statistics", strawberry.lazy("league.api.players.statistics")]
RatingSeriesRef = Annotated["RatingSeries", strawberry.lazy("league.api.ratings.rating_series")]
JournalEntryRef = Annotated["JournalEntry", strawberry.lazy("league.api.ratings.journal")]
SeriesEntryRef = Annotated["SeriesEntry", strawberry.lazy("league.api.series.encounters")]
CompetitorRef = Annotated["Competitor", strawberry.lazy("league.api.players.competitors")]

MOST_POINTS = 1_000
"""Of a rating series; a chart is rarely wider."""


@strawberry.input(description="Which matches count; fields left out match everything.")
class StatisticsFilterInput:
    mode: MatchMode | None = field(default=None, description="Played in this mode.")
    season: strawberry.ID | None = field(default=None, description="That began in this season.")
    month: str | None = field(
        default=None, description="That began in this month of the league's time zone, such as `2026-03`."
    )
    ruleset: str | None = field(default=None, description="Played by the ruleset of this name.")
    competition: Competition | None = field(default=None, description="Of this kind of competition.")

    def read(self) -> played.StatisticsFilter:
        """As the read side knows it."""
        return played.StatisticsFilter(
            mode=None if self.mode is None else self.mode.value,
            season=None if self.season is None else local_id("Season", self.season),
            month=self.month,
            ruleset=self.ruleset,
            competition=None if self.competition is None else self.competition.value,
        )


FilterArgument = Annotated[
    StatisticsFilterInput | None, strawberry.argument(name="filter", description="Only these matches count; null: all.")
]


async def counted(info: Info, filter_: StatisticsFilterInput | None) -> played.Counted:
    """The matches that a filter leaves. Raises RequestError, which names the argument."""
    if filter_ is None:
        return played.Counted()
    wanted = filter_.read()
    try:
        found = await info.context.reader.load(
            lambda snapshot, _: {wanted: played.counted(snapshot, wanted)}, wanted, kind=("counted", wanted)
        )
    except Refusal as refusal:
        message = f"`filter.{refusal.field}`: {refusal.message}."
        raise RequestError(message, argument=f"filter.{refusal.field}") from None
    assert found is not None
    return found


@strawberry.type(description="The record with a partner, or against an opponent.")
class CompetitorRecord:
    matches: int = field(description="Matches together, or against each other.")
    wins: int = field(description="Of these, how many the owner of this list won.")
    competitor_id: str = field(description="The partner's or the opponent's id in the league.")

    @field(description="The share of matches won, from 0 to 1.")
    def win_rate(self) -> float:
        return self.wins / self.matches

    @field(description="The partner or the opponent.")
    async def competitor(self, info: Info) -> CompetitorRef:
        found = await competitor_named(info, self.competitor_id)
        assert found is not None, "who has played is registered"
        return found

    @classmethod
    def of(cls, row: Row[Any]) -> "CompetitorRecord":
        """A row of company."""
        return cls(matches=row.matches, wins=row.wins, competitor_id=row.id)


@strawberry.interface(description="A player or a fixed pair.")
class Competitor(Node):
    @field(description="Their figures over all matches, or over those of a filter.")
    async def statistics(self, info: Info, filter_: FilterArgument = None) -> StatisticsRef:
        from league.api.players.statistics import statistics_of  # noqa: PLC0415  # statistics know competitors

        return await statistics_of(info, played.Whose(_whose(self)[1]), await counted(info, filter_))

    @paged(
        Connection[CompetitorRecord],
        "Whom they have played against: for a player every player on another side, for a pair every pair. The most "
        "frequent first, ties by id.",
    )
    async def opponents(self, info: Info, filter_: FilterArgument = None) -> ListedOf:
        subject, id_ = _whose(self)
        find = company.opponents_of_player if subject == "player" else company.opponents_of_pair
        return company_of("opponents " + subject, find, id_, await counted(info, filter_))

    @field(description="The series of a month for them: of a player in 1v1 matches, of a pair in 2v2 matches.")
    async def series(self, info: Info, month: MonthName = None) -> SeriesEntryRef:
        from league.api.series.encounters import entry  # noqa: PLC0415  # encounters know competitors

        return await entry(info, _whose(self)[1], month)

    @paged(
        Connection[JournalEntryRef],
        "How their official rating came about, the latest move first: by matches, by corrections (also of matches "
        "they did not play) and by changes of the rules.",
    )
    def journal(
        self,
        info: Info,
        mode: Annotated[
            RatingMode | None, strawberry.argument(description="Only this mode; null: both. OVERALL has no entries.")
        ] = None,
    ) -> ListedOf:
        from league.api.ratings.journal import journal_of  # noqa: PLC0415  # the journal knows matches

        return journal_of(*_whose(self), mode)

    @field(
        description="Their rating over time, thinned for a chart to a number of points, with the first, the last and "
        "the extremes between."
    )
    async def rating_series(
        self,
        info: Info,
        mode: Annotated[
            RatingMode | None,
            strawberry.argument(description="The mode; null: of a player the overall rating, of a pair its only one."),
        ] = None,
        points: Annotated[
            int, strawberry.argument(description=f"At most so many points, from {FEWEST} to {MOST_POINTS}.")
        ] = 200,
        decided_from: Annotated[
            datetime | None, strawberry.argument(description="Only matches decided at this time or later.")
        ] = None,
        decided_before: Annotated[
            datetime | None, strawberry.argument(description="Only matches decided before this time.")
        ] = None,
    ) -> RatingSeriesRef:
        from league.api.ratings.rating_series import RatingSeries  # noqa: PLC0415  # series know matches

        if not FEWEST <= points <= MOST_POINTS:
            message = f"`points` is {points}; a series has {FEWEST} to {MOST_POINTS} points at most."
            raise RequestError(message, argument="points")
        subject, id_ = _whose(self)
        one_mode = None if mode in (None, RatingMode.OVERALL) else mode.value
        wanted = series_reads.SeriesFilter(one_mode, points, decided_from, decided_before)

        def series(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, series_reads.Series]:
            return series_reads.rating_series(snapshot, subject, wanted, ids)

        found = await info.context.reader.load(series, str(id_), kind=("rating series", subject, wanted))
        return RatingSeries.of(found or series_reads.Series())


def company_of(kind: str, find: Any, id_: str, counted: played.Counted) -> ListedOf:
    """A list of those with whom or against whom somebody has played."""

    def theirs(run: int) -> Any:
        return lambda owner: find(run, owner, counted)

    return ListedOf((kind, counted), id_, theirs, company.MOST_OFTEN_FIRST, CompetitorRecord.of)


async def competitor_named(info: Info, id_: str) -> Competitor | None:
    """The player of an id in the league, or the pair of two ids joined by `+`; None when one is not registered."""
    from league.api.players.players import Team, player_named, players_named  # noqa: PLC0415  # players are competitors

    if not is_pair(CompetitorId(id_)):
        return await player_named(info, id_)
    team = competitor_of(id_.split(JOINT))
    return Team.named(team) if len(await players_named(info, list(players_of(team)))) == PARTNERS else None


def _whose(one: Competitor) -> tuple[str, CompetitorId]:
    """Whether it is a `player` or a `team`, and the id in the league."""
    read = read_global_id(one.id)
    assert read is not None
    return read[0].lower(), CompetitorId(read[1])
