"""Live updates of matches: of one, or of all that pass a filter, from a position of the log on."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import strawberry
from strawberry import field, subscription

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument
from league.api.graphql.request_errors import Resync
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import MatchFilterArgument, MatchId
from league.api.graphql.shaping.each_change import each_change, shared
from league.api.graphql.shaping.relay import local_id
from league.api.matches.matches import Match
from league.api.schema_part import SchemaPart
from league.domain.sentences import say
from league.features import declared
from league.projections.queries import matches as changes
from league.projections.queries.matches import MatchFilter, facts_by_id, matches_by_id
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import CHANNEL as COMMITS


@strawberry.type(description="A new or changed match of a subscription.")
class MatchChange:
    position: BigInt = field(
        description="Everything up to this position of the log has been sent: give it as `after` to go on from here."
    )
    match: Match | None = field(
        description="The match as it is now, maybe later than the position. Null: only the position has moved on."
    )


@strawberry.type
class MatchSubscriptions:
    @subscription(
        description="A match: its current state, then every change of its facts or its score, and each step of what is "
        "computed for it, such as the review of a hand; nothing before the league knows it."
    )
    @shared
    async def match_changed(self, info: Info, match: MatchId) -> AsyncGenerator[Match, None]:
        id_ = local_id("Match", match)
        watches = [part.match_watch for part in declared(SchemaPart) if part.match_watch is not None]

        def state(snapshot: Snapshot) -> Any:
            facts, rows = facts_by_id(snapshot, [id_]), matches_by_id(snapshot, [id_])
            if id_ not in rows:
                return None
            return facts[id_].changed_position, tuple(rows[id_]), [watch.look(snapshot, id_) for watch in watches]

        async for _attempt in each_change(info, state, (COMMITS, *(watch.channel for watch in watches))):
            found = await loaders.matches.match(info, id_)
            if found is not None:
                yield Match.of(found)

    @subscription(
        description="The matches that are new or have changed, each change at least once and in the order of the log. "
        "Without `after` it begins now, and the first message has only the position. With the position of the last "
        "message that you received as `after` it goes on from there, and nothing is missed. When that cannot be done "
        "it ends with an error whose code is `RESYNC`: read what you show again, and subscribe anew without `after`. "
        "This happens when all matches have been computed again, as under other rules, when the log does not have that "
        f"position, and when more than {changes.MOST_BEHIND:,} events have come since. A match is sent only for its "
        "own events. Nothing is sent when an event takes it out of the filter, or when the event is about something "
        "else: a player gets another name or region, or a season is opened or closed."
    )
    async def matches_changed(
        self,
        info: Info,
        filter_: MatchFilterArgument = None,
        after: Annotated[BigInt | None, argument("The position to go on from; null: from now on.")] = None,
    ) -> AsyncGenerator[MatchChange, None]:
        wanted = MatchFilter() if filter_ is None else await filter_.read(info)
        context, run, at, sent = info.context, -1, -1, 0
        async for _attempt in each_change(info, changes.ReadProgress.of):
            reached = await context.reader.read(changes.ReadProgress.of)
            if at < 0:
                run, at = reached.run, reached.position if after is None else int(after)
                _check_position(at, reached, is_far=await context.reader.read(changes.is_far_behind, at))
                sent = at
                # A filter that the database cannot read fails now, not at the first change.
                await context.reader.read(changes.changed_matches, run, reached.position, wanted)
                if after is None:
                    yield MatchChange(position=BigInt(at), match=None)
            elif reached.run != run:
                raise _recomputed()
            while at < reached.position:
                # Each message has a reader of its own: none is held while a slow client reads.
                await context.read_after(0)
                page = await context.reader.read(changes.changed_matches, run, at, wanted)
                if page is None:
                    raise _recomputed()
                for position, match_id in page.matches:
                    await context.read_after(0)
                    row = await loaders.matches.match(info, match_id)
                    if row is not None:
                        sent = position
                        yield MatchChange(position=BigInt(position), match=Match.of(row))
                at = page.position
                if at - sent >= changes.EVENTS_AT_ONCE:
                    sent = at
                    yield MatchChange(position=BigInt(at), match=None)


def _recomputed() -> Resync:
    return Resync(say("All matches have been computed again. Read again, and subscribe anew."), reason="RECOMPUTED")


def _check_position(at: int, reached: changes.ReadProgress, *, is_far: bool) -> None:
    """Raise Resync for a position from which a subscription cannot go on."""
    if at > reached.head:
        message = f"The log ends at position {reached.head}, before {at}. Read again, and subscribe anew."
        raise Resync(message, reason="BEYOND_HEAD", head=str(reached.head))
    if is_far:
        message = f"More than {changes.MOST_BEHIND} events have come since {at}. Read again, and subscribe anew."
        raise Resync(message, reason="TOO_FAR_BACK", position=str(reached.position))
