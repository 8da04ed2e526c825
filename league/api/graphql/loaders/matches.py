"""Matches, their facts, their scored hands, and the rating changes that they caused."""

from league.api.graphql.context import Info
from league.projections.queries import matches as reads
from league.projections.queries.matches import ChangeRow, Facts, HandRow, MatchRow


async def match(info: Info, id_: str) -> MatchRow | None:
    """The match of an id in the league."""
    return await info.context.reader.load(reads.matches_by_id, id_)


async def facts(info: Info, match_id: str) -> Facts | None:
    """The facts of a match."""
    return await info.context.reader.load(reads.facts_by_id, match_id)


async def hands(info: Info, match_id: str) -> list[HandRow]:
    """The scored hands of a match, in order; a voided match has none."""
    return await info.context.reader.load(reads.hands_by_match, match_id) or []


async def changes(info: Info, match_id: str) -> list[ChangeRow]:
    """The rating changes that a match caused: players first, then pairs."""
    return await info.context.reader.load(reads.changes_by_match, match_id) or []


async def change(info: Info, match_id: str, competitor_id: str) -> ChangeRow | None:
    """The rating change that a match caused for a player or a pair."""
    return next((row for row in await changes(info, match_id) if row.id == competitor_id), None)
