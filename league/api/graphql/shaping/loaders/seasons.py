"""Seasons; there are few, so all are read together."""

from datetime import datetime

from league.api.graphql.executing.context import Info
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import SeasonRow


async def season(info: Info, id_: str) -> SeasonRow | None:
    """The season of an id in the league."""
    rows = await info.context.reader.once(reads.all_seasons)
    return next((row for row in rows if row.season_id == id_), None)


async def season_at(info: Info, began_at: datetime) -> SeasonRow | None:
    """The season of a match that began at this time."""
    rows = await info.context.reader.once(reads.all_seasons)
    return next((row for row in rows if row.holds(began_at)), None)
