"""A reader holds a server's slot only while it reads there, and reads nothing older than it was promised."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from databases import copy_of
from leagues import SIXTY_MATCHES, SMALL_LEAGUE
from sqlalchemy.pool import QueuePool
from waiting import LIMIT

from league.api.graphql.executing.reader import POOL, Reader, ReadSource
from league.api.graphql.executing.replicas import Replicas
from league.api.graphql.live.listening import Live
from league.infra.database import engine
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import ReadState


@asynccontextmanager
async def reading(url: str, replica: str) -> AsyncIterator[ReadSource]:
    """Readers of a league, with a server that counts as a replica in use, and has no state that is known."""
    live = Live(url)
    heard = asyncio.Event()
    live.on_new_state(heard.set)
    listening = asyncio.create_task(live.listen())
    async with asyncio.timeout(LIMIT):
        while live.state is None:
            heard.clear()
            await heard.wait()
    primary = engine(url, pool_size=POOL)
    source = ReadSource(primary, live, Replicas(url, primary, [replica], live, POOL))
    source.replicas.all[0].standing = "used"
    try:
        yield source
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        await source.close()


def state_of(snapshot: Snapshot) -> ReadState | None:
    """What a reader reads."""
    return snapshot.state


async def read(source: ReadSource) -> ReadState | None:
    """The state that a reader reads, perhaps in the snapshot of one before it."""
    reader = Reader(source)
    reader.only_state()
    try:
        return await reader.read(state_of)
    finally:
        await reader.close()


def test_a_reader_that_leaves_while_it_waits_for_a_replica_keeps_no_slot(embedded_server: str) -> None:
    """More readers leave than there are slots; a reader after them still reads."""

    async def leave_and_read(url: str) -> None:
        async with reading(url, url) as source:
            for _ in range(POOL + 1):
                leaving = asyncio.create_task(read(source))
                await asyncio.sleep(0.01)
                assert not leaving.done()
                leaving.cancel()
                with suppress(asyncio.CancelledError):
                    await leaving
            async with asyncio.timeout(LIMIT):
                assert await read(source) == source.live.state
            assert not any(slot.locked() for slot in source.slots.values())

    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        asyncio.run(leave_and_read(url))


def test_a_snapshot_that_stays_open_takes_no_connection_from_readers(embedded_server: str) -> None:
    """It is closed when readers who take no snapshot over fill all slots: the connections stay as many as the slots."""

    async def read_at_once(url: str) -> None:
        async with reading(url, url) as source:
            source.replicas.all[0].standing = "away"
            await read(source)
            readers = [Reader(source) for _ in range(POOL)]
            found = await asyncio.gather(*(reader.read(state_of) for reader in readers))
            assert set(found) == {source.live.state}
            assert isinstance(source.engine.pool, QueuePool)
            assert source.engine.pool.checkedout() == POOL
            for reader in readers:
                await reader.close()

    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        asyncio.run(read_at_once(url))


def test_a_server_that_is_older_than_the_replica_was_is_not_read(embedded_server: str) -> None:
    """Its name leads elsewhere by now: the reader reads on the primary."""

    async def read_elsewhere(url: str, older: str) -> None:
        async with reading(url, older) as source:
            [replica] = source.replicas.all
            replica.state = source.live.state  # of the server that was followed
            assert await read(source) == source.live.state
            assert replica.standing == "away"

    with copy_of(embedded_server, SIXTY_MATCHES) as url, copy_of(embedded_server, SMALL_LEAGUE) as older:
        asyncio.run(read_elsewhere(url, older))
