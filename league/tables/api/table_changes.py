"""The subscriptions to live tables, and the order in which what they tell comes."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, aclosing
from typing import Annotated, Any

import strawberry
from strawberry import subscription

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import BigInt
from league.api.graphql.request_errors import Resync, Unauthenticated, UnknownId
from league.api.graphql.shaping.each_change import session_to_watch
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.threads import in_thread
from league.eventlog.records import Stored
from league.tables.api import seen_tables
from league.tables.api.live_tables import live_tables
from league.tables.api.moments import TableMoment, TableSnapshot, moment_of
from league.tables.api.phrases import PhraseSaid, TablePhrase
from league.tables.api.seen_tables import Onlooker, TableId, TableStory
from league.tables.application.talk import Said
from league.tables.domain.events import TableEvent
from league.tables.domain.state import TableState
from league.tables.domain.views import event_seen
from league.wording.language import _


async def first_come(*sources: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    """What endless sources bring, as it comes. Raises what one of them raises."""
    waiting = {asyncio.ensure_future(anext(source)): source for source in sources}
    try:
        while True:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in waiting if task.done()]:
                source = waiting.pop(task)
                brought = task.result()
                waiting[asyncio.ensure_future(anext(source))] = source
                yield brought
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for source in sources:
            await source.aclose()


AfterPosition = Annotated[
    BigInt | None,
    strawberry.argument(description="The position to go on from; null: the table as it is, then changes."),
]


@strawberry.type
class TableSubscriptions:
    @subscription(
        description="Each event of a live table as the viewer may see it, in order. Without `after` the first message "
        "is a `TableSnapshot`. With the position of the last message that you received as `after` it goes on from "
        "there: nothing is lost, and nothing comes twice. The players of the table also get what others of them say. "
        "It tells the league that a player who sits at the table is there: keep it open while you play. It completes "
        "after `TableClosed`, and for a closed table after the snapshot. An error with the code UNKNOWN_ID for a table "
        "that does not exist or that the viewer may not see, with the code RESYNC when the log does not have the "
        "position."
    )
    async def table_changed(
        self,
        info: Info,
        id: TableId,  # noqa: A002  # the argument's name in the schema
        after: AfterPosition = None,
    ) -> AsyncGenerator[TableMoment, None]:
        context, table = info.context, local_id("Table", id)
        changes, live = context.open_sessions.changes, live_tables(context)
        by, story = await seen_tables.onlooker(context), await seen_tables.story(context, table)
        if story is None or not story.may_watch(by):
            raise _unknown(id)
        if after is not None:
            story = await in_thread(_story_until, context, table, after)
        with context.open_sessions.opened(session_to_watch(context)) as ended, ExitStack() as presence:
            is_present = False
            if after is None:
                now = context.clock()
                yield TableSnapshot(position=BigInt(story.position), at=now, seen=story.seen_by(by))
            saves = live.feed.follow(table, story.position if after is None else after, ended)
            news = first_come(saves, live.talk.follow(table))
            async with aclosing(news):
                while story.state.phase != "closed":  # nothing happens at a closed table
                    if not is_present and (player := story.seated_id(by)) is not None:
                        presence.enter_context(live.presence.connected(table, player))
                        is_present = True
                    new = await anext(news)
                    await context.open_sessions.settled()
                    if ended.done():
                        raise Unauthenticated(ended.result())
                    if changes != context.open_sessions.changes:
                        changes, live = context.open_sessions.changes, live_tables(context)
                        by = await seen_tables.onlooker(context)
                        if not story.may_watch(by):
                            raise _unknown(id)
                        presence.close()
                        is_present = False
                    for moment in _moments(new, story, by):
                        await context.read_after(0)  # each message is read anew
                        yield moment


def _unknown(id_: str) -> UnknownId:
    return UnknownId(_("`id`: the league has no table {id!r} that you may see.", id=id_), argument="id")


def _moments(new: list[Stored] | Said, story: TableStory, by: Onlooker) -> Iterator[TableMoment]:
    """What an onlooker gets of new events of a table, or of something that was said at it."""
    if isinstance(new, Said):
        player = story.seated_id(by)
        if player is not None and player not in new.deaf:
            seen = story.seen_by(by)
            phrase = TablePhrase.of(new.phrase)
            yield PhraseSaid(position=BigInt(seen.position), at=new.at, seen=seen, seat=new.seat, phrase=phrase)
        return
    for stored in new:
        story.take(stored)
        assert isinstance(stored.event, TableEvent), "the stream has no others"
        event = event_seen(stored.event, story.state, story.seat_of(by))
        yield moment_of(event, story.seen_by(by), stored.recorded_at)


def _story_until(context: Context, table: str, position: int) -> TableStory:
    """A table after its events up to a position. Blocks. Raises Resync for a position that the log does not have."""
    store = context.league.store
    if position > (head := store.head()):
        message = f"The log ends at position {head}, before {position}. Read again, and subscribe anew."
        raise Resync(message, reason="BEYOND_HEAD", head=str(head))
    # Read after the head, so that it has all events up to the position.
    now = seen_tables.newest(context, [table])[table]
    if now.position <= position:
        return now
    story = TableStory(TableState(table), 0)
    for stored in store.load(f"table:{table}"):
        if stored.position <= position:
            story.take(stored)
    return story
