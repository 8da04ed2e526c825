"""What mutations answer that change the rules: editions, their adoption, promotions and rollbacks."""

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.mutations import Success
from league.api.graphql.shaping.references import EditionRef, ReplayRef, TimelineSpanRef, field_of
from league.projections.queries.catalogue import EditionDocument
from league.projections.queries.replays import ReplayRow
from league.projections.runs import HashSpan


@strawberry.type(description="A mutation that published or adopted rules.")
class RulesSuccess(Success):
    edition_hash: strawberry.Private[str | None] = None
    replay_number: strawberry.Private[int | None] = None

    @field_of(
        list[TimelineSpanRef] | None,
        "The timeline in force; null with an error when the read side does not follow in time.",
    )
    async def timeline(self, info: Info) -> list[HashSpan]:
        return await loaders.rules.timeline(info)

    @field_of(EditionRef | None, "The edition that was published; null where none was.")
    async def edition(self, info: Info) -> EditionDocument | None:
        return None if self.edition_hash is None else await loaders.rules.edition(info, self.edition_hash)

    @field_of(ReplayRef | None, "The replay that was promoted; null where none was.")
    async def replay(self, info: Info) -> ReplayRow | None:
        return None if self.replay_number is None else await loaders.replays.replay(info, self.replay_number)
