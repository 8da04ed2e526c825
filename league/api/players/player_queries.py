"""Queries for players and pairs, their order, and two of them head to head."""

from enum import Enum
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import argument, optional, word
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import PlayerId, PresentMonth, TeamId, known_player
from league.api.graphql.shaping.object_fields import SeriesEncounterRef, cacheable_field_of, field_of
from league.api.graphql.shaping.relay import Connection, PageableList, cacheable_paged, local_competitor_id, local_id
from league.api.players.players import Competitor, Player, Team
from league.api.players.statistics import FilterArgument, Statistics, counted, statistics_of
from league.domain.player_names import MOST_CLOSE
from league.domain.refusals import InvalidInput
from league.domain.seating import CompetitorId, read_competitor
from league.domain.sentences import say
from league.projections.queries import players as reads
from league.projections.queries.encounters import MonthOutlook
from league.projections.queries.pages import Order, Query
from league.projections.queries.players import PlayerFilter, PlayerRow, TeamRow, players_close_to
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.statistics import meeting
from league.wording.language import spoken


@strawberry.enum(description="An order of players; ties by id. A cursor belongs to the order in which it was issued.")
class PlayerOrder(Enum):
    BY_ID = word("by_id", "By their ids in the league.")
    NAME = word("name", "By the names as they are shown, regardless of case and accents, from A to Z.")
    NAME_REVERSED = word("name_reversed", "By the names from Z to A.")
    EARLIEST_REGISTERED_FIRST = word("earliest_registered_first", "Players registered first come first.")
    LATEST_REGISTERED_FIRST = word("latest_registered_first", "Players registered last come first.")
    MOST_MATCHES_FIRST = word(
        "most_matches_first", "By the number of their decided matches of all kinds, the most first."
    )
    FEWEST_MATCHES_FIRST = word("fewest_matches_first", "Players with the fewest matches come first.")
    HIGHEST_RATING_FIRST = word(
        "highest_rating_first", "By their overall rating. Players without one are not in the list."
    )
    LOWEST_RATING_FIRST = word("lowest_rating_first", "Like `HIGHEST_RATING_FIRST`, but the lowest first.")


_ORDERED = {
    PlayerOrder.NAME: (reads.by_name, False),
    PlayerOrder.NAME_REVERSED: (reads.by_name, True),
    PlayerOrder.EARLIEST_REGISTERED_FIRST: (reads.by_registration, False),
    PlayerOrder.LATEST_REGISTERED_FIRST: (reads.by_registration, True),
    PlayerOrder.MOST_MATCHES_FIRST: (reads.by_matches, True),
    PlayerOrder.FEWEST_MATCHES_FIRST: (reads.by_matches, False),
    PlayerOrder.HIGHEST_RATING_FIRST: (reads.by_rating, True),
    PlayerOrder.LOWEST_RATING_FIRST: (reads.by_rating, False),
}
"""The query of each order, and whether it is descending."""

PlayerOrderArgument = Annotated[PlayerOrder, argument("The order of the list.")]


def ordered(run: int, wanted: PlayerFilter, order_by: PlayerOrder) -> tuple[Query, Order]:
    """The players that pass a filter, and their order."""
    if order_by is PlayerOrder.BY_ID:
        return reads.players(wanted), reads.BY_ID
    query, descending = _ORDERED[order_by]
    return query(run, wanted, descending=descending)


LONGEST_NAME = 100
"""Limit on the characters of a name to compare."""


def _close_to(snapshot: Snapshot, name: str) -> list[str]:
    return [player.player_id for player in players_close_to(snapshot.conn, name, most=MOST_CLOSE)]


@strawberry.input(description="Which players to list; fields left out match everything.")
class PlayerFilterInput:
    name_contains: str | None = optional("A part of the name, regardless of case and accents: `ines` finds Inés.")
    name_starts_with: str | None = optional("The beginning of the name, regardless of case and accents.")
    region: str | None = optional("In this region, by its exact name, as in `regions`.")

    def read(self) -> reads.PlayerFilter:
        """The filter of the read side."""
        return reads.PlayerFilter(self.name_contains, self.name_starts_with, self.region)


@strawberry.input(description="Which pairs to list; fields left out match everything.")
class TeamFilterInput:
    name_contains: str | None = optional("A part of either partner's name, regardless of case and accents.")
    region: str | None = optional("Both partners are of this region, by its exact name, as in `regions`.")
    player: strawberry.ID | None = optional("One of the partners is this player.")

    async def read(self, info: Info) -> reads.TeamFilter:
        """The filter of the read side. Raises UnknownId."""
        player = None if self.player is None else await known_player(info, self.player, "filter.player")
        return reads.TeamFilter(self.name_contains, self.region, player)


@strawberry.type
class PlayerQueries:
    @cacheable_field_of(Player | None, "One player; null when the league does not know them.")
    async def player(self, info: Info, id: PlayerId) -> PlayerRow | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.players.player(info, local_id("Player", id))

    @cacheable_paged(
        Connection[Player], "Players in the order of their ids in the league, unless `orderBy` says otherwise."
    )
    def players(
        self,
        filter_: Annotated[
            PlayerFilterInput | None, argument("Only players that pass this filter.", name="filter")
        ] = None,
        order_by: PlayerOrderArgument = PlayerOrder.BY_ID,
    ) -> PageableList[PlayerRow]:
        wanted = reads.PlayerFilter() if filter_ is None else filter_.read()
        return PageableList(PlayerRow, lambda run: ordered(run, wanted, order_by))

    @cacheable_field_of(
        list[Player],
        f"Players whose names are close to one, the closest first, at most {MOST_CLOSE}: a hint for somebody who "
        "registers a player, lest one person be registered twice.",
    )
    async def similar_players(
        self, info: Info, name: Annotated[str, argument("A name, at most 100 characters.")]
    ) -> list[PlayerRow]:
        if len(name) > LONGEST_NAME:
            message = say("`{argument}` has at most {most} characters.", argument="name", most=LONGEST_NAME)
            raise RequestError(message, argument="name")
        close = await info.context.reader.read(_close_to, name)
        return await loaders.players.players(info, close)

    @cacheable_field_of(Team | None, "One fixed pair; null when it has no rated match.")
    async def team(self, info: Info, id: TeamId) -> str | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.players.rated_team(info, local_id("Team", id))

    @cacheable_paged(Connection[Team], "Fixed pairs with a rated match, in the order of their ids.")
    async def teams(
        self,
        info: Info,
        filter_: Annotated[TeamFilterInput | None, argument("Only pairs that pass this filter.", name="filter")] = None,
    ) -> PageableList[TeamRow]:
        wanted = None if filter_ is None else await filter_.read(info)
        return PageableList(TeamRow, lambda run: (reads.teams(run, wanted), reads.TEAMS_BY_ID), lambda row: row.id)

    @field(description="The regions of the players.")
    @cacheable
    async def regions(self, info: Info) -> list[str]:
        return await info.context.reader.once(reads.regions)


@strawberry.type(description="One of the two sides of a head-to-head.")
class HeadToHeadSide:
    competitor: Competitor = field(description="The player or the pair.")
    statistics: Statistics = field(description="Their statistics in the matches against the other side.")


@strawberry.type(
    description="The matches that two players, or two fixed pairs, played against each other, whatever their seats."
)
class HeadToHead:
    a: HeadToHeadSide = field(description="The side named first.")
    b: HeadToHeadSide = field(description="The other side.")
    ids: strawberry.Private[tuple[CompetitorId, CompetitorId]]

    @field_of(
        SeriesEncounterRef,
        "The two in the series of a month, seen from `a`: games so far, and what the next one would change.",
    )
    async def series(self, info: Info, month: PresentMonth = None) -> MonthOutlook:
        own, other = self.ids
        return await loaders.players.outlook(info, own, other, month)


CompetitorArgument = Annotated[
    strawberry.ID, argument("A player or a pair: global id, or the id in the league (of a pair, two joined by `+`).")
]


@strawberry.type
class HeadToHeadQueries:
    @field(description="How two players or pairs have played against each other; null when one of them is not known.")
    async def head_to_head(
        self, info: Info, a: CompetitorArgument, b: CompetitorArgument, filter_: FilterArgument = None
    ) -> HeadToHead | None:
        try:
            sent = read_competitor(local_competitor_id(a), "a"), read_competitor(local_competitor_id(b), "b")
            known = [await loaders.players.read_as(info, one) for one in sent]
            # An unknown id stays as it is, so that impossible arguments are refused first.
            whose = meeting(known[0] or sent[0], known[1] or sent[1], "b")
        except InvalidInput as refusal:
            raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=refusal.at) from None
        matches, sides = await counted(info, filter_), []
        for side in whose:
            found = await loaders.players.competitor(info, side.of)
            if found is None:
                return None
            sides.append(
                HeadToHeadSide(competitor=Competitor.of(found), statistics=await statistics_of(info, side, matches))
            )
        return HeadToHead(a=sides[0], b=sides[1], ids=(whose[0].of, whose[1].of))
