"""GraphQL over WebSockets, by the protocol graphql-transport-ws: the checks that Strawberry's handler leaves out."""

import asyncio
from contextlib import suppress
from typing import Any

from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.subscriptions.protocols.graphql_transport_ws.types import ConnectionInitMessage, Message

from league.api.graphql.executing.context import Context
from league.api.graphql.executing.rate_limits import REFUSED, RateLimited
from league.api.graphql.request_errors import RequestError, TooComplex
from league.domain.sentences import say

BAD_REQUEST = 4400
"""Clients do not connect again after it."""
FORBIDDEN = 4403
"""Clients ask for their token again and connect again; after a few failures in a row they give up."""
MOST_OPERATIONS = 100
"""Operations of one socket at a time: subscriptions, and queries and mutations that wait or run."""


class SocketHandler(BaseGraphQLTransportWSHandler[Context, None]):
    """Closes a socket whose messages have the wrong shape, and one whose token has ended."""

    _watching: asyncio.Task[None] | None = None

    async def handle(self) -> None:
        """From the handshake to the end."""
        with self.context.metrics.sockets.track_inprogress():
            await super().handle()

    async def handle_message(self, message: Message) -> None:
        """Handle a message of the right shape."""
        fault = _fault(dict(message))
        if fault is not None:
            await self.websocket.close(BAD_REQUEST, fault)
            return
        if message["type"] == "subscribe" and self.connection_acknowledged:
            if len(self.operations) >= MOST_OPERATIONS:  # Strawberry refuses these without a code
                error = TooComplex(say("operations on one socket"), MOST_OPERATIONS + 1, MOST_OPERATIONS)
                await self._refuse(message["id"], error)
                return
            try:
                document = self.context.documents.text_of(message["payload"])
            except RequestError as error:
                await self._refuse(message["id"], error)
                return
            if document is not None:
                message["payload"]["query"] = document
        await super().handle_message(message)

    async def handle_connection_init(self, message: ConnectionInitMessage) -> None:
        """Accept the client, and watch its token from then on."""
        await super().handle_connection_init(message)
        if self.connection_acknowledged and self._watching is None:
            self._watching = asyncio.create_task(self._close_at_the_end())

    async def shutdown(self) -> None:
        """Nothing runs on."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        await super().shutdown()

    async def handle_task_exception(self, error: Exception) -> None:
        """Log it, unless the client has left while a result was sent."""
        if not isinstance(error, WebSocketDisconnected):
            await super().handle_task_exception(error)

    async def _refuse(self, operation: str, error: RequestError) -> None:
        """Answer an operation that is not begun, which costs points too."""
        if self.context.client is not None:
            try:
                self.context.rate_limits.spend(self.context.client, REFUSED)
            except RateLimited as limited:
                error = limited
        await self.send_message({"id": operation, "type": "error", "payload": [error.formatted]})

    async def _close_at_the_end(self) -> None:
        with self.context.open_sessions.opened(self.context.session) as ended:
            reason = await ended
        # The operations get no end of their own: after it, clients would not ask for them again with a new token.
        for operation in list(self.operations):
            await self.cleanup_operation(operation)
        await self.websocket.close(FORBIDDEN, reason)


def _fault(message: dict[str, Any]) -> str | None:
    """What is wrong with the shape of a message."""
    kind, payload = message.get("type"), message.get("payload")
    if not isinstance(kind, str):
        return "The `type` of a message is a text."
    if kind in ("subscribe", "complete") and not isinstance(message.get("id"), str):
        return "The `id` of an operation is a text."
    if not isinstance(payload, dict) and (payload is not None or kind == "subscribe"):
        return "The `payload` of a message is an object."
    return None
