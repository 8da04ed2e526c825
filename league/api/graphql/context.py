"""The context of resolvers: the viewer, the reader, and how to send commands."""

import asyncio
from collections.abc import Callable
from typing import Any

from strawberry.types import Info as _Info

from league.api.auth.permissions import Viewer
from league.api.auth.tokens import BadToken, Session, Tokens
from league.api.graphql.open_sessions import OpenSessions
from league.api.graphql.reader import Reader, Source
from league.api.graphql.request_errors import Unauthenticated
from league.api.graphql.threads import in_checking_thread, in_writing_thread
from league.application.bootstrap import League, clock
from league.application.jobs import Jobs
from league.application.stream_states import StreamStates
from league.domain.deciders import Command


class Context:
    """The context of one operation. A WebSocket has one too, and each operation on it gets its own copy."""

    def __init__(
        self,
        league: League,
        jobs: Jobs,
        source: Source,
        tokens: Tokens,
        open_sessions: OpenSessions,
        request_id: str,
    ) -> None:
        self.league, self.jobs, self.source, self.request_id = league, jobs, source, request_id
        self.tokens, self.open_sessions = tokens, open_sessions
        self.session = Session()
        self.connection_params: dict[str, object] | None = None
        """The payload of a WebSocket client's `connection_init`."""
        self.turns: asyncio.Semaphore | None = None
        """Of a WebSocket: its operations take turns."""
        self.reader = Reader(source)

    @property
    def viewer(self) -> Viewer:
        """The sender of the request."""
        return self.session.viewer

    async def for_operation(self) -> "Context":
        """The same request, with its own reader. Raises Unauthenticated if the token of a socket has ended."""
        context = Context(self.league, self.jobs, self.source, self.tokens, self.open_sessions, self.request_id)
        context.session = self.session
        if self.connection_params is not None and self.session.token is not None:
            # The socket is closed only seconds after its token has expired or been revoked.
            try:
                context.session = await in_checking_thread(self.tokens.session, self.session.token)
            except BadToken as error:
                raise Unauthenticated(str(error)) from None
        return context

    async def read_after(self, position: int) -> None:
        """Use a new reader from now on, whose state is at least at this position."""
        await self.reader.close()
        self.reader = Reader(self.source, position)

    async def send(
        self,
        operation: str,
        make: Callable[[], Command],
        key: str | None,
        owners: Callable[[], list[str]] | None = None,
    ) -> int:
        """Execute a command for the viewer and return its position; later reads show its effect.

        `make` builds the command; `owners` are the players whose own data it concerns. Raises Refusal.
        """
        # The connection is released first: a command may take a while.
        await self.reader.close()

        def decide_and_store() -> int:
            whose = owners() if owners is not None and self.viewer.reach(operation) == "own" else []
            self.viewer.require(operation, own=self.viewer.sub in whose)
            assert self.viewer.sub is not None, "who may do anything has a name"
            return self.league.dispatcher.send(make(), self.viewer.sub, key=key)

        position = await in_writing_thread(decide_and_store)
        await self.read_after(position)
        return position

    def states(self) -> StreamStates:
        """The current state of streams, for building a command. Blocks."""
        return StreamStates(self.league.store, clock())


Info = _Info[Context, Any]
