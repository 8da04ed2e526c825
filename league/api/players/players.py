"""Players and fixed pairs, and whom they have played with and against."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import strawberry
from msgspec import Struct
from msgspec.structs import replace
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.limits import MOST_POINTS
from league.api.graphql.leaf_types import BigInt, JournalCause, RatingMode, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import (
    AsOf,
    MatchFilterArgument,
    MatchOrder,
    MatchOrderArgument,
    PresentMonth,
    check_played,
    filter_and_order,
)
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.loaders.players import ProgressWithBadges, RatingAtMoment
from league.api.graphql.shaping.object_fields import (
    BadgeProgressRef,
    EarnedBadgeRef,
    JournalEntryRef,
    MatchRef,
    PlayerNoticeRef,
    RatingChangeRef,
    RatingRef,
    RatingSeriesRef,
    SeriesEntryRef,
    TeamRef,
    cacheable_field_of,
    field_of,
)
from league.api.graphql.shaping.relay import (
    Connection,
    Node,
    PageableListOf,
    cacheable_paged,
    global_id,
    read_global_id,
)
from league.api.graphql.shaping.shared_fields import competitor_field
from league.api.players.statistics import FilterArgument, Statistics, counted, statistics_of
from league.api.schema_part import added_to
from league.domain.player import displayed
from league.domain.seating import CompetitorId, competitor_of, players_of
from league.projections.queries import encounters, ratings, statistics
from league.projections.queries import matches as match_reads
from league.projections.queries import notices as notice_reads
from league.projections.queries import players as reads
from league.projections.queries.badges import BadgeRow, badges_by_pair
from league.projections.queries.encounters import CompanyRow
from league.projections.queries.matches import ChangeRow, MatchRow
from league.projections.queries.notices import PlayerNoticeRow
from league.projections.queries.players import PlayerRow, TeamRow
from league.projections.queries.ratings import FEWEST, JournalRow
from league.projections.queries.series import CompetitorMonth
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.statistics import MatchOwner


class MetCompetitor(Struct, frozen=True):
    """A partner or an opponent of a competitor; for a partner also the id of their pair."""

    row: CompanyRow
    pair: str | None = None


@strawberry.type(description="The record with a partner, or against an opponent.")
class CompetitorRecord:
    matches: int = field(description="Matches together, or against each other.")
    wins: int = field(description="How many of these the owner of this list won.")
    competitor_id: str = field(description="The partner's or the opponent's id in the league.")
    pair: strawberry.Private[str | None]

    @field(description="The share of matches won, from 0 to 1.")
    def win_rate(self) -> float:
        return self.wins / self.matches

    competitor = competitor_field("The partner or the opponent.")

    @cacheable_field_of(
        TeamRef | None,
        "For a partner the fixed pair of the two; null for an opponent, and before its first rated match.",
    )
    async def team(self, info: Info) -> str | None:
        return None if self.pair is None else await loaders.players.rated_team(info, self.pair)

    @classmethod
    def of(cls, met: MetCompetitor) -> "CompetitorRecord":
        """A row of company."""
        return made_of(cls, met.row, competitor_id=met.row.id, pair=met.pair)


def partners_of(id_: str, counted: statistics.CountedMatches) -> PageableListOf[CompanyRow]:
    """The partners of a player."""
    listed = company_of("partners", encounters.partners_of, id_, counted)
    return replace(listed, data=lambda row: MetCompetitor(row, competitor_of((id_, row.id))))


def company_of(kind: str, find: Any, id_: str, counted: statistics.CountedMatches) -> PageableListOf[CompanyRow]:
    """The competitors whom a player or a pair has met; `find` loads them."""

    def theirs(run: int) -> Any:
        return lambda owner: find(run, owner, counted)

    return PageableListOf((kind, counted), CompanyRow, id_, theirs, encounters.MOST_OFTEN_FIRST, MetCompetitor)


@strawberry.interface(description="A player or a fixed pair.")
class Competitor(Node):
    @field(
        description="The name to show, never null: for a player the name, or a pseudonym after an erasure; for a pair "
        "both names, such as `Ana R. & Luis P.`."
    )
    @cacheable
    async def display_name(self, info: Info) -> str:
        raise NotImplementedError  # each kind of competitor has its own

    @classmethod
    def of(cls, found: Any) -> Any:  # each kind of competitor takes data of its own
        """The player of a row, or the pair of an id."""
        return Team.of(found) if isinstance(found, str) else Player.of(found)

    @field(description="Their statistics over all matches, or over those of a filter.")
    @cacheable
    async def statistics(self, info: Info, filter_: FilterArgument = None) -> Statistics:
        return await statistics_of(info, MatchOwner(_whose(self)[1]), await counted(info, filter_))

    @cacheable_paged(
        Connection[MatchRef],
        "Their matches: for a player those in which the player sits, for a pair those that the two played as "
        "partners. The latest to begin comes first unless `orderBy` says otherwise.",
    )
    async def matches(
        self,
        info: Info,
        filter_: MatchFilterArgument = None,
        order_by: MatchOrderArgument = MatchOrder.BEGAN_LATEST_FIRST,
    ) -> PageableListOf[MatchRow]:
        subject, id_ = _whose(self)
        wanted, order = await filter_and_order(info, filter_, order_by, of_competitor=True)
        find = match_reads.matches_of if subject == "player" else match_reads.matches_of_pair

        def theirs(run: int) -> Any:
            return lambda owner: find(run, owner, wanted)

        return PageableListOf(("matches", subject, wanted, order.name), MatchRow, id_, theirs, order)

    @cacheable_paged(
        Connection[CompetitorRecord],
        "Whom they have played against: for a player every player on another side, for a pair every pair. The most "
        "frequent first, ties by id.",
    )
    async def opponents(self, info: Info, filter_: FilterArgument = None) -> PageableListOf[CompanyRow]:
        subject, id_ = _whose(self)
        find = encounters.opponents_of_player if subject == "player" else encounters.opponents_of_pair
        return company_of("opponents " + subject, find, id_, await counted(info, filter_))

    @field_of(SeriesEntryRef, "Their series of a month: for a player in 1v1 matches, for a pair in 2v2 matches.")
    async def series(self, info: Info, month: PresentMonth = None) -> CompetitorMonth:
        return await loaders.players.month_of(info, _whose(self)[1], month)

    @cacheable_paged(
        Connection[JournalEntryRef],
        "How their official rating came about, the latest move first: by matches, by corrections (also of matches "
        "they did not play) and by changes of the rules.",
    )
    def journal(
        self,
        info: Info,
        mode: Annotated[RatingMode | None, argument("Only ONE_ON_ONE or TWO_ON_TWO; null: both.")] = None,
        causes: Annotated[
            list[JournalCause] | None, argument("Only moves with one of these causes, such as PROMOTION; null: all.")
        ] = None,
    ) -> PageableListOf[JournalRow]:
        check_played(mode)
        (subject, id_), wanted = _whose(self), None if mode is None else mode.value
        among = None if causes is None else tuple(cause.value for cause in causes)
        return PageableListOf(
            ("journal", subject, wanted, among),
            JournalRow,
            id_,
            lambda _: lambda owner: ratings.journal_of(subject, owner, wanted, among),
            ratings.JOURNAL_LATEST_FIRST,
        )

    @cacheable_field_of(
        RatingSeriesRef,
        "Their rating over time, thinned for a chart to a number of points, with the first, the last and "
        "the extremes between.",
    )
    async def rating_series(
        self,
        info: Info,
        mode: Annotated[
            RatingMode | None, argument("The mode; null: for a player the overall rating, for a pair its only rating.")
        ] = None,
        points: Annotated[int, argument(f"Limit on the points of the series, from {FEWEST} to {MOST_POINTS}.")] = 200,
        decided_from: Annotated[datetime | None, argument("Only matches decided at this time or later.")] = None,
        decided_before: Annotated[datetime | None, argument("Only matches decided before this time.")] = None,
    ) -> ratings.RatingCurve:
        if not FEWEST <= points <= MOST_POINTS:
            message = f"`points` is {points}; a series has {FEWEST} to {MOST_POINTS} points at most."
            raise RequestError(message, argument="points")
        subject, id_ = _whose(self)
        one_mode = None if mode in (None, RatingMode.OVERALL) else mode.value
        wanted = ratings.SeriesFilter(one_mode, points, decided_from, decided_before)

        def series(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, ratings.RatingCurve]:
            return ratings.rating_series(snapshot, subject, wanted, ids)

        found = await info.context.reader.load(series, str(id_), kind=("rating series", subject, wanted))
        return found or ratings.RatingCurve()


@strawberry.type(description="A player of the league.")
class Player(*added_to("player"), FromRow, Competitor, key="player_id"):  # type: ignore[misc]  # features add fields
    player_id: str = field(description="The id in the league, as in the log and in exports.")
    name: str | None = field(description="The name; null once the player has been erased. `displayName` is never null.")
    region: str | None = field(description="Where the player is from; null when none was given.")
    registered_at: datetime = field(description="When the player joined.")

    @field(description="The name; for an erased player a pseudonym that never changes, such as `Player 476ADD61`.")
    def display_name(self) -> str:
        return displayed(self.player_id, self.name)

    @field(description="Ids in the league that were merged into this player, in order. `player` accepts them, too.")
    @cacheable
    async def former_ids(self, info: Info) -> list[str]:
        return await info.context.reader.load(reads.former_ids, self.player_id) or []

    @field(
        description="The position of the last event about the player: registration, another name or region, erasure. "
        "`expectedPosition` takes it."
    )
    async def position(self, info: Info) -> BigInt:
        return BigInt((await loaders.matches.events(info, f"player:{self.player_id}"))[-1].position)

    @cacheable_field_of(list[RatingRef], "One rating for each mode that was played, and the overall one.")
    async def ratings(self, info: Info, as_of: AsOf = None) -> list[RatingAtMoment]:
        return await loaders.players.ratings(info, "player", self.player_id, as_of)

    @cacheable_field_of(RatingRef | None, "The rating in one mode; null before the first rated match in it.")
    async def rating(
        self, info: Info, mode: Annotated[RatingMode, argument("The mode.")], as_of: AsOf = None
    ) -> RatingAtMoment | None:
        ratings = await loaders.players.ratings(info, "player", self.player_id, as_of)
        return next((rating for rating in ratings if rating.row.mode == mode.value), None)

    @cacheable_paged(Connection[RatingChangeRef], "Every change of the player's ratings, the latest first.")
    def rating_history(
        self,
        mode: Annotated[
            RatingMode | None,
            argument(
                "Only this mode; null: both. OVERALL: both, since each change of either mode moves the "
                "overall rating, as its `overall` says."
            ),
        ] = None,
    ) -> PageableListOf[ChangeRow]:
        return _history("player", self.player_id, None if mode in (None, RatingMode.OVERALL) else mode.value)

    @cacheable_paged(
        Connection[PlayerNoticeRef],
        "The notices of the last 30 days that moved ratings of the player, the latest first.",
    )
    def notices(self) -> PageableListOf[PlayerNoticeRow]:
        return _notices(self.player_id)

    @cacheable_field_of(
        PlayerNoticeRef | None, "What the notice of an event moved of the player; null: nothing, or it has ended."
    )
    async def notice(
        self, info: Info, position: Annotated[BigInt, argument("The position of its event.")]
    ) -> PlayerNoticeRow | None:
        def theirs(snapshot: Snapshot, players: Sequence[str]) -> Mapping[str, PlayerNoticeRow]:
            return notice_reads.notice_of_each(snapshot, position, players)

        return await info.context.reader.load(theirs, self.player_id, kind=("notice", position))

    @cacheable_field_of(list[EarnedBadgeRef], "The badges that the player has earned, the latest first.")
    async def badges(self, info: Info) -> list[BadgeRow]:
        return await loaders.players.badges(info, self.player_id)

    @cacheable_field_of(
        list[BadgeProgressRef],
        "How far the player is in each measure of badges, by the edition of the latest decided match.",
    )
    async def badge_progress(self, info: Info) -> list[ProgressWithBadges]:
        return await loaders.players.progress(info, self.player_id)

    @cacheable_paged(
        Connection[CompetitorRecord],
        "The players who have played on the player's side; most frequent first, ties by id.",
    )
    async def partners(self, info: Info, filter_: FilterArgument = None) -> PageableListOf[CompanyRow]:
        return partners_of(self.player_id, await counted(info, filter_))

    @cacheable_paged(Connection[TeamRef], "The fixed pairs in which the player has a rated match.")
    def teams(self) -> PageableListOf[TeamRow]:
        def theirs(run: int) -> Any:
            return lambda player: reads.teams_of(run, player)

        return PageableListOf(("teams",), TeamRow, self.player_id, theirs, reads.TEAMS_BY_ID, lambda row: row.id)


@strawberry.type(description="A fixed pair, in either seating: it has its own rating in matches of two pairs.")
class Team(*added_to("team"), Competitor):  # type: ignore[misc]  # features add fields
    team_id: str = field(description="Both players' ids in the league, sorted and joined by `+`.")

    @classmethod
    def of(cls, team: str) -> "Team":
        """The pair with this id."""
        return cls(id=strawberry.ID(global_id("Team", team)), team_id=team)

    @field(description="Both players' display names, in the order of their ids, such as `Ana R. & Luis P.`.")
    @cacheable
    async def display_name(self, info: Info) -> str:
        players = await loaders.players.players(info, players_of(CompetitorId(self.team_id)))
        return " & ".join(displayed(player.player_id, player.name) for player in players)

    @cacheable_field_of(list[Player], "Both players, in the order of their ids.")
    async def players(self, info: Info) -> list[PlayerRow]:
        return await loaders.players.players(info, players_of(CompetitorId(self.team_id)))

    @cacheable_field_of(
        list[EarnedBadgeRef],
        "The badges that its two players earned in matches that they played as partners, the latest first. A pair has "
        "no badges of its own.",
    )
    async def badges(self, info: Info) -> list[BadgeRow]:
        return await info.context.reader.load(badges_by_pair, self.team_id) or []

    @cacheable_field_of(RatingRef | None, "The pair's own rating; null before its first rated match.")
    async def rating(self, info: Info, as_of: AsOf = None) -> RatingAtMoment | None:
        return next(iter(await loaders.players.ratings(info, "team", self.team_id, as_of)), None)

    @cacheable_paged(Connection[RatingChangeRef], "Every change of the pair's rating, the latest first.")
    def rating_history(self) -> PageableListOf[ChangeRow]:
        return _history("team", self.team_id, None)


def _whose(one: Competitor) -> tuple[str, CompetitorId]:
    """Whether the id is a `player`'s or a `team`'s, and the id in the league."""
    read = read_global_id(one.id)
    assert read is not None
    return read[0].lower(), CompetitorId(read[1])


def _notices(player: str) -> PageableListOf[PlayerNoticeRow]:
    """The notices of a player, latest first."""

    def theirs(_: int) -> Any:
        return notice_reads.notices_of

    return PageableListOf(("notices",), PlayerNoticeRow, player, theirs, notice_reads.THEIRS_LATEST_FIRST)


def _history(subject: str, id_: str, mode: str | None) -> PageableListOf[ChangeRow]:
    """The rating changes of a player or a pair, latest first."""

    def changes(run: int) -> Any:
        return lambda owner: match_reads.changes_of(run, subject, owner, mode)

    return PageableListOf(("history", subject, mode), ChangeRow, id_, changes, match_reads.LATEST_CHANGE_FIRST)
