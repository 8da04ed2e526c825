"""Stands in front of GraphQL, and sends kept answers again to requests without a token."""

import time

import structlog
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from league.api.graphql.executing.accounting import KEPT_ANSWER
from league.api.graphql.executing.kept_answers import Asked, Kept, KeptAnswers
from league.api.graphql.executing.rate_limits import Price, RateLimited, RateLimits, client_of
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


class KeptEndpoint(Struct):
    """GraphQL over HTTP and WebSockets, with kept answers to requests without a token."""

    endpoint: GraphQLEndpoint
    kept_answers: KeptAnswers
    rate_limits: RateLimits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a handshake."""
        if scope["type"] != "http":
            await self.endpoint(scope, receive, send)
            return
        request = Request(scope, receive)
        asked = await _asked(request)
        response = await (self.endpoint.answer(request) if asked is None else self._answer(request, asked))
        response.headers.setdefault("Cache-Control", "no-store")
        await response(scope, receive, send)

    async def _answer(self, request: Request, asked: Asked) -> Response:
        started = time.perf_counter()
        kept = self.kept_answers.find(asked) or await self.kept_answers.wait(asked)
        if kept is not None:
            return self._again(request, asked, kept, started)
        with self.kept_answers.in_work(asked) as in_work:
            response = await self.endpoint.answer(request)
            context = context_of(request)
            if context is not None and context.answered is not None:
                kept = self.kept_answers.keep(asked, bytes(response.body), context.answered)
                in_work.set_result(kept)
                if asked.is_get:
                    return _revalidated(request, kept, response)
        return response

    def _again(self, request: Request, asked: Asked, kept: Kept, started: float) -> Response:
        """The response with a kept answer."""
        address = address_of(request)
        headers = Price(kept.answered.cost, KEPT_ANSWER).headers
        if address is not None:
            client = client_of(None, address)
            try:
                self.rate_limits.spend(client, KEPT_ANSWER)
            except RateLimited as error:
                response = rate_limited(error)
                response.headers.update(rate_headers(self.rate_limits.allowance(client), response.status_code))
                return response
            headers |= rate_headers(self.rate_limits.allowance(client), 200)
        media_type = GRAPHQL_RESPONSE if asked.as_graphql else "application/json"
        response = Response(kept.body, headers=headers, media_type=media_type)
        self.kept_answers.count_hit()
        seconds = time.perf_counter() - started
        for durations in kept.durations:
            durations.observe(seconds)
        milliseconds = round(seconds * 1000, 1)
        log.info("operation", operation=kept.answered.operation, actor=None, milliseconds=milliseconds, errors=0)
        return _revalidated(request, kept, response) if asked.is_get else response


async def _asked(request: Request) -> Asked | None:
    """The request as far as its answer depends on it; None for one whose answer is not kept."""
    headers = request.headers
    if "authorization" in headers or wants_a_page(headers):
        return None
    as_graphql = wants_graphql(headers)
    if request.method == "GET":
        return Asked(is_get=True, content=request.scope["query_string"], as_graphql=as_graphql, language=language())
    media_type = headers.get("content-type", "").partition(";")[0].strip()
    if request.method == "POST" and media_type == "application/json":
        return Asked(is_get=False, content=await request.body(), as_graphql=as_graphql, language=language())
    return None


def _revalidated(request: Request, kept: Kept, response: Response) -> Response:
    """The response to a GET with what caches need; without a body when the client has that answer already."""
    response.headers.update({**MAY_BE_STORED, "ETag": kept.etag})
    known = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if kept.etag not in known and "*" not in known:
        return response
    unchanged = Response(status_code=304, headers=dict(response.headers))
    for header in ("content-length", "content-type"):
        del unchanged.headers[header]
    return unchanged
