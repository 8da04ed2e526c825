"""GraphQL over HTTP, server-sent events and WebSockets, with bearer tokens."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from cross_web import AsyncHTTPRequestAdapter, HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.http.base import BaseRequestProtocol
from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.http.parse_content_type import parse_content_type
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.subscriptions.protocols.graphql_transport_ws.types import ConnectionInitMessage, Message
from strawberry.types import ExecutionResult

from league.api.auth.tokens import BadToken
from league.api.graphql.executing.bounds import read_int
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.documents import PersistedDocuments
from league.api.graphql.executing.plain_fields import json_bytes
from league.api.graphql.executing.rate_limits import REFUSED, RateLimited
from league.api.graphql.live.open_sessions import AT_ONCE, EXPIRED, has_expired
from league.api.graphql.request_errors import ErrorCode, RequestError, TooComplex
from league.api.server.endpoints import (
    GRAPHQL_RESPONSE,
    TOO_MANY,
    ErrorResponse,
    NewContext,
    address_of,
    charged,
    context_of,
    failed,
    rate_headers,
    rate_limited,
    refused,
    session_of,
    unauthenticated,
    wants_graphql,
)
from league.api.server.graphiql_page import GraphiQLPage
from league.domain.sentences import say
from league.wording.language import error_in_words, language, preferred, speak, spoken

DEEPEST = 20
"""Limit on the nesting of lists and objects in a request; a hand turn by turn has 8 levels."""

NO_OBJECT = say(
    "Send one JSON object of at most {deepest} levels. Batches, which are lists of requests, are not supported.",
    deepest=DEEPEST,
)


BAD_REQUEST = 4400
"""Code that closes a socket. Clients do not connect again after it."""
FORBIDDEN = 4403
"""Code that closes a socket. Clients ask for their token again and connect again; after a few failures in a row they
give up."""
MOST_OPERATIONS = 100
"""Limit on operations of one socket at a time: subscriptions, and queries and mutations that wait or run."""


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
        """Stop everything that still runs."""
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
        """Refuse an operation before it begins. This costs points, too."""
        if self.context.client is not None:
            try:
                self.context.rate_limits.spend(self.context.client, REFUSED)
            except RateLimited as limited:
                error = limited
        await self.send_message({"id": operation, "type": "error", "payload": [error.formatted]})

    async def _close_at_the_end(self) -> None:
        with self.context.open_sessions.opened(self.context.session) as ended:
            reason = await ended
        # The operations are not completed: clients would not ask for a completed one again with a new token.
        for operation in list(self.operations):
            await self.cleanup_operation(operation)
        await self.websocket.close(FORBIDDEN, reason)


def _fault(message: dict[str, Any]) -> str | None:
    """Why the shape of a message is wrong; None if it is right."""
    kind, payload = message.get("type"), message.get("payload")
    if not isinstance(kind, str):
        return "The `type` of a message is a text."
    if kind in ("subscribe", "complete") and not isinstance(message.get("id"), str):
        return "The `id` of an operation is a text."
    if not isinstance(payload, dict) and (payload is not None or kind == "subscribe"):
        return "The `payload` of a message is an object."
    return None


class GraphQLEndpoint(GraphQL[Context, None]):
    """Strawberry's endpoint with bearer tokens and with the status codes of GraphQL over HTTP."""

    new_context: NewContext
    documents: PersistedDocuments
    graphiql: GraphiQLPage | None
    graphql_transport_ws_handler_class = SocketHandler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a handshake."""
        if scope["type"] == "http":
            response = await self.answer(Request(scope, receive))
            response.headers.setdefault("Cache-Control", "no-store")
            await response(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def answer(self, request: Request) -> Response:
        """The response to a request; errors have the shape of GraphQL errors."""
        try:
            response = await self.run(request)
        except RateLimited as error:
            response = rate_limited(error)
        except RequestError as error:
            response = charged(context_of(request), ErrorResponse(200, error.formatted))
        except HTTPException as error:
            response = refused(error.status_code, error.reason, ErrorCode.BAD_REQUEST)
            response = charged(context_of(request), response)
        except BadToken as error:
            response = charged(context_of(request), unauthenticated(error))
        except Exception as error:  # noqa: BLE001  # such as an outage while a token is checked
            response = failed(error, request.state.request_id)
        context = context_of(request)
        if context is not None and context.price is not None:
            response.headers.update(context.price.headers)
        if context is not None and context.client is not None:
            response.headers.update(rate_headers(context.rate_limits.allowance(context.client), response.status_code))
        return response

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Context:
        """A context for the bearer of the request's token; a WebSocket sends its token later.

        Raises BadToken, and RateLimited for a client that has no points left.
        """
        context = self.new_context(request.scope["state"]["request_id"])
        context.address = address_of(request)
        if isinstance(request, Request):
            request.state.context = context
            context.session = await session_of(context, request.headers.get("Authorization"))
            if context.client is not None:
                context.rate_limits.check(context.client)
        else:
            context.slots = asyncio.Semaphore(AT_ONCE)
        return context

    async def on_ws_connect(self, context: Context) -> Any:
        """Take the token and the language from the payload of `connection_init`.

        The socket is closed with 4403 if the token is invalid.
        """
        params = context.connection_params or {}
        accepted = params.get("acceptLanguage")
        if isinstance(accepted, str):
            speak(preferred(accepted, language()))
        named = next((value for name, value in params.items() if name.lower() == "authorization"), None)
        try:
            context.session = await session_of(context, named)
        except BadToken as error:
            if context.client is not None:
                with suppress(RateLimited):  # the socket is closed either way
                    context.rate_limits.spend(context.client, REFUSED)
            raise ConnectionRejectionError({"reason": error_in_words(error)}) from error
        if has_expired(context.session):
            raise ConnectionRejectionError({"reason": spoken(EXPIRED)})
        return await super().on_ws_connect(context)

    def should_render_graphql_ide(self, request: BaseRequestProtocol) -> bool:
        """Whether to show GraphiQL: browsers get it, also for a link with a query."""
        return self.graphiql is not None and request.method == "GET" and wants_a_page(request.headers)

    async def render_graphql_ide(self, request: Request) -> Response:
        """The page of GraphiQL."""
        assert self.graphiql is not None, "only then a page is to be rendered"
        return self.graphiql.page()

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """The response's headers; a client that accepts the GraphQL media type gets real status codes."""
        response = await super().get_sub_response(request)
        if wants_graphql(request.headers):
            response.headers["content-type"] = GRAPHQL_RESPONSE
        return response

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        """The request, with its document if it names one. Raises HTTPException, UnknownDocument, OtherDocument."""
        if request.method == "GET":
            sent = self.parse_query_params(request.query_params)
        elif _is_json(request.content_type or ""):
            sent = self.parse_json(await request.get_body())
        else:
            raise HTTPException(400, spoken(say("Unsupported content type")))
        query, variables, extensions = sent.get("query"), sent.get("variables"), sent.get("extensions")
        for name, value, kind, expected in (
            ("query", query, str, "a string"),
            ("variables", variables, dict, "an object"),
            ("extensions", extensions, dict, "an object"),
        ):
            if value is not None and not isinstance(value, kind):
                raise HTTPException(
                    400,
                    spoken(
                        say(
                            "The GraphQL operation's `{name}` must be {expected} or null, if provided.",
                            name=name,
                            expected=expected,
                        )
                    ),
                )
        text = self.documents.text_of(sent)
        transport = self._get_stream_transport_from_headers(request.headers) if self._stream_transport_map else None
        protocol = "http" if transport is None else transport.protocol
        return GraphQLRequestData(text, variables, sent.get("operationName"), extensions, protocol)

    def decode_json(self, data: str | bytes) -> object:
        """The object that a client sent. Raises JSONDecodeError, also for other JSON and for deep nesting."""
        try:
            read = json.loads(data, parse_constant=_no_number, parse_int=read_int)
        except (ValueError, RecursionError):  # no UTF-8, or no JSON
            read = None
        if not isinstance(read, dict) or _is_deep(read):
            raise json.JSONDecodeError(NO_OBJECT, "", 0)
        return read

    def parse_json(self, data: str | bytes) -> Any:
        """The object that a client sent. Raises HTTPException."""
        try:
            return self.decode_json(data)
        except json.JSONDecodeError:
            raise HTTPException(400, spoken(NO_OBJECT)) from None

    def encode_json(self, data: object) -> str:
        """JSON as text, for sockets and streams."""
        return json_bytes(data).decode()

    def create_response(
        self, response_data: GraphQLHTTPResponse | list[GraphQLHTTPResponse], sub_response: Response
    ) -> Response:
        """The response; if the client accepts the GraphQL media type, with a matching status code."""
        media_type = sub_response.headers.get("content-type", "application/json")
        status = _status(response_data) if isinstance(response_data, dict) else 200
        shown = status if media_type == GRAPHQL_RESPONSE or status == TOO_MANY else 200
        return Response(json_bytes(response_data), status_code=shown, media_type=media_type)

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """The response as an object; a request that was not executed has no `data`, not even null."""
        response = await super().process_result(request, result)
        if result.data is None and result.errors and all(error.path is None for error in result.errors):
            del response["data"]
        return response


@lru_cache(64)
def _is_json(content_type: str) -> bool:
    return "application/json" in parse_content_type(content_type)[0]


def wants_a_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser asks for a page. Programs ask for JSON, or for anything."""
    accept = headers.get("accept", "")
    return "text/html" in accept and "json" not in accept


def _no_number(name: str) -> None:
    """Refuse NaN and Infinity, which Python reads but JSON does not have."""
    raise ValueError(name)


def _is_deep(read: object) -> bool:
    """Whether JSON is nested too deeply; checked level by level, since recursion is what must be avoided."""
    level: list[Any] = [read]
    for _level in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def _status(answer: GraphQLHTTPResponse) -> int:
    """429 over the rate limit, 503 if the database was unavailable and there is no data, 400 if nothing was executed.

    Otherwise 200.
    """
    data: Any = answer.get("data") or {}
    errors: Any = answer.get("errors") or ()
    codes = [error.get("extensions", {}).get("code") for error in errors]
    if ErrorCode.RATE_LIMITED.name in codes:
        return TOO_MANY
    if ErrorCode.UNAVAILABLE.name in codes and all(value is None for value in data.values()):
        return 503
    return 200 if "data" in answer else 400
