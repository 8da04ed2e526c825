"""The context of resolvers: the viewer, the reader, and how to send commands."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import nullcontext
from copy import copy
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from msgspec import Struct
from strawberry.types import Info as _Info

from league.api.auth.permissions import Viewer
from league.api.auth.tokens import BadToken, TokenSession
from league.api.graphql.executing.answer_cache import AnswerRecord
from league.api.graphql.executing.documents import PersistedDocuments
from league.api.graphql.executing.metrics import Metrics
from league.api.graphql.executing.rate_limits import OperationPrice, RateLimits, client_of
from league.api.graphql.executing.reader import Reader, ReadSource
from league.api.graphql.live.open_sessions import OpenSessions
from league.api.graphql.live.watches import FinishedResult, Watch, Watches
from league.api.graphql.request_errors import Unauthenticated
from league.api.graphql.threads import in_checking_thread, in_writing_thread
from league.application.bootstrap import League, clock
from league.application.decisions import CommandPart
from league.application.dispatch import InputPath
from league.application.jobs import Jobs
from league.application.stream_states import StreamStates
from league.domain.deciders import Command
from league.domain.match import CorrectHand, RecordHand
from league.domain.refusals import ChangedSince
from league.features import declared
from league.infra.decoders import Decoders
from league.infra.settings import Settings
from league.projections.queries.snapshot import Snapshot, take_snapshot
from league.projections.runs import ReadState
from league.wording.language import error_in_words

K = TypeVar("K")
T = TypeVar("T")

WATCH_PATIENCE = 15.0
"""Seconds after which a live update looks at the read side without a notification."""
RETRY = 1.0
"""Seconds after which a shared result with errors is computed again: most pass."""


class MatchLocks:
    """Per-match locks: the commands of one process on one match run one at a time, in the order in which they came.

    Otherwise each would be overtaken by the others, and be decided again and again. A command waits for its lock
    without a thread, which other matches need.
    """

    def __init__(self) -> None:
        # A lock is forgotten with the last command that holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, match: str) -> asyncio.Lock:
        """The lock to hold during a command on this match."""
        return self._locks.setdefault(match, asyncio.Lock())


class Process(Struct, frozen=True):
    """Shared by all requests to one process."""

    league: League
    settings: Settings
    jobs: Jobs
    source: ReadSource
    open_sessions: OpenSessions
    match_locks: MatchLocks
    rate_limits: RateLimits
    metrics: Metrics
    documents: PersistedDocuments
    watches: Watches
    decoders: Decoders
    shared: dict[type, Any]
    """Objects that features share between requests, by type."""


class Context:
    """The context of one operation. A WebSocket has one too, and each operation on it gets its own copy."""

    def __init__(self, process: Process, request_id: str) -> None:
        self.league, self.jobs, self.source, self.request_id = process.league, process.jobs, process.source, request_id
        self.open_sessions, self.rate_limits = process.open_sessions, process.rate_limits
        self.match_locks, self.metrics, self.documents = process.match_locks, process.metrics, process.documents
        self.watches, self.decoders, self._shared = process.watches, process.decoders, process.shared
        self.address: str | None = None
        """The client's address, as its proxy forwards it; None: a program on this machine."""
        self.session = TokenSession()
        self.connection_params: dict[str, object] | None = None
        """The payload of a WebSocket client's `connection_init`."""
        self.slots: asyncio.Semaphore | None = None
        """Limits how many operations of a WebSocket are in work at once; None for a request over HTTP."""
        self.reader = Reader(self.source)
        self.answered: AnswerRecord | None = None
        """Set after a cacheable operation over HTTP that had no errors."""
        self.has_read: AnswerRecord | None = None
        """Set after every query over HTTP that had no errors: the state that it read; it may depend on more."""
        self.price: OperationPrice | None = None
        """The price of an operation over HTTP; None for one that is not valid."""
        self.has_stored = False
        """Whether a command of the operation was executed. If something fails afterwards, only the answer is lost."""
        self.is_beyond_the_state = False
        """Whether something beyond the state of the read side was read, so that the answer is not cached."""
        self.has_lost_its_state = False
        """Whether the replica that an operation read has gone, so that it is executed again on another server."""
        self.watch: Callable[[], Watch[FinishedResult]] | None = None
        """Finds the watch that computes the shared results of a subscription; None if they are not shared."""

    @property
    def viewer(self) -> Viewer:
        """The sender of the request."""
        return self.session.viewer

    @property
    def reads_drafts(self) -> bool:
        """Whether the sender may read candidates that are not shown, and their runs."""
        return self.viewer.may("readDrafts")

    @property
    def actor(self) -> str:
        """The name of the sender. Only a sender who has a permission has one."""
        assert self.viewer.sub is not None, "who may do anything has a name"
        return self.viewer.sub

    @property
    def client(self) -> str | None:
        """The client whose points the operations take; None if they are not counted."""
        return None if self.address is None else client_of(self.viewer.sub, self.address)

    def shared(self, kind: type[T]) -> T:
        """The object of this type that a feature shares between the requests of this process."""
        found: T = self._shared[kind]
        return found

    def of_nobody(self) -> "Context":
        """A context in the same process that belongs to no client."""
        context = copy(self)
        context.address, context.session, context.connection_params, context.slots = None, TokenSession(), None, None
        context.reader = Reader(self.source)
        return context

    async def for_operation(self) -> "Context":
        """A copy of this context for one operation, with its own reader.

        Over a WebSocket, raises Unauthenticated if the token has ended, and RateLimited if no points are left.
        """
        context = copy(self)
        context.reader = Reader(self.source)
        if self.connection_params is not None and self.session.token is not None:
            # The socket is closed only seconds after its token has expired or been revoked.
            try:
                context.session = await self.open_sessions.session(self.session.token)
            except BadToken as error:
                raise Unauthenticated(error_in_words(error)) from None
        if context.connection_params is not None and context.client is not None:
            context.rate_limits.check(context.client)
        return context

    def beyond_the_state(self) -> "Context":
        """This context: a field of an answer that is not cached may touch all of it."""
        return self

    async def read_beyond_the_state(self, ask: Callable[[Snapshot, K], T], key: K) -> T:
        """Read a table that is not part of the read side, in the snapshot of the operation."""
        return await self.reader.read(ask, key)

    async def read_after(self, position: int) -> None:
        """Use a new reader from now on, whose state is at least at this position."""
        await self.reader.close()
        self.reader = Reader(self.source, position)

    async def send(
        self,
        operation: str,
        make: Callable[[], Command | list[Command]],
        key: str | None,
        owners: Callable[[], list[str]] | None = None,
        match: str | None = None,
        expected: int | None = None,
        place: InputPath | None = None,
    ) -> int:
        """Execute a command, or all of a list or none, for the viewer. Return the position; later reads show it.

        `make` builds the command; `owners` are the players whose own data it concerns; `match` is the match that it
        changes, or the table with this id; `expected` and `place` go to `Dispatcher.send_all`. Raises Refusal. After
        ChangedSince, reads show the change that was overlooked.
        """
        # The connection is released first: a command may take a while.
        await self.reader.close()

        def decide_and_store() -> int:
            whose = owners() if owners is not None and self.viewer.reach(operation) == "own" else []
            self.viewer.require(operation, own=self.is_one_of(whose))
            made = make()
            commands = made if isinstance(made, list) else [made]
            source = _source_of(commands[0])
            return self.league.dispatcher.send_all(commands, self.actor, source, key, expected=expected, place=place)

        try:
            async with nullcontext() if match is None else self.match_locks.of(match):
                position = await in_writing_thread(decide_and_store)
        except ChangedSince as changed:
            await self.read_after(changed.position)
            raise
        self.has_stored = True
        await self.read_after(position)
        return position

    def is_one_of(self, players: Sequence[str]) -> bool:
        """Whether the viewer is one of these players, also under an id that was merged. Blocks."""
        sub = self.viewer.sub
        if sub is None or not players:
            return False
        if sub in players:
            return True
        [own, *others] = self.states().read_as([sub, *players])
        return own in others

    def seated(self, match: str) -> list[str]:
        """The players who sit in a match; nobody if there is no such match. Blocks."""
        played = self.states().match(match).played
        return [] if played is None else list(played.seats)

    def clock(self) -> datetime:
        """The present."""
        return clock()

    def states(self) -> StreamStates:
        """The current state of streams, for building a command. Blocks."""
        return StreamStates(self.league.store, self.league.dispatcher.clock(), self.league.dispatcher.state_cache)


def _source_of(command: Command) -> str:
    """Where the events of a command come from."""
    for part in declared(CommandPart):
        if part.source is not None and type(command) in part.handlers:
            return part.source
    return "photo" if isinstance(command, RecordHand | CorrectHand) and command.photos else "manual"


class NotCacheable(Exception):
    """A field that is declared `@cacheable` touched something that its answer must not depend on."""

    def __init__(self, touched: str) -> None:
        super().__init__(f"a field that is declared cacheable must not touch `{touched}` of its context")


class CacheableContext:
    """The context of the fields of a cacheable answer: only the reader. Touching anything else raises NotCacheable."""

    has_stored = False

    def __init__(self, context: Context) -> None:
        self._context = context
        self.request_id = context.request_id

    @property
    def reader(self) -> Reader:
        """Reads what follows from the state of the read side."""
        return self._context.reader

    def beyond_the_state(self) -> Context:
        """The whole context, for an object that is not in the read side. The answer is not cached then."""
        self._context.is_beyond_the_state = True
        return self._context

    async def read_beyond_the_state(self, ask: Callable[[Snapshot, K], T], key: K) -> T:
        """Read a table that is not part of the read side, in another snapshot: the reader has no right to it."""
        engine = self.beyond_the_state().source.engine

        def asked() -> T:
            snapshot = take_snapshot(engine)
            with snapshot.conn:
                return ask(snapshot, key)

        return await in_checking_thread(asked)

    def __getattr__(self, name: str) -> Any:
        raise NotCacheable(name)


class WatchContext(CacheableContext):
    """The context of a subscription that is computed once for all clients that watch it."""

    has_failed = False
    """Whether the last result has errors."""

    async def each_state(self) -> AsyncGenerator[None, None]:
        """Yields with the reader set to each new state of the read side."""
        context, live = self._context, self._context.source.live
        seen: ReadState | None = None
        try:
            while True:
                commit = live.next()
                if seen is None or seen != live.state:
                    await context.read_after(0)
                    context.reader.only_state()
                    yield
                    seen = None if self.has_failed else context.reader.state
                    await context.reader.close()
                await live.wait(commit, RETRY if self.has_failed else WATCH_PATIENCE)
        finally:
            await context.reader.close()


Info = _Info[Context, Any]
