"""Visitors, their sessions, and the execution of documents for them, as the API executes documents."""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from league.api.auth.permissions import PERMISSIONS, Viewer
from league.api.auth.tokens import TokenSession
from league.api.auth.web_sessions import WebSessions, cookie_name
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.operations import LeagueSchema
from league.api.graphql.request_errors import ErrorCode
from league.api.graphql.threads import in_checking_thread
from league.api.server.endpoints import NewContext, address_of
from league.console.named_ids import name_ids
from league.domain.sentences import LANGUAGES, Language
from league.wording.language import language

LANGUAGE_COOKIE = "language"


class Visitor(Struct, frozen=True):
    """The visitor of a page."""

    session: TokenSession = TokenSession()
    language: Language = "en"

    @property
    def viewer(self) -> Viewer:
        """The rights with which the documents of their pages are executed."""
        return self.session.viewer

    @property
    def is_signed_in(self) -> bool:
        """Whether they have a session."""
        return self.viewer.sub is not None

    def may(self, operation: str) -> bool:
        """Whether they may do this to any player or match. `operation` is a key of PERMISSIONS."""
        return self.viewer.may(operation)

    def may_own(self, operation: str) -> bool:
        """Whether they may do this at least to their own player or matches."""
        return operation in PERMISSIONS and self.viewer.reach(operation) is not None


def chosen_language(request: Request) -> Language:
    """The language that the visitor chose on a page, or that of a shared link, or the one that their browser prefers.

    A shared link names the language of whoever shares it: a chat that shows a preview of the link prefers none.
    """
    wanted = (request.cookies.get(LANGUAGE_COOKIE), request.query_params.get(LANGUAGE_COOKIE))
    return next((one for asked in wanted for one in LANGUAGES if one == asked), language())


SessionOf = Callable[[Request], Awaitable[TokenSession]]
"""Reads the session of a request. Without a cookie, or with one that has expired, the session is anonymous."""


class SessionCookie(Struct, frozen=True):
    """The cookie of a signed-in visitor. Browsers send it to this host only, and never with a form of another site."""

    sessions: WebSessions
    secure: bool
    """Whether browsers reach the league over TLS only."""

    @property
    def name(self) -> str:
        """The name of the cookie."""
        return cookie_name(secure=self.secure)

    async def session_of(self, request: Request) -> TokenSession:
        """The session of a request."""
        value = request.cookies.get(self.name)
        found = await in_checking_thread(self.sessions.signed_in, value) if value else None
        return TokenSession() if found is None else found.session

    async def set_on(self, response: Response, value: str) -> None:
        """Give a browser the cookie of a session that has begun."""
        found = await in_checking_thread(self.sessions.signed_in, value)
        if found is None or found.session.expires_at is None:
            return  # the session was ended at this very moment
        seconds = int((found.session.expires_at - datetime.now(UTC)).total_seconds())
        response.set_cookie(self.name, value, max_age=seconds, secure=self.secure, httponly=True, samesite="lax")

    def remove_from(self, response: Response) -> None:
        """Take the cookie from a browser."""
        response.delete_cookie(self.name, secure=self.secure, httponly=True, samesite="lax")


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
"""The status of a page by the code of its document's error. Other codes mean a wrong address: 400."""


class NoPage(Exception):
    """Raised if a page cannot be shown: its status, and a sentence that says why."""

    form: str | None = None
    """The path of the page whose form was refused, and from which it can be sent again; otherwise None."""
    there: str | None = None
    """A document whose data the page of the refusal shows, such as what there is instead; otherwise None."""

    def __init__(self, status: int, message: str = "", *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after


class DocumentExecutor(Struct, frozen=True):
    """Executes documents. Every page reads and writes the league through this, and in no other way."""

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
        """The data of a query or a mutation. Refusals name what they are about. Raises NoPage for other errors."""
        data = await self._data(request, visitor, document, variables)
        if "message" in document:
            with suppress(NoPage):  # without names, ids stay
                await name_ids(data, partial(self._data, request, visitor))
        return data

    async def _data(
        self, request: Request, visitor: Visitor, document: str, variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        context = self.context(request, visitor)
        result = await self.schema.execute(document, variable_values=dict(variables), context_value=context)
        request.state.answered = [*getattr(request.state, "answered", ()), context.answered]
        request.state.has_read = [*getattr(request.state, "has_read", ()), context.has_read]
        if result.errors:
            error = result.errors[0]
            extensions = error.extensions or {}
            status = STATUSES.get(extensions.get("code", ""), 400)
            raise NoPage(status, error.message, retry_after=extensions.get("retryAfter"))
        assert result.data is not None, "it has no errors"
        return result.data


Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Executes a document with variables for a visitor, and returns its data. Raises NoPage."""
Completes = Callable[[Ask, Mapping[str, Any], dict[str, Any], Visitor], Awaitable[None]]
"""Adds to the data of a document, which was executed with these variables, what depends on it or on the visitor."""


_IMPORT = re.compile(r'^#import "(.+)"$', re.MULTILINE)
"""Names a file beside a document, with fragments that several documents use, as loaders of GraphQL in clients do."""


@cache
def document_in(file: Path) -> str:
    """The text of a document, with the fragments that it imports. Each file is read once."""
    return _IMPORT.sub(lambda found: document_in(file.parent / found[1]), file.read_text(encoding="utf-8"))


Variables = Callable[[Request], Mapping[str, Any]]
"""The variables of a document, made from the address of the page. Raises NoPage for an impossible address."""
