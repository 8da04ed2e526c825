"""Replays."""

from league.api.graphql.executing.context import Info
from league.projections.queries import replays as reads
from league.projections.queries.replays import ReplayRow


async def replay(info: Info, number: int) -> ReplayRow | None:
    """The replay of a number."""
    return await info.context.reader.read(reads.replay, number)
