"""Ids and names in arguments and filters: one that the league does not know is an error that names the argument."""

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError, UnknownId
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.ids import local_competitor_id, local_id
from league.domain.competitor import CompetitorId, read_competitor
from league.domain.refusals import InvalidInput
from league.projections.queries.editions import published_rulesets
from league.wording.language import _, spoken


async def known_player(info: Info, id_: str, argument: str) -> str:
    """The id in the league of a registered player, of a merged one that as which it is read. Raises UnknownId."""
    found = await loaders.players.player(info, local_id("Player", id_))
    if found is None:
        raise UnknownId(
            _("`{argument}`: the league has no player {id!r}.", argument=argument, id=id_), argument=argument
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
            _("`{argument}`: the league has no player or pair {id!r}.", argument=argument, id=id_), argument=argument
        )
    return read


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
