"""Arguments that many root fields share: how they are read, checked and refused."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from msgspec.structs import replace

from league.api.auth.permissions import PERMISSIONS, Viewer
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import Competition, MatchMode, MatchStatus, RatingMode, argument, optional, word
from league.api.graphql.request_errors import NotAllowed, RequestError, UnknownId
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.relay import local_competitor_id, local_id
from league.domain.refusals import InvalidInput
from league.domain.seating import CompetitorId, read_competitor
from league.domain.sentences import say
from league.projections.queries import matches as reads
from league.projections.queries.pages import Order
from league.projections.queries.snapshot import published_rulesets
from league.wording.language import spoken

AsOf = Annotated[
    datetime | None,
    argument(
        "The state at this moment of play: from the matches decided by then, under the rules "
        "of the latest of them. Null: now."
    ),
]
PlayerId = Annotated[strawberry.ID, argument("Global id, or the player's id in the league.")]
TeamId = Annotated[
    strawberry.ID, argument("Global id, or both players' ids in the league, joined by `+` in either order.")
]
MatchId = Annotated[strawberry.ID, argument("Global id, or the match's id in the league.")]
SeasonId = Annotated[strawberry.ID, argument("Global id, or the season's id in the league.")]
MonthName = Annotated[
    str | None, argument("Such as `2026-03`, in the league's time zone; null: the latest month with games in the mode.")
]
PresentMonth = Annotated[str | None, argument("Such as `2026-03`, in the league's time zone; null: the present month.")]
Region = Annotated[
    str | None,
    argument("Only this region, by its exact name as in `regions`. A region without players gives an empty list."),
]


def check_played(mode: RatingMode | None) -> None:
    """Raise RequestError for OVERALL: no match is played in it."""
    if mode is RatingMode.OVERALL:
        raise RequestError(say("`mode`: no match changes an overall rating by itself."), argument="mode")


REFUSED_TO_OTHERS = "to others an error with the code FORBIDDEN, or UNAUTHENTICATED without a token."
"""End of the description of a query that only some roles may use."""


def check_may_read(viewer: Viewer, operation: str) -> None:
    """Raise NotAllowed unless a role of the viewer allows the operation."""
    if not viewer.may(operation):
        raise NotAllowed(viewer.sub, needs=list(PERMISSIONS[operation]))


async def known_player(info: Info, id_: str, argument: str) -> str:
    """The id in the league of a registered player, merged ids resolved. Raises UnknownId."""
    found = await loaders.players.player(info, local_id("Player", id_))
    if found is None:
        raise UnknownId(
            say("`{argument}`: the league has no player {id!r}.", argument=argument, id=id_), argument=argument
        )
    return found.player_id


async def known_competitor(info: Info, id_: str, argument: str) -> CompetitorId:
    """The id in the league of a registered player, or of a pair of two, merged ids resolved. Raises UnknownId."""
    try:
        found = read_competitor(local_competitor_id(id_), argument)
    except InvalidInput as refusal:
        raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=argument) from None
    read = await loaders.players.read_as(info, found)
    if read is None:
        raise UnknownId(
            say("`{argument}`: the league has no player or pair {id!r}.", argument=argument, id=id_), argument=argument
        )
    return read


async def known_season(info: Info, id_: str, argument: str) -> str:
    """The id in the league of a season. Raises UnknownId."""
    found = local_id("Season", id_)
    if await loaders.matches.season(info, found) is None:
        raise UnknownId(
            say("`{argument}`: the league has no season {id!r}.", argument=argument, id=id_), argument=argument
        )
    return found


async def known_ruleset(info: Info, name: str) -> str:
    """The name of a ruleset in a filter. Raises UnknownId if no published edition has it."""
    names = await info.context.reader.once(published_rulesets)
    if name not in names:
        message = f"`filter.ruleset`: no edition has a ruleset {name!r}; they have {', '.join(sorted(names))}."
        raise UnknownId(message, argument="filter.ruleset")
    return name


@strawberry.input(description="Which matches to list; fields left out match everything.")
class MatchFilterInput:
    competitor: strawberry.ID | None = optional(
        "With this player, or with both players of this pair as partners: a global id, or the id in the league."
    )
    opponent: strawberry.ID | None = optional(
        "Against this player or this pair: they sit on another side than the `competitor` and the player or pair "
        "whose matches are listed. If there is neither, the error has the code BAD_REQUEST."
    )
    region: str | None = optional("In which somebody of this region sits, by its exact name, as in `regions`.")
    season: strawberry.ID | None = optional("That began in this season.")
    status: list[MatchStatus] | None = optional("With one of these statuses.")
    mode: MatchMode | None = optional("Played in this mode.")
    ruleset: str | None = optional("Played by the ruleset of this name.")
    competition: Competition | None = optional("Only this kind of competition.")
    began_from: datetime | None = optional("That began at or after this time.")
    began_before: datetime | None = optional("That began before this time.")
    decided_from: datetime | None = optional("That were decided at or after this time.")
    decided_before: datetime | None = optional("That were decided before this time.")

    async def read(self, info: Info, *, of_competitor: bool = False) -> reads.MatchFilter:
        """The filter for the read side, perhaps for one competitor's matches. Raises UnknownId, RequestError."""
        competitor, opponent, season = self.competitor, self.opponent, self.season
        if opponent is not None and competitor is None and not of_competitor:
            message = say("`filter.opponent` needs a `competitor`, whose opponent it is.")
            raise RequestError(message, argument="filter.opponent")
        return reads.MatchFilter(
            competitor=None if competitor is None else await known_competitor(info, competitor, "filter.competitor"),
            opponent=None if opponent is None else await known_competitor(info, opponent, "filter.opponent"),
            region=self.region,
            season=None if season is None else await known_season(info, season, "filter.season"),
            status=None if self.status is None else tuple(status.value for status in self.status),
            mode=None if self.mode is None else self.mode.value,
            ruleset=None if self.ruleset is None else await known_ruleset(info, self.ruleset),
            competition=None if self.competition is None else self.competition.value,
            began_from=self.began_from,
            began_before=self.began_before,
            decided_from=self.decided_from,
            decided_before=self.decided_before,
        )


MatchFilterArgument = Annotated[MatchFilterInput | None, argument("Only matches that pass this filter.", name="filter")]


@strawberry.enum(
    description="An order of matches; ties by id. A cursor belongs to the order in which it was issued. Orders by the "
    "decision leave out matches that are open or voided."
)
class MatchOrder(Enum):
    BEGAN_LATEST_FIRST = word("began_latest_first", "Matches that began last come first.")
    BEGAN_EARLIEST_FIRST = word("began_earliest_first", "Matches that began first come first.")
    DECIDED_LATEST_FIRST = word("decided_latest_first", "Matches that were decided last come first.")
    DECIDED_EARLIEST_FIRST = word("decided_earliest_first", "Matches that were decided first come first.")


_ORDERS: dict[MatchOrder, Order] = {
    MatchOrder.BEGAN_LATEST_FIRST: reads.NEWEST_FIRST,
    MatchOrder.BEGAN_EARLIEST_FIRST: reads.OLDEST_FIRST,
    MatchOrder.DECIDED_LATEST_FIRST: reads.LATEST_DECIDED_FIRST,
    MatchOrder.DECIDED_EARLIEST_FIRST: reads.EARLIEST_DECIDED_FIRST,
}
_DECIDED = (MatchOrder.DECIDED_LATEST_FIRST, MatchOrder.DECIDED_EARLIEST_FIRST)

MatchOrderArgument = Annotated[MatchOrder, argument("The order of the list.")]


async def filter_and_order(
    info: Info, filter_: MatchFilterInput | None, order_by: MatchOrder, *, of_competitor: bool = False
) -> tuple[reads.MatchFilter, Order]:
    """The filter and the order of a list, perhaps of one competitor's matches. Raises UnknownId, RequestError."""
    wanted = reads.MatchFilter() if filter_ is None else await filter_.read(info, of_competitor=of_competitor)
    if order_by in _DECIDED:
        wanted = replace(wanted, decided=True)
    return wanted, _ORDERS[order_by]
