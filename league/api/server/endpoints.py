"""Shared by all endpoints: who sends a request, what it costs, and how it is refused.

Endpoints outside GraphQL, which take files or send pictures, have the tokens, roles, rate limits and errors of GraphQL.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from enum import Enum
from typing import Any

import structlog
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from league.api.auth.tokens import BadToken, TokenSession
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.rate_limits import REFUSED, Allowance, RateLimited, ip_of
from league.api.graphql.executing.replicas import outage_extensions, outage_message
from league.api.graphql.request_errors import UNEXPECTED, ErrorCode
from league.api.graphql.shaping.user_errors import REFUSALS, InputFault, common_fields, graphql_name
from league.domain.refusals import Refusal, WrongState
from league.domain.sentences import say
from league.infra.decoders import RETRY_AFTER, DecodersBusy
from league.infra.outages import outages
from league.wording.language import error_in_words, spoken

FORWARDED_FOR = "X-Forwarded-For"
GRAPHQL_RESPONSE = "application/graphql-response+json"
"""The media type of GraphQL, for clients that read status codes."""
CLOSE = {"Connection": "close"}
"""Header of an answer sent before the body was read to its end: the connection cannot serve another request."""
TOO_MANY = 429
STATUS = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "CONFLICT": 409,
    "KEY_REUSED": 409,
    "MATCH_OVER": 409,
    "WRONG_HAND": 409,
}
"""HTTP status by the code of a refusal. Other codes get 409 for a wrong state, otherwise 422."""
BUSY = "BUSY"
"""Reason of UNAVAILABLE when too many files wait to be decoded."""

log = structlog.get_logger()

NewContext = Callable[[str], Context]
"""Makes a context for a request with this id."""
Answer = Callable[[Request, Context], Awaitable[Response]]


def address_of(request: HTTPConnection) -> str | None:
    """The address of the client, as a trusted proxy forwards it; None for a program on this machine.

    A request with X-Forwarded-For has come through a proxy, so its client is elsewhere whatever address it names.
    """
    address = request.client.host if request.client else ""
    ip = ip_of(address)
    is_here = request.client is None or (ip is not None and ip.is_loopback)
    if FORWARDED_FOR not in request.headers and is_here:
        return None  # no client: a Unix socket
    return address


def context_of(request: Request) -> Context | None:
    """The context; None if the request ended before it had one."""
    context: Context | None = getattr(request.state, "context", None)
    return context


async def session_of(context: Context, authorization: object) -> TokenSession:
    """The session of an `Authorization` header; an anonymous one without a header. Raises BadToken."""
    if authorization is None or authorization == "":
        return TokenSession()
    scheme, _space, token = authorization.partition(" ") if isinstance(authorization, str) else ("", "", "")
    if scheme.lower() != "bearer" or not token.strip():
        raise BadToken(say("the Authorization must read `Bearer <token>`"))
    return await context.open_sessions.session(token.strip())


def rate_limited(error: RateLimited) -> Response:
    """The refusal of a client that has no points left."""
    return ErrorResponse(TOO_MANY, error.formatted)


def charged(context: Context | None, response: Response) -> Response:
    """The response to a refused request that has no document. It costs points, too."""
    if context is not None and context.client is not None:
        try:
            context.rate_limits.spend(context.client, REFUSED)
        except RateLimited as error:
            return rate_limited(error)
    return response


def rate_headers(allowance: Allowance, status: int) -> dict[str, str]:
    """Headers with what a client may still spend and, for a refusal, when it may ask again."""
    retry = {"Retry-After": str(allowance.seconds)} if status == TOO_MANY else {}
    return {**allowance.headers, **retry}


def wants_graphql(headers: Mapping[str, str]) -> bool:
    """Whether the client accepts GraphQL's own media type."""
    return GRAPHQL_RESPONSE in headers.get("accept", "")


class ErrorResponse(JSONResponse):
    """A response with one error, in the shape of GraphQL and in the media type that the client knows."""

    def __init__(self, status: int, error: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(
            {"errors": [{**error, "message": spoken(error["message"])}]}, status_code=status, headers=headers
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        if wants_graphql(Headers(scope=scope)):
            self.headers["Content-Type"] = GRAPHQL_RESPONSE
        await super().__call__(scope, receive, send)


def refused(
    status: int,
    message: str,
    code: ErrorCode,
    parameters: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> ErrorResponse:
    """The response to a request that is not executed; `parameters` are the details of its error."""
    extensions = {"code": code.name, **(parameters or {})}
    return ErrorResponse(status, {"message": message, "extensions": extensions}, headers)


def unauthenticated(error: BadToken) -> ErrorResponse:
    """The response to a request whose token is not accepted."""
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    return refused(401, error_in_words(error), ErrorCode.UNAUTHENTICATED, headers=headers)


def failed(error: Exception, request_id: str) -> ErrorResponse:
    """The response when the database does not answer, or when the server has a fault, which is logged."""
    if (outage := outage_message(error)) is not None:
        outages.note(error)
        return refused(503, outage, ErrorCode.UNAVAILABLE, outage_extensions(error))
    log.error("unexpected error", exc_info=error)
    return refused(500, UNEXPECTED, ErrorCode.INTERNAL, {"requestId": request_id})


async def answer_with_token(request: Request, new_context: NewContext, points: int, answer: Answer) -> Response:
    """The response of `answer` for the bearer of the request's token. It costs `points`. Errors are JSON."""
    context = new_context(request.state.request_id)
    context.address = address_of(request)
    response = await _answer(request, context, points, answer)
    if context.client is not None:
        response.headers.update(rate_headers(context.rate_limits.allowance(context.client), response.status_code))
    response.headers.setdefault("Cache-Control", "no-store")
    return response


async def _answer(request: Request, context: Context, points: int, answer: Answer) -> Response:
    try:
        context.session = await session_of(context, request.headers.get("Authorization"))
        if context.client is not None:
            context.rate_limits.spend(context.client, points)
        return await answer(request, context)
    except BadToken as error:
        return charged(context, unauthenticated(error))
    except RateLimited as error:
        return rate_limited(error)
    except Refusal as refusal:
        return refusal_as_json(refusal)
    except DecodersBusy as busy:
        headers = {"Retry-After": str(RETRY_AFTER), **CLOSE}  # the body may be unread
        parameters = {"reason": BUSY, "retryAfter": RETRY_AFTER}
        return refused(503, busy.args[0], ErrorCode.UNAVAILABLE, parameters, headers)
    except Exception as error:  # noqa: BLE001  # an unknown error is logged
        return failed(error, context.request_id)
    finally:
        await context.reader.close()


def refusal_as_json(refusal: Refusal) -> Response:
    """A refusal as a response: one error, whose extensions are the fields of its type in GraphQL."""
    error = error_of(refusal)
    other = 409 if isinstance(refusal, WrongState) else 422
    return ErrorResponse(STATUS.get(error["extensions"]["code"], other), error)


def error_of(refusal: Refusal) -> dict[str, Any]:
    """A refusal in the shape of a GraphQL error."""
    error_type = next((error for kind, error in REFUSALS.items() if isinstance(refusal, kind)), None)
    fields = common_fields(refusal) if error_type is None else vars(error_type.of(refusal))
    shown = _named(fields)
    return {"message": shown.pop("message"), "extensions": shown}


def _named(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a type by their names in the API."""
    return {graphql_name(name.rstrip("_")): _plain(value) for name, value in fields.items()}


def _plain(value: Any) -> Any:
    """A value as JSON shows it in an answer of GraphQL."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return _named(vars(value)) if isinstance(value, InputFault) else value
