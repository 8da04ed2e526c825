"""Answers to requests that GraphQL does not execute, in the media type that the client knows."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from league.wording.language import spoken

GRAPHQL_RESPONSE = "application/graphql-response+json"
"""The media type of GraphQL, for clients that read status codes."""


def wants_graphql(headers: Mapping[str, str]) -> bool:
    """Whether the client accepts GraphQL's own media type."""
    return GRAPHQL_RESPONSE in headers.get("accept", "")


class Refusal(JSONResponse):
    """A response with one error, in the shape of GraphQL."""

    def __init__(self, status: int, error: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(
            {"errors": [{**error, "message": spoken(error["message"])}]}, status_code=status, headers=headers
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        if wants_graphql(Headers(scope=scope)):
            self.headers["Content-Type"] = GRAPHQL_RESPONSE
        await super().__call__(scope, receive, send)
