"""Operations of one socket take turns, so that a socket that sends many and reads none does not slow others."""

import asyncio
from collections.abc import AsyncIterator, Iterator

from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

AT_ONCE = 4
"""Queries and mutations of one socket in work at the same time, from reading the document to sending the answer."""


class SocketTurns(SchemaExtension):
    """An operation on a socket waits for its turn and keeps it until the client has been sent its answer."""

    _turns: asyncio.Semaphore | None = None

    async def on_operation(self) -> AsyncIterator[None]:
        """Around everything."""
        turns: asyncio.Semaphore | None = self.execution_context.context.turns
        if turns is not None:
            await turns.acquire()
            self._turns = turns
        try:
            yield
        finally:
            self._release()

    def on_execute(self) -> Iterator[None]:
        """A subscription lasts: a client that does not read holds back its next answer only."""
        if self.execution_context.operation_type is OperationType.SUBSCRIPTION:
            self._release()
        yield

    def _release(self) -> None:
        turns, self._turns = self._turns, None
        if turns is not None:
            turns.release()
