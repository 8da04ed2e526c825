"""All reads of one operation: one snapshot of the database, one loader per question.

A loader gathers the ids that resolvers request and queries the database once, so a page costs one statement per kind of
object, regardless of the number of rows. Snapshots stay open after an operation for the next one that reads only the
state of the read side: beginning and ending one takes as long as reading a page.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Engine, text
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from league.api.graphql.executing.replicas import Replicas, is_at, is_lost
from league.api.graphql.live.listening import Live
from league.api.graphql.request_errors import NotYetProjected, RequestError
from league.api.graphql.threads import in_thread, without_thread
from league.domain.sentences import say
from league.projections.queries.snapshot import Snapshot, is_short, short_if, take_snapshot
from league.projections.runs import ReadState

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

POOL = 10
"""Limit on the snapshots of a server at the same time. Further readers wait for a slot."""
WAIT = 5.0
"""Seconds that a reader waits for the read side to reach the requested position."""
OWN_WAIT = 1.0
"""Seconds that a reader waits for the read side to reach the viewer's last write if the request names no position."""
OLDEST = 1.0
"""Seconds after which an open snapshot is closed: a transaction that stays open keeps PostgreSQL from cleaning up."""

_READABLE = text("""
    WITH official AS (SELECT coalesce(max(position), 0) AS position FROM official_run JOIN runs USING (run))
    SELECT coalesce(
        (SELECT position - 1 FROM followed_events AS next WHERE next.position > official.position
         ORDER BY position LIMIT 1),
        greatest(official.position, (SELECT max(position) FROM stored_events))), read_state()
    FROM official
""")
"""The position that can be read, up to the next event to fold. Readers do not wait for events of live tables."""
_WRITTEN = text("SELECT coalesce(max(position), 0) FROM requests WHERE actor = :actor")


class SnapshotLost(Exception):
    """The snapshot is gone, or is not the one that was promised. The question is repeated on the primary."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(str(error))
        self.error = error


class ReadSource:
    """The database and its replicas, from which all readers of the process read."""

    def __init__(self, engine: Engine, live: Live, replicas: Replicas) -> None:
        self.engine, self.live, self.replicas = engine, live, replicas
        # Acquired before a pool connection: otherwise threads that wait for a connection could block those
        # that are about to release theirs.
        servers = (engine, *(replica.engine for replica in replicas.all))
        self.slots = {server: asyncio.Semaphore(POOL) for server in servers}
        self.open_snapshots = OpenSnapshots(live)

    async def close(self) -> None:
        """At the end of the process."""
        await self.open_snapshots.close()
        self.replicas.close()
        self.engine.dispose()

    async def wait_for(self, position: int) -> None:
        """Wait until the read side has reached a position. Raises NotYetProjected after a timeout."""
        heard = self.live.state
        if heard is not None and heard.position >= position:
            return
        reached = await self.live.reached(position, self.position, WAIT)
        if reached < position:
            raise NotYetProjected(
                say(
                    "The read side is at position {reached} and did not reach {position} in time; ask again.",
                    reached=reached,
                    position=position,
                ),
                position=str(position),
                projected=str(reached),
            )

    async def position(self) -> int:
        """The position up to which the read side has read the log. Afterwards the process has heard of its state."""
        return (await self._look(None))[0]

    async def wait_for_writes_of(self, actor: str) -> None:
        """Wait up to `OWN_WAIT` until the read side has what an actor has written, through any process."""
        position, written = await self._look(actor)
        if written > position:
            await self.live.reached(written, self.position, OWN_WAIT)

    async def _look(self, actor: str | None) -> tuple[int, int]:
        """The positions of the read side and of an actor's last write. Afterwards `live` has heard of the state."""
        position, state, written = await in_thread(self._read, actor)
        self.live.hear_of(None if state is None else msgspec.json.decode(state, type=ReadState))
        return position, written

    def _read(self, actor: str | None) -> tuple[int, str | None, int]:
        with self.engine.connect() as conn:
            written: int = 0 if actor is None else conn.execute(_WRITTEN, {"actor": actor}).scalar_one()
            position, state = conn.execute(_READABLE).one()
        return position, state, written


class OpenSnapshots:
    """The snapshots of this process that stay open between two operations.

    All are of the newest state that the process has heard of: an operation that takes one over reads what it would read
    in a new one. A reader with a slot takes one over or closes one before it begins another, so that the snapshots of
    a server, with those that are being read, have no more connections than the server has slots.
    """

    def __init__(self, live: Live) -> None:
        self._live = live
        self._open: list[Snapshot] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        live.on_new_state(self._close_all)

    def take_over(self, server: Engine, position: int) -> Snapshot | None:
        """The newest one on a server, if it is at this position or later. It belongs to the caller."""
        found = next((one for one in reversed(self._open) if one.conn.engine is server), None)
        if found is None or found.position < position:
            return None
        self._open.remove(found)
        return found

    async def make_room(self, server: Engine) -> None:
        """Close the oldest one on a server, if any."""
        oldest = next((one for one in self._open if one.conn.engine is server), None)
        if oldest is not None:
            self._open.remove(oldest)
            await in_thread(oldest.close)

    def put_back(self, snapshot: Snapshot) -> bool:
        """Leave a snapshot open after its operation. Returns False if it is old or of an older state."""
        is_newest = snapshot.state is not None and snapshot.state == self._live.state
        if self._is_closed or not is_newest or _is_old(snapshot):
            return False
        self._open.append(snapshot)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(OLDEST, self._close_old)
        return True

    async def close(self) -> None:
        """At the end of the process. An operation that ends later closes its snapshot itself."""
        self._is_closed = True
        self._close_all()
        if self._timer is not None:
            self._timer.cancel()
        await asyncio.gather(*self._closing)

    def _close_old(self) -> None:
        old = [snapshot for snapshot in self._open if _is_old(snapshot)]
        self._open = [snapshot for snapshot in self._open if not _is_old(snapshot)]
        self._close(old)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(OLDEST, self._close_old) if self._open else None

    def _close_all(self) -> None:
        snapshots, self._open = self._open, []
        self._close(snapshots)

    def _close(self, snapshots: list[Snapshot]) -> None:
        for snapshot in snapshots:
            task = asyncio.get_running_loop().create_task(in_thread(snapshot.close))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


def _is_old(snapshot: Snapshot) -> bool:
    return time.monotonic() - snapshot.taken_at > OLDEST


class LoadBatch:
    """Keys for which a question will be asked once."""

    def __init__(self, ask: Callable[..., Mapping[Any, Any]], known: dict[Any, Any]) -> None:
        self.ask, self.known = ask, known
        self.keys: dict[Any, None] = {}
        self.answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Reader:
    """Reads one state of the league, at the position `after` or later."""

    def __init__(self, source: ReadSource, after: int = 0) -> None:
        self._source, self._after = source, after
        self._take: Callable[[], Snapshot] = self._take_newest
        self._snapshot: Snapshot | None = None
        self._is_only_state = False
        self._viewer: str | None = None
        self._server = source.engine
        """Where the snapshot is taken."""
        self._promised: ReadState | None = None
        """State that the replica had when it was chosen."""
        self._slot: asyncio.Semaphore | None = None
        """Held while the reader has a snapshot."""
        self._lost: SnapshotLost | None = None
        self.has_lost_its_state = False
        """Whether the replica has gone in the middle of the operation, which then has to be executed again."""
        self._shares_snapshots = False
        self._is_taken_over = False
        """Whether the snapshot comes from an operation before and has not been read yet."""
        self._is_closed = False
        self._lock = asyncio.Lock()
        self._known: dict[Hashable, dict[Any, Any]] = {}
        self._batches: dict[Hashable, LoadBatch] = {}
        self.has_read = False
        self.state: ReadState | None = None
        """State of the last read. None before it, without a run, and for a run that is not read as the official one."""

    def not_before(self, position: int) -> None:
        """Require a state at this position or later. Only before the first read."""
        self._after = max(self._after, position)

    def read_from(self, take: Callable[[], Snapshot]) -> None:
        """Read the snapshot from `take`, in a thread, not the official run. Only before the first read."""
        self._take = take

    def only_state(self, viewer: str | None = None) -> None:
        """Read only what follows from the state of the read side, perhaps on a replica. Call before the first read.

        With replicas, a `viewer` reads what the primary has now, and what they have written. Others read what this
        process has heard of, as they do when an answer is cached.
        """
        self._is_only_state = self._shares_snapshots = True
        self._viewer = viewer

    async def read(self, ask: Callable[Concatenate[Snapshot, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Query the database, in a thread unless `ask` is `short`, one query at a time: all share a connection."""
        async with self._lock:
            return await self._ask(ask, *args, **kwargs)

    async def load(
        self, ask: Callable[[Snapshot, Sequence[K]], Mapping[K, T]], key: K, *, kind: Hashable = None
    ) -> T | None:
        """The value that `ask` returns for this key, batched. A function made on the fly needs a `kind`."""
        known = self.known(ask, kind=kind)
        if key not in known:
            await self.load_all(ask, (key,), kind=kind)
        answer: T | None = known[key]
        return answer

    async def load_all(
        self, ask: Callable[[Snapshot, Sequence[K]], Mapping[K, T]], keys: Iterable[K], *, kind: Hashable = None
    ) -> None:
        """Load the values of these keys, batched with other keys that resolvers request meanwhile."""
        await self._answered([self._batch_with(ask, keys, kind)])

    async def load_together(
        self, wanted: Iterable[tuple[Callable[[Snapshot, Sequence[Any]], Mapping[Any, Any]], Iterable[Any]]]
    ) -> None:
        """Load values for several questions, each with its keys."""
        await self._answered({self._batch_with(ask, keys, None) for ask, keys in wanted})

    def _batch_with(self, ask: Callable[..., Mapping[Any, Any]], keys: Iterable[Any], kind: Hashable) -> LoadBatch:
        name = ask if kind is None else kind
        batch = self._batches.get(name)
        if batch is None:
            batch = self._batches[name] = LoadBatch(ask, self.known(ask, kind=kind))
            loop = asyncio.get_running_loop()
            # After all resolvers that can run now: they may request more keys.
            loop.call_soon(lambda: loop.create_task(self._answer(name)))
        batch.keys.update(dict.fromkeys(keys))
        return batch

    async def _answered(self, batches: Collection[LoadBatch]) -> None:
        await asyncio.wait([batch.answered for batch in batches])  # if a caller is cancelled, the others still wait
        for batch in batches:
            batch.answered.result()

    def known(
        self, ask: Callable[[Snapshot, Sequence[K]], Mapping[K, T]], *, kind: Hashable = None
    ) -> dict[K, T | None]:
        """The values by key that have been loaded."""
        return self._known.setdefault(ask if kind is None else kind, {})

    async def once(self, ask: Callable[[Snapshot], T]) -> T:
        """A value that is read once per operation."""

        def of_one_key(snapshot: Snapshot, _: Sequence[str]) -> dict[str, tuple[T]]:
            return {"": (ask(snapshot),)}

        answer = await self.load(short_if(lambda snapshot, _: is_short(ask, snapshot))(of_one_key), "", kind=ask)
        assert answer is not None
        return answer[0]

    async def close(self) -> None:
        """Release the connection. A field that an error has made null may still read later; it gets a RuntimeError."""
        async with self._lock:
            self._is_closed = True
            if self._snapshot is not None:
                snapshot, self._snapshot = self._snapshot, None
                try:
                    if not (self._shares_snapshots and self._source.open_snapshots.put_back(snapshot)):
                        await in_thread(snapshot.close)
                finally:
                    self._release_slot()

    async def _answer(self, name: Hashable) -> None:
        """Ask the question of a batch once the connection is free, for all keys that have come together by then."""
        async with self._lock:
            batch = self._batches.pop(name)
            try:
                keys = [key for key in batch.keys if key not in batch.known]
                found = await self._ask(batch.ask, keys) if keys else {}
            except BaseException as error:  # noqa: BLE001  # the waiting fields raise it
                batch.answered.set_exception(error)
                batch.answered.exception()  # taken, since perhaps no field waits any more
            else:
                batch.known.update((key, found.get(key)) for key in keys)
                batch.answered.set_result(None)

    async def _ask(self, ask: Callable[Concatenate[Snapshot, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._is_closed:
            raise RuntimeError("the operation has ended")
        self.has_read = True
        question = partial(self._in_snapshot, lambda snapshot: ask(snapshot, *args, **kwargs))
        try:
            if self._snapshot is None:
                await self._wait_for_state()
                await self._choose_server()
            here = self._snapshot is not None and is_short(ask, self._snapshot, *args, **kwargs)
            hop = without_thread if here else in_thread
            try:
                return await hop(question)
            except SnapshotLost as lost:
                self._source.replicas.failed(self._server)
                self._lost = lost
                self._release_slot()
                await self._take_slot(self._source.engine)
                await self._source.open_snapshots.make_room(self._server)
                return await in_thread(question)
        except (DataError, UnicodeEncodeError) as error:
            raise RequestError(say("The request has a text or a number that cannot be stored.")) from error
        finally:
            # A cancelled caller may still have received a snapshot, which `close` releases.
            if self._snapshot is None:
                self._release_slot()
            else:
                self.state = self._snapshot.state
                self._source.live.hear_of(self.state)

    async def _wait_for_state(self) -> None:
        if self._after > 0:
            await self._source.wait_for(self._after)
        if self._viewer is not None and self._source.replicas.all:
            await self._source.wait_for_writes_of(self._viewer)

    async def _choose_server(self) -> None:
        """Before the first read: wait for a slot of a server, then take over a snapshot that is open there, if any."""
        source, server = self._source, self._source.engine
        if self._is_only_state:
            server, self._promised = await source.replicas.server()
        await self._take_slot(server)
        if self._shares_snapshots:
            self._snapshot = source.open_snapshots.take_over(server, self._after)
        self._is_taken_over = self._snapshot is not None
        if self._snapshot is None:
            await source.open_snapshots.make_room(server)

    async def _take_slot(self, server: Engine) -> None:
        slot = self._source.slots[server]
        await slot.acquire()
        self._server, self._slot = server, slot

    def _release_slot(self) -> None:
        if self._slot is not None:
            self._slot.release()
            self._slot = None

    def _take_newest(self) -> Snapshot:
        snapshot = take_snapshot(self._server, as_reader=self._is_only_state)
        if self._is_on_replica and self._promised is not None and not is_at(snapshot.state, self._promised):
            snapshot.close()
            raise SnapshotLost(None)  # the name of the replica leads to another server by now
        return snapshot

    @property
    def _is_on_replica(self) -> bool:
        return self._is_only_state and self._server is not self._source.engine

    def _in_snapshot(self, ask: Callable[[Snapshot], T]) -> T:
        taken_over, self._is_taken_over = self._is_taken_over, False
        try:
            if self._snapshot is None:
                self._snapshot = self._take()
                if self._lost is not None and self.state not in (None, self._snapshot.state):
                    self.has_lost_its_state = True
                    raise self._lost.error or self._lost  # the primary is at a later state
            return ask(self._snapshot)
        except (DBAPIError, PoolTimeout) as error:
            self._shares_snapshots = False  # after an error PostgreSQL ends the transaction
            has_broken = isinstance(error, DBAPIError) and error.connection_invalidated
            if not (taken_over and has_broken) and not (self._is_on_replica and is_lost(error)):
                raise
            if self._snapshot is not None:
                self._snapshot.close()
                self._snapshot = None
            raise SnapshotLost(error) from error
