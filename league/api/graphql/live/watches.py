"""Shared subscriptions: each result is computed once for a state of the read side and sent to all subscribers."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Hashable
from contextlib import aclosing, suppress
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec
from graphql import ExecutionResult, GraphQLError
from graphql.execution import Executor
from msgspec import Struct
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from league.api.graphql.live.listening import Live
from league.api.graphql.request_errors import Unauthenticated
from league.projections.runs import ReadState


class WatchResult(Protocol):
    """The result of a subscription in one state of the read side."""

    @property
    def errors(self) -> list[GraphQLError] | None:
        """Errors of the result. With errors it is computed again soon."""


R = TypeVar("R", bound=WatchResult)


class FinishedResult(Struct):
    """A result that is computed and encoded already. For each client it takes the place of an execution."""

    data: bytes
    errors: list[GraphQLError] | None

    def execute_operation(self, *_: object) -> ExecutionResult:
        """The result, with a copy of its errors: they are replaced by public errors in place, for each client."""
        errors = None if self.errors is None else list(self.errors)
        return ExecutionResult(msgspec.Raw(self.data), errors)  # type: ignore[arg-type]  # it is encoded already


class ExecutesWhatIsNotFinished(StrawberryGraphQLCoreExecutionContext):
    """Executes operations, and the events of subscriptions whose result is not finished."""

    def build_per_event_executor(self, payload: Any) -> Executor[Any]:
        """The executor of an event. A finished result is its own executor and returns itself."""
        if isinstance(payload, FinishedResult):
            return cast("Executor[Any]", payload)
        return super().build_per_event_executor(payload)


Results = AsyncGenerator[tuple[ReadState | None, R], None]
"""The results, each with its state of the read side; None if it read nothing."""


class Watch(Generic[R]):
    """One shared subscription. It is computed while it has clients."""

    def __init__(self, live: Live, compute: Callable[[], Results[R]], end: Callable[[], None]) -> None:
        self._live, self._compute, self._end = live, compute, end
        self._clients = 0
        self._running: asyncio.Task[None] | None = None
        self._error: Exception | None = None
        self._latest: R | None = None
        self._state: ReadState | None = None
        """The state whose result is `_latest`."""
        self._computed, self._changed = asyncio.Event(), asyncio.Event()

    async def follow(self, ended: asyncio.Future[str]) -> AsyncGenerator[R, None]:
        """The current result; then, each time the client has taken one, the newest if it differs.

        Raises Unauthenticated when the client's session has `ended`.
        """
        self._clients += 1
        try:
            if self._running is None:
                self._running = asyncio.create_task(self._run())
            if self._latest is not None and self._latest.errors:
                # It is computed again soon.
                await first_of(self._computed.wait(), ended)
            heard = self._live.state
            while self._error is None and self._is_before(heard):
                await first_of(self._computed.wait(), ended)
            sent: R | None = None
            while True:
                if self._error is not None:
                    raise self._error
                if self._latest == sent:
                    await first_of(self._changed.wait(), ended)
                elif self._latest is not None:
                    if ended.done():
                        raise Unauthenticated(ended.result())
                    sent = self._latest
                    yield sent
        finally:
            self._clients -= 1
            if self._clients == 0 and self._running is not None:
                self._end()
                self._running.cancel()
                with suppress(asyncio.CancelledError):
                    await self._running

    def _is_before(self, heard: ReadState | None) -> bool:
        return self._latest is None or (heard is not None and self._state is not None and self._state < heard)

    async def _run(self) -> None:
        try:
            async with aclosing(self._compute()) as results:
                async for state, result in results:
                    self._state = state
                    if result != self._latest:
                        self._latest = result
                        self._changed = _woken(self._changed)
                    self._computed = _woken(self._computed)
        except Exception as error:  # noqa: BLE001  # whatever it is, each client receives it
            self._error = error
            self._end()
            self._changed.set()
            self._computed.set()


class Watches:
    """The shared subscriptions of this process. Equal operations share one."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._watches: dict[Hashable, Watch[Any]] = {}

    def of(self, operation: Hashable, compute: Callable[[], Results[R]]) -> Watch[R]:
        """The watch of an operation. The caller follows it at once."""
        if operation not in self._watches:
            watch = Watch(self._live, compute, lambda: self._drop(operation, watch))
            self._watches[operation] = watch
        return self._watches[operation]

    def _drop(self, operation: Hashable, watch: Watch[Any]) -> None:
        if self._watches.get(operation) is watch:
            del self._watches[operation]


def _woken(event: asyncio.Event) -> asyncio.Event:
    """Wake those who wait for an event, and return the next one."""
    event.set()
    return asyncio.Event()


async def first_of(waiting: Coroutine[Any, Any, object], ended: asyncio.Future[str]) -> None:
    """Wait for `waiting` or `ended`; `ended` is not cancelled. Raises Unauthenticated when the session has ended."""
    task = asyncio.create_task(waiting)
    try:
        await asyncio.wait((task, ended), return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
    if ended.done():
        raise Unauthenticated(ended.result())
