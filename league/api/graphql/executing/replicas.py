"""Streaming replicas of the database, from which this process reads what follows from the state of the read side.

A replica is read from only while it has the newest state of which this process has heard, so a reader sees what it
would see on the primary. A connection of its own follows each replica.
"""

import asyncio
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal, LiteralString

import msgspec
import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import DeadlockDetected, SerializationFailure
from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError

from league.api.graphql.live.listening import Live
from league.domain.sentences import Sentence, say
from league.eventlog.recorder import NOT_STORED, NotStored, StoreUnavailable, WasStored
from league.infra.database import (
    ACT_AS_WRITER,
    REASON_SENTENCES,
    STATEMENT_LIMIT,
    Reason,
    engine,
    reason_of,
    with_network_limits,
)
from league.infra.photo_store import PhotosAway
from league.infra.settings import BadSetting
from league.projections.runs import ReadState

LATER = say("{why}; try again later.")
NOTHING_STORED = say("{why}, so nothing was stored; try again later.")
"""Only for the store's own writes: a read may fail after its mutation was stored."""
PERHAPS_STORED = say(
    "{why}. It is not known whether this was stored. Send it again with the same idempotency key: it is stored once."
)
STORED = say("{why}. This was stored, but the answer could not be read; ask for it later.")
_BY_STORED: Mapping[WasStored | None, Sentence] = {
    None: LATER, "yes": STORED, "no": NOTHING_STORED, "unknown": PERHAPS_STORED,
}  # fmt: skip


def outage_message(error: BaseException | None, *, has_stored: bool = False) -> str | None:
    """The message for a client when the database did not answer, had no room, or refused events; otherwise None.

    `has_stored`: the operation has appended its events before.
    """
    if isinstance(error, PhotosAway):
        return say("The place where photos are stored cannot be reached at the moment; try again later.")
    if isinstance(error, NotStored):
        return NOT_STORED
    reason, stored = _outage_of(error, has_stored=has_stored)
    return None if reason is None else say(_BY_STORED[stored], why=REASON_SENTENCES[reason])


def outage_extensions(error: BaseException | None, *, has_stored: bool = False) -> dict[str, str]:
    """Extensions that tell programs about an outage: `reason`, and for a mutation `stored`."""
    if isinstance(error, NotStored):
        return {"reason": "REFUSED", "stored": "NO"}
    reason, stored = _outage_of(error, has_stored=has_stored)
    found = {} if reason is None else {"reason": reason.upper()}
    return found if stored is None else {**found, "stored": stored.upper()}


def _outage_of(error: BaseException | None, *, has_stored: bool) -> tuple[Reason | None, WasStored | None]:
    after: WasStored | None = "yes" if has_stored else None
    if isinstance(error, StoreUnavailable):
        return error.reason, error.stored or after
    return reason_of(error), after


Standing = Literal["used", "behind", "away", "foreign"]
"""`used`: readers read from it. `behind`: it lacks the newest state for too long. `away`: it does not answer.
`foreign`: no replica of the league's server."""

PATIENCE = 0.25
"""Seconds that a reader waits for a replica to reach the newest state; then it reads from the primary."""
BOUND = 1.0
"""Seconds behind the newest state after which no reader waits for a replica."""
SILENCE = 0.1
"""Seconds in which a replica answers a look, if readers are to read from it."""
LONGEST_SILENCE = 1.0
"""Seconds in which a replica must answer. Then its connections are cut, so that its readers go to the primary."""
LOOK = 0.5
"""Seconds between two looks at a replica that has the newest state, and between two attempts to connect."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.005, 0.2
"""Seconds between two looks at a replica that does not have the newest state."""

LIMITS = f"SET lock_timeout = '250ms'; SET statement_timeout = '{STATEMENT_LIMIT}s'"
"""A read that waits for a lock waits for what the replica replays: it is sooner done on the primary."""
IDENTITY = "SELECT system_identifier FROM pg_control_system()"
LOOK_AT = "SELECT pg_is_in_recovery(), read_state()"

GONE: tuple[Reason, ...] = ("unreachable", "missing", "no_connections", "locked")
CONFLICTS = (SerializationFailure.sqlstate, DeadlockDetected.sqlstate)
"""PostgreSQL's codes for a read that conflicts with what the replica has to replay."""

log = structlog.get_logger()


class NotAReplica(Exception):
    """The server is no replica of the league's server."""


class Replica:
    """One replica, and what this process knows of it."""

    def __init__(self, url: str, pool_size: int) -> None:
        """Raises BadSetting for a URL that libpq does not read."""
        try:
            of = conninfo_to_dict(url)
        except psycopg.ProgrammingError as error:
            raise BadSetting("LEAGUE_READ_URLS", say("is not a PostgreSQL URL")) from error
        self.name = f"{of.get('host') or 'localhost'}:{of.get('port') or 5432}"
        """Its host and port."""
        self.url = url
        # The shortest timeout that libpq knows.
        self.engine = engine(make_conninfo(url, connect_timeout=2), pool_size=pool_size, limits=LIMITS)
        self.standing: Standing = "away"
        self.state: ReadState | None = None
        """The newest state that was seen on it."""
        self.behind_since: float | None = None
        """Monotonic time at which it fell behind the awaited state; None while it has that state."""
        self.awaited: ReadState | None = None
        self.asked_at: float | None = None
        """Monotonic time of the question that it has not answered yet, if any."""
        self._sockets: dict[int, socket.socket] = {}
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "close", self._closed)

    @property
    def lag(self) -> float:
        """Seconds since it fell behind; 0 while it is up to date."""
        return 0.0 if self.behind_since is None else time.monotonic() - self.behind_since

    @property
    def is_used(self) -> bool:
        """Whether readers read from it."""
        is_silent = self.asked_at is not None and time.monotonic() - self.asked_at > SILENCE
        return self.standing == "used" and not is_silent

    def has(self, state: ReadState | None) -> bool:
        """Whether it has this or a later state."""
        return state is None or is_at(self.state, state)

    def cut(self) -> None:
        """Shut all its connections, so that nothing waits for its answers. Safe while other threads wait."""
        for end in list(self._sockets.values()):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def cut_with(self, connection: psycopg.AsyncConnection) -> Iterator[None]:
        """Let `cut` shut this connection, too."""
        self._connected(connection)
        try:
            yield
        finally:
            self._closed(connection)

    @contextmanager
    def not_silent(self) -> Iterator[None]:
        """Cut its connections if the block under this context takes longer than `LONGEST_SILENCE`."""
        # A timeout would not do: psycopg would ask the silent server to cancel the question, and wait for that.
        asked_at = self.asked_at = time.monotonic()
        loop = asyncio.get_running_loop()

        def is_silent() -> None:
            # Perhaps the event loop itself stood still, and the answer is there.
            loop.call_later(SILENCE, lambda: self.cut() if self.asked_at == asked_at else None)

        timer = loop.call_later(LONGEST_SILENCE, is_silent)
        try:
            yield
        finally:
            timer.cancel()
            self.asked_at = None

    def _connected(self, connection: Any, _record: object = None) -> None:
        self._sockets[id(connection)] = socket.socket(fileno=os.dup(connection.pgconn.socket))

    def _closed(self, connection: Any, _record: object = None) -> None:
        if (end := self._sockets.pop(id(connection), None)) is not None:
            end.close()


class Replicas:
    """The replicas of one process."""

    def __init__(self, url: str, primary: Engine, replicas: Sequence[str], live: Live, pool_size: int) -> None:
        """`url` is that of the primary."""
        self._url, self._primary, self._live = url, primary, live
        self.all = [Replica(replica, pool_size) for replica in replicas]
        self._moved = asyncio.Event()
        self._next = 0

    async def server(self) -> tuple[Engine, ReadState | None]:
        """The server on which to read the newest state, a replica that has it or the primary; and that state."""
        newest, deadline = self._live.state, time.monotonic() + PATIENCE
        while newest is not None and (used := [one for one in self.all if one.is_used]):
            if ready := [one for one in used if one.has(newest)]:
                self._next += 1
                return ready[self._next % len(ready)].engine, newest
            try:
                async with asyncio.timeout(deadline - time.monotonic()):
                    await self._moved.wait()
            except TimeoutError:
                break
        return self._primary, newest

    def failed(self, engine: Engine) -> None:
        """Leave out the replica of a failed read until it is looked at again."""
        for one in self.all:
            if one.engine is engine:
                self._note(one, "away")

    async def follow(self) -> None:
        """Follow all replicas until cancelled."""
        await asyncio.gather(*(self._follow(one) for one in self.all))

    def close(self) -> None:
        """Close the connections."""
        for one in self.all:
            one.engine.dispose()

    async def _follow(self, one: Replica) -> None:
        while True:
            try:
                await self._look_at(one)
            except NotAReplica:
                self._note(one, "foreign")
            except (psycopg.Error, TimeoutError):
                self._note(one, "away")
                one.cut()
            except Exception:
                # Whatever it is: a replica that is not looked at must not be read.
                self._note(one, "away")
                log.exception("replica_not_followed", replica=one.name)
            await asyncio.sleep(LOOK)

    async def _look_at(self, one: Replica) -> None:
        """Look at a replica while it answers. Raises Foreign, psycopg.Error, TimeoutError."""
        async with await _connect(one.url) as connection:
            with one.cut_with(connection):
                identity = await _answer(one, connection, IDENTITY)
                async with await _connect(self._url) as primary, asyncio.timeout(LONGEST_SILENCE):
                    if await (await primary.execute(IDENTITY)).fetchone() != identity:
                        raise NotAReplica
                with one.not_silent():
                    await connection.execute(ACT_AS_WRITER)
                await self._keep_looking(one, connection)

    async def _keep_looking(self, one: Replica, connection: psycopg.AsyncConnection) -> None:
        pause = SHORTEST_PAUSE
        while True:
            commit = self._live.next()
            is_replica, state = await _answer(one, connection, LOOK_AT)
            if not is_replica:
                raise NotAReplica
            self._is_at(one, None if state is None else msgspec.json.decode(state, type=ReadState))
            if one.behind_since is None:
                pause = SHORTEST_PAUSE
                await self._live.wait(commit, LOOK)
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _is_at(self, one: Replica, state: ReadState | None) -> None:
        """Note the state that a replica has."""
        one.state, newest = state, self._live.state
        if one.has(one.awaited):
            # In a league that changes all the time it may never have the newest state, without being far behind.
            one.awaited, one.behind_since = newest, None if one.has(newest) else time.monotonic()
        self._note(one, "used" if one.lag <= BOUND else "behind")
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    def _note(self, one: Replica, standing: Standing) -> None:
        if one.standing != standing:
            log.warning("replica", replica=one.name, standing=standing, before=one.standing)
            one.standing = standing


def is_at(state: ReadState | None, promised: ReadState) -> bool:
    """Whether a state is the promised one or a later one."""
    return state is not None and state >= promised


def is_lost(error: Exception) -> bool:
    """Whether a read failed because its replica has gone, or because it conflicted with what the replica replays."""
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    has_broken = isinstance(error, DBAPIError) and error.connection_invalidated
    return has_broken or reason_of(error) in GONE or code in CONFLICTS


async def _connect(url: str) -> psycopg.AsyncConnection:
    async with asyncio.timeout(LONGEST_SILENCE):
        return await psycopg.AsyncConnection.connect(with_network_limits(url), autocommit=True)


async def _answer(one: Replica, connection: psycopg.AsyncConnection, question: LiteralString) -> Any:
    """The only row of the answer. Raises psycopg.Error, also after too long a silence."""
    with one.not_silent():
        return await (await connection.execute(question)).fetchone()
