"""Executes the document of a page in the process, as the API would for the same viewer."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request

from league.api.graphql.executing.context import Context
from league.api.graphql.executing.operations import LeagueSchema
from league.api.graphql.request_errors import ErrorCode
from league.api.server.endpoints import NewContext, address_of
from league.console.visitors import Visitor

STATUSES = {
    ErrorCode.RATE_LIMITED.name: 429,
    ErrorCode.UNAVAILABLE.name: 503,
    ErrorCode.UNAUTHENTICATED.name: 401,
    ErrorCode.FORBIDDEN.name: 403,
    ErrorCode.UNKNOWN_ID.name: 404,
    ErrorCode.NOT_FOLDED.name: 404,
    ErrorCode.INTERNAL.name: 500,
    ErrorCode.NOT_YET_PROJECTED.name: 503,
}
"""The status of a page whose document has an error of this code; others are a fault of its address: 400."""


class NoPage(Exception):
    """A page that cannot be shown: its status, and the sentence that says why."""

    form: str | None = None
    """The path of the page whose form was refused, and which can send it again."""

    def __init__(self, status: int, message: str = "", *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after


class Asking(Struct, frozen=True):
    """Executes documents. Every page reads and writes the league through this, and by no other way."""

    schema: LeagueSchema
    new_context: NewContext

    def context(self, request: Request, visitor: Visitor) -> Context:
        """The context of the visitor's documents."""
        context = self.new_context(request.scope["state"]["request_id"])
        context.address, context.session = address_of(request), visitor.session
        if context.client is not None:
            context.rate_limits.check(context.client)
        return context

    async def ask(
        self, request: Request, visitor: Visitor, document: str, variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The data of a query or a mutation. Raises NoPage for each error outside the data."""
        context = self.context(request, visitor)
        result = await self.schema.execute(document, variable_values=dict(variables), context_value=context)
        request.state.answered = [*getattr(request.state, "answered", ()), context.answered]
        if result.errors:
            error = result.errors[0]
            extensions = error.extensions or {}
            status = STATUSES.get(extensions.get("code", ""), 400)
            raise NoPage(status, error.message, retry_after=extensions.get("retryAfter"))
        assert result.data is not None, "it has no errors"
        return result.data


@cache
def document_in(file: Path) -> str:
    """The text of a document. It is read once."""
    return file.read_text(encoding="utf-8")


Variables = Callable[[Request], Mapping[str, Any]]
"""The variables of a document, made from the address of the page. Raises NoPage for an impossible address."""
