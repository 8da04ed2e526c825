"""Players and fixed pairs, with their ratings."""

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.graphql.arguments import AfterPosition, PlayerId, TeamId
from league.api.graphql.context import Info
from league.api.graphql.enums import RatingMode
from league.api.graphql.ids import global_id, local_id
from league.api.graphql.relay import Connection, Listed, ListedOf, paged
from league.api.players.competitors import Competitor, CompetitorRecord, FilterArgument, company_of, counted
from league.domain.competitor import CompetitorId, players_of
from league.domain.player import pseudonym
from league.domain.rating import shown
from league.projections.queries import matches as match_reads
from league.projections.queries import players as reads
from league.projections.queries.company import partners_of
from league.projections.queries.past_ratings import ratings_at
from league.projections.queries.snapshot import Snapshot

if TYPE_CHECKING:
    from league.api.badges.badges import BadgeProgress, EarnedBadge
    from league.api.matches.matches import Match, MatchFilterInput
    from league.api.ratings.ratings import RatingChange

MatchRef = Annotated["Match", strawberry.lazy("league.api.matches.matches")]
MatchFilterRef = Annotated["MatchFilterInput", strawberry.lazy("league.api.matches.matches")]
TeamRef = Annotated["Team", strawberry.lazy("league.api.players.players")]
ChangeRef = Annotated["RatingChange", strawberry.lazy("league.api.ratings.ratings")]
EarnedBadgeRef = Annotated["EarnedBadge", strawberry.lazy("league.api.badges.badges")]
BadgeProgressRef = Annotated["BadgeProgress", strawberry.lazy("league.api.badges.badges")]

AsOf = Annotated[
    datetime | None,
    strawberry.argument(
        description="As it stood at this moment of play: by the matches that were decided by then, shown by the rules "
        "of the latest of them. Null: as it stands now."
    ),
]
HistoryMode = Annotated[RatingMode | None, strawberry.argument(description="Only this mode; null: both.")]


@strawberry.type(description="A rating in one mode.")
class Rating:
    mode: RatingMode = field(description="In what it was earned.")
    value: float = field(description="Unrounded.")
    matches: int = field(description="Rated matches so far.")
    provisional: bool = field(description="Few matches so far: it stands on no rank.")
    last_decided_at: datetime = field(description="When the latest match was decided; overall: of any kind.")

    @field(description="As people see it: rounded half up.")
    def shown(self) -> int:
        return shown(self.value)

    @classmethod
    def of(cls, row: Row[Any]) -> "Rating":
        """A row of ratings."""
        return cls(
            mode=RatingMode(row.mode),
            value=row.rating,
            matches=row.matches,
            provisional=row.provisional,
            last_decided_at=row.last_decided_at,
        )


def ratings_of_players(snapshot: Snapshot, ids: Any) -> dict[str, list[Row[Any]]]:
    """The ratings of players."""
    return reads.ratings_by_id(snapshot, "player", ids)


def ratings_of_teams(snapshot: Snapshot, ids: Any) -> dict[str, list[Row[Any]]]:
    """The ratings of fixed pairs."""
    return reads.ratings_by_id(snapshot, "team", ids)


async def ratings_of(info: Info, subject: str, id_: str, as_of: datetime | None) -> list[Rating]:
    """The ratings of a player (`player`) or a pair (`team`), now or as they stood at a moment of play."""
    if as_of is None:
        find = ratings_of_players if subject == "player" else ratings_of_teams
        return [Rating.of(row) for row in await info.context.reader.load(find, id_) or ()]

    def then(snapshot: Snapshot, ids: Any) -> Any:
        return ratings_at(snapshot, subject, as_of, ids)

    rows = await info.context.reader.load(then, id_, kind=("ratings", subject, as_of))
    return [Rating.of(row) for row in rows or ()]


def history(subject: str, id_: str, mode: RatingMode | None) -> ListedOf:
    """The rating changes of a player or a pair, the latest first."""
    from league.api.ratings.ratings import RatingChange  # noqa: PLC0415  # ratings know players

    wanted = None if mode is None else mode.value

    def changes(run: int) -> Any:
        return lambda owner: match_reads.changes_of(run, subject, owner, wanted)

    kind = ("history", subject, wanted)
    return ListedOf(kind, id_, changes, match_reads.LATEST_CHANGE_FIRST, RatingChange.of)


@strawberry.type(description="Somebody who plays in the league.")
class Player(Competitor):
    player_id: str = field(description="The id in the league, as in the log and in exports.")
    name: str | None = field(description="Null once the player has been erased; `displayName` never is.")
    region: str | None = field(description="Where the player is from; null when none was given.")
    registered_at: datetime = field(description="When the player joined.")

    @classmethod
    def of(cls, row: Row[Any]) -> "Player":
        """A row of players."""
        return cls(
            id=strawberry.ID(global_id("Player", row.player_id)),
            player_id=row.player_id,
            name=row.name,
            region=row.region,
            registered_at=row.registered_at,
        )

    @field(description="The name; of a player who was erased a pseudonym, always the same, such as `Player 476ADD61`.")
    def display_name(self) -> str:
        return self.name or pseudonym(self.player_id)

    @field(description="One rating for each mode that was played, and the overall one.")
    async def ratings(self, info: Info, as_of: AsOf = None) -> list[Rating]:
        return await ratings_of(info, "player", self.player_id, as_of)

    @field(description="The rating in one mode; null before the first rated match in it.")
    async def rating(
        self,
        info: Info,
        mode: Annotated[RatingMode, strawberry.argument(description="The mode.")],
        as_of: AsOf = None,
    ) -> Rating | None:
        ratings = await ratings_of(info, "player", self.player_id, as_of)
        return next((rating for rating in ratings if rating.mode is mode), None)

    @paged(Connection[ChangeRef], "Every change of the player's ratings, the latest first.")
    def rating_history(
        self,
        mode: HistoryMode = None,
    ) -> ListedOf:
        return history("player", self.player_id, mode)

    @paged(Connection[MatchRef], "The matches in which the player sits, the latest first.")
    def matches(
        self,
        filter_: Annotated[
            MatchFilterRef | None, strawberry.argument(name="filter", description="Only such matches.")
        ] = None,
    ) -> ListedOf:
        from league.api.matches.matches import Match  # noqa: PLC0415  # matches know players

        wanted = match_reads.MatchFilter() if filter_ is None else filter_.read()

        def theirs(run: int) -> Any:
            return lambda player: match_reads.matches_of(run, player, wanted)

        return ListedOf(("matches", wanted), self.player_id, theirs, match_reads.NEWEST_FIRST, Match.of)

    @field(description="The badges that the player has earned, the latest first.")
    async def badges(self, info: Info) -> list[EarnedBadgeRef]:
        from league.api.badges.badges import badges_of  # noqa: PLC0415  # badges know players

        return await badges_of(info, self.player_id)

    @field(description="How far the player is in each measure of badges, by the edition of the latest decided match.")
    async def badge_progress(self, info: Info) -> list[BadgeProgressRef]:
        from league.api.badges.badges import progress_of  # noqa: PLC0415  # badges know players

        return await progress_of(info, self.player_id)

    @paged(
        Connection[CompetitorRecord],
        "The players who sat on the player's side; the most often first, equally often by id.",
    )
    async def partners(self, info: Info, filter_: FilterArgument = None) -> ListedOf:
        return company_of("partners", partners_of, self.player_id, await counted(info, filter_))

    @paged(Connection[TeamRef], "The fixed pairs in which the player has a rated match.")
    def teams(self) -> ListedOf:
        def theirs(run: int) -> Any:
            return lambda player: reads.teams_of(run, player)

        return ListedOf(("teams",), self.player_id, theirs, reads.TEAMS_BY_ID, Team.of)


@strawberry.type(description="A fixed pair, whatever the seats: it has a rating of its own in matches of two pairs.")
class Team(Competitor):
    team_id: str = field(description="Both players' ids in the league, sorted and joined by `+`.")

    @classmethod
    def of(cls, row: Row[Any]) -> "Team":
        """A row of ratings."""
        return cls.named(row.id)

    @classmethod
    def named(cls, team: str) -> "Team":
        """The pair of this id."""
        return cls(id=strawberry.ID(global_id("Team", team)), team_id=team)

    @field(description="Both players, in the order of their ids.")
    async def players(self, info: Info) -> list[Player]:
        return await players_named(info, list(players_of(CompetitorId(self.team_id))))

    @field(description="The pair's own rating; null before its first rated match.")
    async def rating(self, info: Info, as_of: AsOf = None) -> Rating | None:
        return next(iter(await ratings_of(info, "team", self.team_id, as_of)), None)

    @paged(Connection[ChangeRef], "Every change of the pair's rating, the latest first.")
    def rating_history(self) -> ListedOf:
        return history("team", self.team_id, None)


async def player_named(info: Info, player: str) -> Player | None:
    """The player of an id in the league."""
    row = await info.context.reader.load(reads.players_by_id, player)
    return None if row is None else Player.of(row)


async def players_named(info: Info, players: list[str]) -> list[Player]:
    """Registered players, in this order."""
    rows = await asyncio.gather(*(info.context.reader.load(reads.players_by_id, player) for player in players))
    return [Player.of(row) for row in rows if row is not None]


async def team_named(info: Info, team: str) -> Team | None:
    """The pair of an id in the league, where it has a rated match."""
    rows = await info.context.reader.load(ratings_of_teams, team)
    return Team.named(team) if rows else None


@strawberry.input(description="Which players are wanted; what is left out does not matter.")
class PlayerFilterInput:
    name_contains: str | None = field(
        default=None, description="A part of the name, whatever its case and accents: `ines` finds Inés."
    )
    name_starts_with: str | None = field(
        default=None, description="How the name begins, whatever its case and accents."
    )
    region: str | None = field(default=None, description="Of this region, by its exact name.")

    def read(self) -> reads.PlayerFilter:
        """As the read side knows it."""
        return reads.PlayerFilter(self.name_contains, self.name_starts_with, self.region)


@strawberry.type
class PlayerQueries:
    @field(description="One player; null when the league does not know them.")
    async def player(self, info: Info, id: PlayerId, after_position: AfterPosition = None) -> Player | None:  # noqa: A002  # the argument's name in the schema
        return await player_named(info, local_id("Player", id))

    @paged(Connection[Player], "Players in the order of their ids in the league.")
    def players(
        self,
        filter_: Annotated[
            PlayerFilterInput | None, strawberry.argument(name="filter", description="Only such players.")
        ] = None,
        after_position: AfterPosition = None,
    ) -> Listed:
        wanted = reads.PlayerFilter() if filter_ is None else filter_.read()
        return Listed(lambda _: (reads.players(wanted), reads.BY_ID), Player.of)

    @field(description="One fixed pair; null when it has no rated match.")
    async def team(self, info: Info, id: TeamId, after_position: AfterPosition = None) -> Team | None:  # noqa: A002  # the argument's name in the schema
        return await team_named(info, local_id("Team", id))

    @paged(Connection[Team], "Fixed pairs with a rated match, in the order of their ids.")
    def teams(
        self,
        after_position: AfterPosition = None,
    ) -> Listed:
        return Listed(lambda run: (reads.teams(run), reads.TEAMS_BY_ID), Team.of)

    @field(description="The regions that players are of.")
    async def regions(self, info: Info, after_position: AfterPosition = None) -> list[str]:
        return await info.context.reader.once(reads.regions)
