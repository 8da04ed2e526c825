"""Stands in front of GraphQL and answers requests without a token from the cache."""

import time

import structlog
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from league.api.graphql.executing.accounting import CACHED_ANSWER
from league.api.graphql.executing.answer_cache import AnswerCache, AnswerKey, CachedAnswer
from league.api.graphql.executing.rate_limits import OperationPrice, RateLimited, RateLimits, client_of
from league.api.server.caching_headers import revalidated
from league.api.server.endpoints import (
    GRAPHQL_RESPONSE,
    address_of,
    context_of,
    rate_headers,
    rate_limited,
    wants_graphql,
)
from league.api.server.http import GraphQLEndpoint, wants_a_page
from league.wording.language import language

MAY_BE_STORED = {"Cache-Control": "public, no-cache", "Vary": "Accept, Accept-Encoding, Accept-Language, Authorization"}
"""Caches on the way may store the answer, and ask every time whether it still holds."""

log = structlog.get_logger()


class CachingEndpoint(Struct):
    """GraphQL over HTTP and WebSockets. Requests without a token share cached answers."""

    endpoint: GraphQLEndpoint
    answer_cache: AnswerCache
    rate_limits: RateLimits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a handshake."""
        if scope["type"] != "http":
            await self.endpoint(scope, receive, send)
            return
        request = Request(scope, receive)
        key = await _key_of(request)
        response = await (self.endpoint.answer(request) if key is None else self._answer(request, key))
        response.headers.setdefault("Cache-Control", "no-store")
        await response(scope, receive, send)

    async def _answer(self, request: Request, key: AnswerKey) -> Response:
        started = time.perf_counter()
        answer = self.answer_cache.find(key) or await self.answer_cache.wait(key)
        if answer is not None:
            return self._from_cache(request, key, answer, started)
        with self.answer_cache.in_work(key) as in_work:
            response = await self.endpoint.answer(request)
            context = context_of(request)
            if context is not None and context.answered is not None:
                answer = self.answer_cache.add(key, bytes(response.body), context.answered)
                in_work.set_result(answer)
                if key.is_get:
                    return _revalidated(request, answer, response)
        return response

    def _from_cache(self, request: Request, key: AnswerKey, answer: CachedAnswer, started: float) -> Response:
        """The response with a cached answer. It costs one point."""
        address = address_of(request)
        headers = OperationPrice(answer.answered.cost, CACHED_ANSWER).headers
        if address is not None:
            client = client_of(None, address)
            try:
                self.rate_limits.spend(client, CACHED_ANSWER)
            except RateLimited as error:
                response = rate_limited(error)
                response.headers.update(rate_headers(self.rate_limits.allowance(client), response.status_code))
                return response
            headers |= rate_headers(self.rate_limits.allowance(client), 200)
        media_type = GRAPHQL_RESPONSE if key.as_graphql else "application/json"
        response = Response(answer.body, headers=headers, media_type=media_type)
        self.answer_cache.count_hit()
        seconds = time.perf_counter() - started
        for durations in answer.durations:
            durations.observe(seconds)
        milliseconds = round(seconds * 1000, 1)
        log.info("operation", operation=answer.answered.operation, actor=None, milliseconds=milliseconds, errors=0)
        return _revalidated(request, answer, response) if key.is_get else response


async def _key_of(request: Request) -> AnswerKey | None:
    """The cache key of a request; None if its answer is not cached."""
    headers = request.headers
    if "authorization" in headers or wants_a_page(headers):
        return None
    as_graphql = wants_graphql(headers)
    if request.method == "GET":
        return AnswerKey(is_get=True, content=request.scope["query_string"], as_graphql=as_graphql, language=language())
    media_type = headers.get("content-type", "").partition(";")[0].strip()
    if request.method == "POST" and media_type == "application/json":
        return AnswerKey(is_get=False, content=await request.body(), as_graphql=as_graphql, language=language())
    return None


def _revalidated(request: Request, answer: CachedAnswer, response: Response) -> Response:
    """The response to a GET with headers for caches: 304 without a body if the client has the answer already."""
    response.headers.update(MAY_BE_STORED)
    return revalidated(request, response, answer.etag)
