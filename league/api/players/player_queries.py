"""Queries for players and fixed pairs."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import PlayerId, TeamId
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.known_ids import known_player
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.relay import Connection, Listed, paged
from league.api.players.player_order import PlayerOrder, PlayerOrderArgument, ordered
from league.api.players.players import Player, Team
from league.domain.player_names import MOST_CLOSE
from league.projections.queries import players as reads
from league.projections.queries.named_players import players_close_to
from league.projections.queries.players import PlayerRow, TeamRow
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _

LONGEST_NAME = 100
"""Characters of a name to compare."""


def _close_to(snapshot: Snapshot, name: str) -> list[str]:
    return [player.player_id for player in players_close_to(snapshot.conn, name, most=MOST_CLOSE)]


@strawberry.input(description="Which players to list; fields left out match everything.")
class PlayerFilterInput:
    name_contains: str | None = field(
        default=None, description="A part of the name, regardless of case and accents: `ines` finds Inés."
    )
    name_starts_with: str | None = field(
        default=None, description="The beginning of the name, regardless of case and accents."
    )
    region: str | None = field(default=None, description="Of this region, by its exact name, as in `regions`.")

    def read(self) -> reads.PlayerFilter:
        """The filter of the read side."""
        return reads.PlayerFilter(self.name_contains, self.name_starts_with, self.region)


@strawberry.input(description="Which pairs to list; fields left out match everything.")
class TeamFilterInput:
    name_contains: str | None = field(
        default=None, description="A part of either partner's name, regardless of case and accents."
    )
    region: str | None = field(
        default=None, description="Both partners are of this region, by its exact name, as in `regions`."
    )
    player: strawberry.ID | None = field(default=None, description="One of the partners is this player.")

    async def read(self, info: Info) -> reads.TeamFilter:
        """The filter of the read side. Raises UnknownId."""
        player = None if self.player is None else await known_player(info, self.player, "filter.player")
        return reads.TeamFilter(self.name_contains, self.region, player)


@strawberry.type
class PlayerQueries:
    @field_of(Player | None, "One player; null when the league does not know them.")
    @keepable
    async def player(self, info: Info, id: PlayerId) -> PlayerRow | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.players.player(info, local_id("Player", id))

    @paged(Connection[Player], "Players in the order of their ids in the league, unless `orderBy` says otherwise.")
    @keepable
    def players(
        self,
        filter_: Annotated[
            PlayerFilterInput | None,
            strawberry.argument(name="filter", description="Only players that pass this filter."),
        ] = None,
        order_by: PlayerOrderArgument = PlayerOrder.BY_ID,
    ) -> Listed[PlayerRow]:
        wanted = reads.PlayerFilter() if filter_ is None else filter_.read()
        return Listed(PlayerRow, lambda run: ordered(run, wanted, order_by))

    @field_of(
        list[Player],
        f"Players whose names are close to one, the closest first, at most {MOST_CLOSE}: a hint for somebody who "
        "registers a player, lest one person be registered twice.",
    )
    @keepable
    async def similar_players(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="A name, at most 100 characters.")],
    ) -> list[PlayerRow]:
        if len(name) > LONGEST_NAME:
            message = _("`{argument}` has at most {most} characters.", argument="name", most=LONGEST_NAME)
            raise RequestError(message, argument="name")
        close = await info.context.reader.read(_close_to, name)
        return await loaders.players.players(info, close)

    @field_of(Team | None, "One fixed pair; null when it has no rated match.")
    @keepable
    async def team(self, info: Info, id: TeamId) -> str | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.players.rated_team(info, local_id("Team", id))

    @paged(Connection[Team], "Fixed pairs with a rated match, in the order of their ids.")
    @keepable
    async def teams(
        self,
        info: Info,
        filter_: Annotated[
            TeamFilterInput | None,
            strawberry.argument(name="filter", description="Only pairs that pass this filter."),
        ] = None,
    ) -> Listed[TeamRow]:
        wanted = None if filter_ is None else await filter_.read(info)
        return Listed(TeamRow, lambda run: (reads.teams(run, wanted), reads.TEAMS_BY_ID), lambda row: row.id)

    @field(description="The regions of the players.")
    @keepable
    async def regions(self, info: Info) -> list[str]:
        return await info.context.reader.once(reads.regions)
