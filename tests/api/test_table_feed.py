"""The events of live tables, as subscriptions of one process follow them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

import psycopg
import pytest
from prometheus_client import Histogram
from waiting import LIMIT

from league.api.graphql.live.listening import LISTENER, Live
from league.api.graphql.request_errors import Unauthenticated
from league.application.bootstrap import League
from league.domain.audit_trail import RunDropped
from league.eventlog.records import Append, AppendRequest, LoggedEvent
from league.eventlog.store import EventStore
from league.tables.api import live_tables
from league.tables.api.live_tables import TableFeed

Followed = AsyncGenerator[list[LoggedEvent], None]

DELAYS = Histogram("delay", "Of events.", registry=None)


def happen(store: EventStore, table: str, *numbers: int) -> int:
    """Store so many events of a table. What they are does not matter here."""
    events = tuple(RunDropped(number) for number in numbers)
    stream = f"table:{table}"
    return store.append([Append(stream, store.version(stream), events)], AppendRequest("clock", "live"))


async def next_of(followed: Followed) -> list[int]:
    async with asyncio.timeout(LIMIT):
        events = [stored.event for stored in await anext(followed)]
        return [event.run for event in events if isinstance(event, RunDropped) and event.run is not None]


@asynccontextmanager
async def listening(league: League) -> AsyncIterator[TableFeed]:
    live = Live(league.database.url)
    feed, task = TableFeed(league.store, live, DELAYS), asyncio.create_task(live.listen())
    try:
        yield feed
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def test_each_event_of_a_table_is_heard_once_by_each_who_follows_it(league: League) -> None:
    """Each subscriber gets each event once, from any position on, however the events were saved."""

    async def follow() -> None:
        first = happen(league.store, "one", 1)
        happen(league.store, "two", 100)
        async with listening(league) as feed:
            ended = asyncio.get_running_loop().create_future()
            async with (
                aclosing(feed.follow("one", 0, ended)) as whole,
                aclosing(feed.follow("one", first, ended)) as rest,
            ):
                assert await next_of(whole) == [1]
                waiting = asyncio.create_task(next_of(rest))
                await asyncio.to_thread(happen, league.store, "one", 2, 3)
                assert await waiting == [2, 3]
                await asyncio.to_thread(happen, league.store, "two", 101)
                await asyncio.to_thread(happen, league.store, "one", 4)
                assert await next_of(rest) == [4]
                heard = await next_of(whole)
                while heard[-1] < 4:
                    heard += await next_of(whole)
                assert heard == [2, 3, 4]

    asyncio.run(follow())


def test_a_client_that_is_far_behind_misses_nothing(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that are no longer cached are read from the table's stream."""
    monkeypatch.setattr(live_tables, "KEPT", 2)

    async def follow() -> None:
        positions = [happen(league.store, "one", number) for number in range(6)]
        async with listening(league) as feed:
            ended = asyncio.get_running_loop().create_future()
            async with aclosing(feed.follow("one", positions[-1], ended)) as newest:
                waiting = asyncio.create_task(next_of(newest))
                for after, position in enumerate(positions[:-1], 1):
                    async with aclosing(feed.follow("one", position, ended)) as behind:
                        assert await next_of(behind) == list(range(after, 6))
                await asyncio.to_thread(happen, league.store, "one", 6)
                assert await waiting == [6]

    asyncio.run(follow())


@pytest.mark.heavy
def test_events_stored_while_the_listening_connection_was_broken_are_heard(league: League) -> None:
    """When the listening connection is back, every table with subscribers is read."""

    async def follow() -> None:
        async with listening(league) as feed:
            ended = asyncio.get_running_loop().create_future()
            async with aclosing(feed.follow("one", 0, ended)) as followed:
                waiting = asyncio.create_task(next_of(followed))
                await asyncio.to_thread(happen, league.store, "one", 1)
                assert await waiting == [1]
                waiting = asyncio.create_task(next_of(followed))
                await asyncio.to_thread(break_the_listener, league)
                await asyncio.to_thread(happen, league.store, "one", 2)
                assert await waiting == [2]

    asyncio.run(follow())


def break_the_listener(league: League) -> None:
    with psycopg.connect(league.database.url) as conn:
        conn.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", [LISTENER])


def test_the_end_of_a_session_ends_what_it_follows(league: League) -> None:
    """When a session ends, its subscription ends, and the client gets the reason."""

    async def follow() -> None:
        async with listening(league) as feed:
            ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            async with aclosing(feed.follow("one", 0, ended)) as followed:
                waiting = asyncio.create_task(next_of(followed))
                await asyncio.sleep(0)
                ended.set_result("the token has expired")
                with pytest.raises(Unauthenticated):
                    await waiting

    asyncio.run(follow())
