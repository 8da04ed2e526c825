"""Listens for commits of the read side and changes of replays, live tables and rights. Wakes the waiting tasks."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence

import msgspec
import psycopg
import structlog

from league.application.jobs import CHANNEL as REPLAYS
from league.eventlog.recorder import RIGHTS, TABLES
from league.infra.database import ACT_AS_WRITER
from league.infra.outages import outages
from league.projections.runs import CHANNEL as COMMITS
from league.projections.runs import ReadState

PATIENCE = 1.0
"""Seconds after which a waiting reader reads without a notification. A lost notification costs at most this time."""
HEARTBEAT = 5.0
"""Seconds without a notification after which a sign of life is asked for, and within which it must come: this detects a
connection whose other end has gone silently. It is no statement, and no transaction."""

LISTENER = "league-listener"
"""The name of the connection in `pg_stat_activity`."""

log = structlog.get_logger()


class Live:
    """One listening connection, and all waiting tasks of this process."""

    def __init__(self, url: str, channels: Iterable[str] = ()) -> None:
        """`channels` are those of features; tasks wait for their notifications."""
        self._url = url
        self._next = {channel: asyncio.Event() for channel in (COMMITS, REPLAYS, *channels)}
        self._is_listening = False
        self._newest: ReadState | None = None
        self._on_new_state: list[Callable[[], None]] = []
        self._on_table: list[Callable[[str | None], None]] = []
        self._on_rights: list[Callable[[], None]] = []
        self._on_notice: dict[str, Callable[[str], None]] = {}

    @property
    def is_listening(self) -> bool:
        """Whether this process hears of what happens. A silent failure of the network is found out in 10 seconds."""
        return self._is_listening

    @property
    def state(self) -> ReadState | None:
        """The newest state of which this process has heard; None without a league, and while it does not listen."""
        return self._newest if self._is_listening else None

    def on_new_state(self, call: Callable[[], None]) -> None:
        """Call this whenever `state` has changed."""
        self._on_new_state.append(call)

    def on_table(self, call: Callable[[str | None], None]) -> None:
        """Call this with the id of each live table that has new events; None: any table may have some."""
        self._on_table.append(call)

    def on_rights(self, call: Callable[[], None]) -> None:
        """Call this when somebody may have other rights than before."""
        self._on_rights.append(call)

    def on_notice(self, channel: str, call: Callable[[str], None]) -> None:
        """Call this with the payload of each notification of a channel. A broken connection loses notifications."""
        self._on_notice[channel] = call

    def hear_of(self, state: ReadState | None) -> None:
        """Take note of a state that the database has."""
        if state is not None and (self._newest is None or state > self._newest):
            self._newest = state
            self._tell_of_state()

    async def listen(self) -> None:
        """Listen until cancelled; reconnect when the connection breaks."""
        while True:
            try:
                async with await _connect(self._url) as connection:
                    await self._follow(connection)
            except (psycopg.Error, TimeoutError) as error:
                outages.note(error)
            finally:
                self._is_listening, self._newest = False, None
                self._tell_of_state()
            await asyncio.sleep(PATIENCE)

    def next(self, channel: str = COMMITS) -> asyncio.Event:
        """The event that the next commit sets; take it before reading the database, so that no commit is missed."""
        return self._next[channel]

    async def wait(self, commit: asyncio.Event, timeout: float = PATIENCE) -> None:  # noqa: ASYNC109  # giving up is an answer here
        """Wait for a commit, or until the timeout."""
        await self.wait_for_any([commit], timeout)

    async def wait_for_any(self, commits: Sequence[asyncio.Event], timeout: float) -> None:  # noqa: ASYNC109  # giving up is an answer here
        """Wait for one of several commits, or until the timeout."""
        tasks = [asyncio.create_task(commit.wait()) for commit in commits]
        try:
            await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    async def reached(self, position: int, look: Callable[[], Awaitable[int]], timeout: float) -> int:  # noqa: ASYNC109  # giving up is an answer here
        """Wait up to `timeout` seconds until `look()` returns `position` or more. Returns its last result."""
        deadline = time.monotonic() + timeout
        while True:
            commit = self.next()
            reached = await look()
            remaining = deadline - time.monotonic()
            if reached >= position or remaining <= 0:
                return reached
            await self.wait(commit, min(remaining, PATIENCE))

    async def _follow(self, connection: psycopg.AsyncConnection) -> None:
        await connection.execute(ACT_AS_WRITER)
        for channel in (*self._next, TABLES, RIGHTS, *self._on_notice):
            await connection.execute(f"LISTEN {channel}")
        # The connection hears of later commits, so only the earlier ones must be read. The state heard of before may be
        # that of a server that has failed since.
        self._newest = None
        await self._read_state(connection)
        self._is_listening = True
        self._tell_of_state()
        for channel in self._next:
            self._wake(channel)  # commits may have been missed while disconnected
        self._tell_of_rights()
        self._tell_of_table(None)
        while True:
            async for heard in connection.notifies(timeout=HEARTBEAT):
                if heard.channel in self._on_notice:
                    self._on_notice[heard.channel](heard.payload)
                    continue
                if heard.channel == TABLES:
                    self._tell_of_table(heard.payload)
                    continue
                if heard.channel == RIGHTS:
                    self._tell_of_rights()
                    continue
                if heard.channel == COMMITS and heard.payload:
                    self.hear_of(msgspec.json.decode(heard.payload, type=ReadState))
                self._wake(heard.channel)
            await _ask_for_life(connection)

    async def _read_state(self, connection: psycopg.AsyncConnection) -> None:
        async with asyncio.timeout(HEARTBEAT):
            row = await (await connection.execute("SELECT read_state()")).fetchone()
        assert row is not None
        self.hear_of(None if row[0] is None else msgspec.json.decode(row[0], type=ReadState))

    def _tell_of_state(self) -> None:
        for call in self._on_new_state:
            call()
        self._wake(COMMITS)

    def _tell_of_table(self, table: str | None) -> None:
        for call in self._on_table:
            call(table)

    def _tell_of_rights(self) -> None:
        for call in self._on_rights:
            call()

    def _wake(self, channel: str) -> None:
        waiting, self._next[channel] = self._next[channel], asyncio.Event()
        waiting.set()


async def _ask_for_life(connection: psycopg.AsyncConnection) -> None:
    """Wait for a sign of life: a pipeline without a command sends only its end, which the server confirms."""
    async with asyncio.timeout(HEARTBEAT), connection.pipeline():
        pass


async def _connect(url: str) -> psycopg.AsyncConnection:
    return await psycopg.AsyncConnection.connect(url, autocommit=True, application_name=LISTENER)
