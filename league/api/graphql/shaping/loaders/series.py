"""Months of the series."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from league.api.graphql.enums import SeriesMode
from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError
from league.domain.competitor import CompetitorId, is_pair
from league.domain.refusals import InvalidInput
from league.domain.rules import Series
from league.projections.queries import encounters
from league.projections.queries import series as reads
from league.projections.queries.encounters import Outlook
from league.projections.queries.series import CompetitorMonth, Month
from league.projections.queries.snapshot import Snapshot
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


async def rules(info: Info, month: Month) -> Series:
    """The rules for a match of this month that begins now; an operation reads them once."""

    def ask(snapshot: Snapshot, months: Sequence[Month]) -> dict[Month, Series]:
        now = info.context.clock()
        return {one: encounters.rules_at(snapshot, one, now) for one in months}

    found = await info.context.reader.load(ask, month, kind=encounters.rules_at)
    assert found is not None, "there are rules for each month"
    return found


async def open_matches(info: Info, month: Month, own: CompetitorId) -> Mapping[str, int]:
    """A competitor's open matches that count in the series of a month, by opponent; read for many at once."""

    def ask(snapshot: Snapshot, competitors: Sequence[CompetitorId]) -> dict[CompetitorId, dict[str, int]]:
        return encounters.open_matches(snapshot, month, competitors)

    return await info.context.reader.load(ask, own, kind=(encounters.open_matches, month)) or {}


async def outlook(info: Info, own: CompetitorId, other: CompetitorId, name: str | None) -> Outlook:
    """A competitor against another one in a month, and what their next game would change. Raises RequestError."""
    found = (await month_of(info, own, name)).month
    return await info.context.reader.read(encounters.outlook, found, own, other, info.context.clock())
