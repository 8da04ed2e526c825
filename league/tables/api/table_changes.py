"""The subscription `tableChanged`, and its messages: events of a table as the viewer may see them, and phrases."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, aclosing
from datetime import datetime
from enum import Enum
from typing import Annotated, Any

import strawberry
from strawberry import field, subscription

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import BigInt, Tile, TurnMaker, argument, word
from league.api.graphql.request_errors import Resync, Unauthenticated, UnknownId
from league.api.graphql.shaping.each_change import session_to_watch
from league.api.graphql.shaping.from_rows import made_of
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.threads import in_thread
from league.domain.sentences import say
from league.eventlog.records import LoggedEvent
from league.tables.api.hands import AiLevel, ChainEnd, ClosingReason, FinishedHandOfTable, HandoverReason
from league.tables.api.live_tables import (
    Onlooker,
    SeenTable,
    TableId,
    TableStory,
    live_tables,
    newest_stories,
    onlooker_of,
)
from league.tables.api.tables import Table, finished_in
from league.tables.application.presence_and_talk import PHRASES, SaidPhrase
from league.tables.domain import commands_and_events as e
from league.tables.domain.commands_and_events import TableEvent
from league.tables.domain.state import SeenEvent, TableState, event_seen


@strawberry.interface(description="Something that happened at a table, as the viewer may see it.")
class TableMoment:
    position: BigInt = field(
        description="Everything up to this log position has been sent. Give it as `after` to continue from here."
    )
    at: datetime = field(description="When it happened.")
    seen: strawberry.Private[SeenTable]

    @field(description="The table right after it.")
    def table(self) -> Table:
        return Table.of(self.seen)


@strawberry.interface(description="Something that one seat did, or that happened to it.")
class SeatMoment(TableMoment):
    seat: int = field(description="The seat.")


@strawberry.interface(description="A turn of the running hand.")
class TurnMoment(SeatMoment):
    hand: int = field(description="The number of the hand.")
    turn: int = field(description="The number of the turn, from 1; plays, draws and passes are counted together.")


@strawberry.type(description="The table as it is now: the first message of a subscription without `after`.")
class TableSnapshot(TableMoment):
    pass


@strawberry.type(description="The table was opened.")
class TableOpened(TableMoment):
    pass


@strawberry.type(description="A player sat down, or an AI did before play began.")
class SeatTaken(SeatMoment):
    player_id: str | None = field(description="The player's id in the league; null if it is an AI.")
    ai_level: AiLevel | None = field(description="The level of the AI; null if it is a player.")


@strawberry.type(description="A player stood up before play began. The seat is free again.")
class SeatLeft(SeatMoment):
    pass


@strawberry.type(description="A player is ready. When all seats are, play begins.")
class SeatReady(SeatMoment):
    pass


@strawberry.type(description="All seats are ready. The table keeps its rules from now on; a match opens with the deal.")
class PlayBegan(TableMoment):
    pass


@strawberry.type(
    description="The server has chosen the secret of a hand and published its hash. Send `contributeSeed` now."
)
class ShuffleCommitted(TableMoment):
    hand: int = field(description="The number of the hand.")
    commitment: str = field(description="SHA-256 of the secret, in hexadecimal.")


@strawberry.type(description="A seat contributed to the seed of the hand.")
class SeedContributed(SeatMoment):
    hand: int = field(description="The number of the hand.")
    contribution: str = field(description="32 bytes, in hexadecimal.")


@strawberry.type(description="Each seat drew a tile. The seat with the most pips starts; on a tie all draw again.")
class StartingDrawn(TableMoment):
    tiles: list[Tile] = field(description="The tiles by seat. They go back into the set.")


@strawberry.type(description="The tiles are dealt.")
class HandDealt(TableMoment):
    hand: int = field(description="The number of the hand.")
    attempt: int = field(description="The number of the hand's shuffle that was dealt.")
    starter: int = field(description="The seat that starts.")
    own_tiles: list[Tile] | None = field(
        description="The tiles dealt to the viewer, in ascending order; null for spectators."
    )


@strawberry.type(description="A seat was dealt so many doubles that it may have all hands dealt anew.")
class ReshuffleOffered(SeatMoment):
    hand: int = field(description="The number of the hand.")


@strawberry.type(description="A seat accepted the offer: all hands are dealt anew.")
class ReshuffleAccepted(SeatMoment):
    hand: int = field(description="The number of the hand.")


@strawberry.type(description="A seat keeps its tiles.")
class ReshuffleDeclined(SeatMoment):
    hand: int = field(description="The number of the hand.")
    by: TurnMaker = field(description="Who declined.")


@strawberry.type(description="A tile was played.")
class TilePlayed(TurnMoment):
    tile: Tile = field(description="As it lies, the left half first.")
    end: ChainEnd | None = field(description="The end that it went on; null for the first tile.")
    by: TurnMaker = field(description="Who played it.")


@strawberry.type(description="A seat that could not play drew a tile from the boneyard.")
class TileDrawn(TurnMoment):
    own_tile: Tile | None = field(description="The tile, if the viewer drew it; otherwise null.")


@strawberry.type(description="A seat passed.")
class TurnPassed(TurnMoment):
    timed_out: bool = field(
        description="Whether the player's time had run out; such a pass gives no side a bonus. Otherwise the seat "
        "could neither play nor draw, and the server passed at once."
    )


@strawberry.type(description="A hand is over. All its tiles and its secret are public now.")
class HandEnded(TableMoment):
    hand: int = field(description="The number of the hand.")
    secret: str = field(description="The secret of the hand, in hexadecimal: its SHA-256 is the commitment.")

    @field(description="The whole hand.")
    async def finished(self, info: Info) -> FinishedHandOfTable:
        return FinishedHandOfTable.of((await finished_in(info, self.seen))[-1])


@strawberry.type(
    description="The hand does not count and is dealt again, because its secret is lost, as after a restored backup."
)
class HandDropped(TableMoment):
    hand: int = field(description="The number of the hand.")


@strawberry.type(description="A player's connection is lost. While turns are played, the table pauses.")
class SeatAway(SeatMoment):
    pass


@strawberry.type(description="A player is back and plays the seat.")
class SeatBack(SeatMoment):
    pass


@strawberry.type(description="An AI plays the seat until its player acts or comes back. The result is the player's.")
class SeatHandedOver(SeatMoment):
    reason: HandoverReason = field(description="Why.")


@strawberry.type(description="No server was alive for a while, and no clock ran. The players have time to return.")
class ClockStood(TableMoment):
    since: datetime = field(description="When the clock stopped.")
    until: datetime = field(description="When a server was alive again.")


@strawberry.type(description="Play at the table is over. Nothing comes after it.")
class TableClosed(TableMoment):
    closed: ClosingReason = field(description="Why.")


@strawberry.enum(
    description="The key of a phrase. Keys stay the same when texts are improved. New phrases may be added."
)
class PhraseKey(Enum):
    _ignore_ = "key phrase"
    for key, phrase in PHRASES.items():
        vars()[key.replace("-", "_").upper()] = word(key, phrase.en)


@strawberry.type(description="A phrase of the catalogue, to say at a table.")
class TablePhrase:
    key: PhraseKey = field(description="What `sayPhrase` takes.")
    es: str = field(description="In Spanish.")
    en: str = field(description="In English.")

    @classmethod
    def of(cls, key: str) -> "TablePhrase":
        """The phrase of a key."""
        phrase = PHRASES[key]
        return cls(key=PhraseKey(key), es=phrase.es, en=phrase.en)


@strawberry.type(
    description="A player said a phrase to the other players of the table. It is not an event of the log: `position` "
    "is that of the last event before it, and phrases said while you are disconnected are lost."
)
class PhraseSaid(SeatMoment):
    phrase: TablePhrase = field(description="What was said.")


MOMENTS: list[type[TableMoment]] = [
    TableSnapshot, TableOpened, SeatTaken, SeatLeft, SeatReady, PlayBegan, ShuffleCommitted, SeedContributed,
    StartingDrawn, HandDealt, ReshuffleOffered, ReshuffleAccepted, ReshuffleDeclined, TilePlayed, TileDrawn, TurnPassed,
    HandEnded, HandDropped, SeatAway, SeatBack, SeatHandedOver, ClockStood, TableClosed,
]  # fmt: skip
"""All types of moments that are events of the log, and the snapshot."""
_MOMENTS = {kind.__name__: kind for kind in MOMENTS}


def moment_of(found: SeenEvent, seen: SeenTable, at: datetime) -> TableMoment:
    """The moment for an event, as the viewer sees it; both have the same name. `seen`: the table right after it."""
    own, more = [Tile(tile) for tile in found.tiles], dict[str, Any]()
    match found.event:
        case e.SeatTaken(player=player, level=level):
            more = {"player_id": player, "ai_level": None if level is None else AiLevel(level)}
        case e.HandDealt():
            more = {"own_tiles": None if seen.view.seat is None else own}
        case e.TileDrawn():
            more = {"own_tile": own[0] if own else None}
        case e.TurnPassed(reason=reason):
            more = {"timed_out": reason == "timeout"}
        case e.TableClosed(reason=reason):
            more = {"closed": ClosingReason(reason)}
    kind = _MOMENTS[type(found.event).__name__]
    return made_of(kind, found.event, position=BigInt(seen.position), at=at, seen=seen, **more)


# ---------------------------------------------------------------- the subscription


async def first_come(*sources: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    """Merge endless sources: yields each item as soon as it comes. Raises what one of the sources raises."""
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
    BigInt | None, argument("The position to continue from; null means a snapshot first, then changes.")
]


@strawberry.type
class TableSubscriptions:
    @subscription(
        description="Each event of a live table as the viewer may see it, in order. Without `after` the first message "
        "is a `TableSnapshot`. Give the position of the last message that you received as `after` to continue from "
        "there: nothing is lost, and nothing comes twice. Players of the table also get what other players say. While "
        "a player of the table has this subscription open, the league counts the player as present, so keep it open "
        "while you play. It completes after `TableClosed`; for a closed table it completes after the snapshot. Fails "
        "with the code UNKNOWN_ID if the table does not exist or the viewer may not see it, and with RESYNC if the log "
        "does not have the position."
    )
    async def table_changed(
        self,
        info: Info,
        id: TableId,  # noqa: A002  # the argument's name in the schema
        after: AfterPosition = None,
    ) -> AsyncGenerator[TableMoment, None]:
        context, table = info.context, local_id("Table", id)
        changes, live = context.open_sessions.changes, live_tables(context)
        by = await onlooker_of(context)
        story = (await in_thread(newest_stories, context, [table])).get(table)
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
                        by = await onlooker_of(context)
                        if not story.may_watch(by):
                            raise _unknown(id)
                        presence.close()
                        is_present = False
                    for moment in _moments(new, story, by):
                        await context.read_after(0)  # each message reads the newest state
                        yield moment


def _unknown(id_: str) -> UnknownId:
    return UnknownId(say("`id`: the league has no table {id!r} that you may see.", id=id_), argument="id")


def _moments(new: list[LoggedEvent] | SaidPhrase, story: TableStory, by: Onlooker) -> Iterator[TableMoment]:
    """The moments that an onlooker gets for new events of a table, or for a phrase said at it."""
    if isinstance(new, SaidPhrase):
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
    """A table after its events up to a position. Blocks. Raises Resync if the log does not have the position."""
    store = context.league.store
    if position > (head := store.head()):
        message = f"The log ends at position {head}, before {position}. Read again, and subscribe anew."
        raise Resync(message, reason="BEYOND_HEAD", head=str(head))
    # The head was read before the table, so the table has all events up to the position.
    now = newest_stories(context, [table])[table]
    if now.position <= position:
        return now
    story = TableStory(TableState(table), 0)
    for stored in store.load(f"table:{table}"):
        if stored.position <= position:
            story.take(stored)
    return story
