"""Answers to requests that are no GraphQL but need a token: files in, and pictures out.

Tokens, roles, rate limits and errors are those of GraphQL.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import Enum
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import Response

from league.api.auth.tokens import BadToken
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.rate_limits import RateLimited
from league.api.graphql.executing.replicas import outage_extensions, outage_message
from league.api.graphql.request_errors import UNEXPECTED, ErrorCode
from league.api.graphql.shaping.user_errors import HANDLERS, InputFault, common_fields, graphql_name
from league.api.server import refusal
from league.api.server.addresses import address_of
from league.api.server.http import NewContext, charged, rate_headers, rate_limited, session_of
from league.domain.refusals import Refusal, WrongState
from league.infra.decoders import RETRY_AFTER, DecodersBusy
from league.infra.outage_log import outages
from league.wording.language import error_in_words

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
"""By code of a refusal; 409 for all states that do not allow it, 422 for all others."""

BUSY = "BUSY"
"""The reason of UNAVAILABLE where too many files wait to be decoded."""

log = structlog.get_logger()

Answer = Callable[[Request, Context], Awaitable[Response]]


async def answer_with_token(request: Request, new_context: NewContext, points: int, answer: Answer) -> Response:
    """What `answer` answers to the bearer of the request's token, for so many points; errors as JSON."""
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
        error_of = {"message": error_in_words(error), "extensions": {"code": ErrorCode.UNAUTHENTICATED.name}}
        headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
        return charged(context, refusal.Refusal(401, error_of, headers=headers))
    except RateLimited as error:
        return rate_limited(error)
    except Refusal as refused:
        return refusal_as_json(refused)
    except DecodersBusy as busy:
        return _busy(busy)
    except Exception as error:  # noqa: BLE001  # logged where it is none that is known
        return _failed(context, error)
    finally:
        await context.reader.close()


def _busy(error: DecodersBusy) -> Response:
    """Too many files wait to be decoded."""
    extensions = {"code": ErrorCode.UNAVAILABLE.name, "reason": BUSY, "retryAfter": RETRY_AFTER}
    headers = {"Retry-After": str(RETRY_AFTER), "Connection": "close"}  # the body may be unread
    return refusal.Refusal(503, {"message": error.args[0], "extensions": extensions}, headers=headers)


def _failed(context: Context, error: Exception) -> Response:
    """The database does not answer, or the server has a fault."""
    if (outage := outage_message(error)) is not None:
        outages.note(error)
        extensions = {"code": ErrorCode.UNAVAILABLE.name, **outage_extensions(error)}
        return refusal.Refusal(503, {"message": outage, "extensions": extensions})
    log.error("unexpected error", exc_info=error)
    extensions = {"code": ErrorCode.INTERNAL.name, "requestId": context.request_id}
    return refusal.Refusal(500, {"message": UNEXPECTED, "extensions": extensions})


def refusal_as_json(refused: Refusal) -> Response:
    """A refusal as a response: one error, whose extensions are the fields of its type in GraphQL."""
    error = error_of(refused)
    other = 409 if isinstance(refused, WrongState) else 422
    return refusal.Refusal(STATUS.get(error["extensions"]["code"], other), error)


def error_of(refused: Refusal) -> dict[str, Any]:
    """A refusal in the shape of a GraphQL error."""
    error_type = next((one.error_type for one in HANDLERS if isinstance(refused, one.exception_type)), None)
    fields = common_fields(refused) if error_type is None else vars(error_type.of(refused))
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
