"""Months of the series."""

from datetime import datetime

from league.api.graphql.context import Info
from league.api.graphql.enums import SeriesMode
from league.api.graphql.request_errors import RequestError
from league.domain.competitor import CompetitorId, is_pair
from league.domain.refusals import InvalidInput
from league.projections.queries import encounters
from league.projections.queries import series as reads
from league.projections.queries.encounters import Outlook
from league.projections.queries.series import CompetitorMonth, Month
from league.wording.language import spoken


async def month(info: Info, mode: SeriesMode, name: str | None, as_of: datetime | None = None) -> Month:
    """A month by its name; None: the latest one with games by `as_of`. RequestError names the argument."""
    try:
        return await info.context.reader.read(reads.month_named, mode.value, name, as_of)
    except InvalidInput as refusal:
        raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=refusal.at) from None


async def month_of(info: Info, competitor_id: CompetitorId, name: str | None) -> CompetitorMonth:
    """A month of a player (in 1v1) or of a pair (in 2v2); None: the present month. Raises RequestError."""
    if name is None:
        name = await info.context.reader.read(reads.present_month, info.context.clock())
    mode = SeriesMode.TWO_ON_TWO if is_pair(competitor_id) else SeriesMode.ONE_ON_ONE
    return CompetitorMonth(competitor_id, await month(info, mode, name))


async def outlook(info: Info, own: CompetitorId, other: CompetitorId, name: str | None) -> Outlook:
    """A competitor against another one in a month, and what their next game would change. Raises RequestError."""
    found = (await month_of(info, own, name)).month
    return await info.context.reader.read(encounters.outlook, found, own, other, info.context.clock())
