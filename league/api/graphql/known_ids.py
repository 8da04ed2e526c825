"""Ids and names in arguments and filters: one that the league does not know is an error that names the argument."""

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.ids import local_competitor_id, local_id
from league.api.graphql.request_errors import RequestError, UnknownId
from league.domain.competitor import CompetitorId, read_competitor
from league.domain.refusals import InvalidInput
from league.projections.queries.editions import published_rulesets
from league.wording.language import _, spoken


async def known_player(info: Info, id_: str, argument: str) -> str:
    """The id in the league of a registered player. Raises UnknownId."""
    found = local_id("Player", id_)
    if await loaders.players.player(info, found) is None:
        raise UnknownId(
            _("`{argument}`: the league has no player {id!r}.", argument=argument, id=id_), argument=argument
        )
    return found


async def known_competitor(info: Info, id_: str, argument: str) -> CompetitorId:
    """The id in the league of a registered player, or of a pair of two. Raises UnknownId."""
    try:
        found = read_competitor(local_competitor_id(id_), argument)
    except InvalidInput as refusal:
        raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=argument) from None
    if await loaders.players.competitor(info, found) is None:
        raise UnknownId(
            _("`{argument}`: the league has no player or pair {id!r}.", argument=argument, id=id_), argument=argument
        )
    return found


async def known_season(info: Info, id_: str, argument: str) -> str:
    """The id in the league of a season. Raises UnknownId."""
    found = local_id("Season", id_)
    if await loaders.seasons.season(info, found) is None:
        raise UnknownId(
            _("`{argument}`: the league has no season {id!r}.", argument=argument, id=id_), argument=argument
        )
    return found


async def known_ruleset(info: Info, name: str, argument: str) -> str:
    """The name of a ruleset that some published edition has. Raises UnknownId."""
    names = await info.context.reader.once(published_rulesets)
    if name not in names:
        message = f"`{argument}`: no edition has a ruleset {name!r}; they have {', '.join(sorted(names))}."
        raise UnknownId(message, argument=argument)
    return name
