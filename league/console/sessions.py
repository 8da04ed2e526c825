"""The session of a request: read from its cookie."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from league.api.auth.tokens import Session
from league.api.auth.web_sessions import WebSessions, cookie_name
from league.api.graphql.threads import in_checking_thread

SessionOf = Callable[[Request], Awaitable[Session]]
"""Reads the session of a request; one without a cookie, or with one that has expired, is anonymous."""


class SessionCookie(Struct, frozen=True):
    """The cookie of those who are signed in. Browsers send it to this host only, and never with the posts of others."""

    sessions: WebSessions
    secure: bool
    """Whether browsers find the league over TLS only."""

    @property
    def name(self) -> str:
        """The name of the cookie."""
        return cookie_name(secure=self.secure)

    async def session_of(self, request: Request) -> Session:
        """The session of a request."""
        value = request.cookies.get(self.name)
        found = await in_checking_thread(self.sessions.signed_in, value) if value else None
        return Session() if found is None else found.session

    async def set_on(self, response: Response, value: str) -> None:
        """Give a browser the cookie of a session that has begun."""
        found = await in_checking_thread(self.sessions.signed_in, value)
        if found is None or found.session.expires_at is None:
            return  # it was taken back at this very moment
        seconds = int((found.session.expires_at - datetime.now(UTC)).total_seconds())
        response.set_cookie(self.name, value, max_age=seconds, secure=self.secure, httponly=True, samesite="lax")

    def remove_from(self, response: Response) -> None:
        """Take the cookie from a browser."""
        response.delete_cookie(self.name, secure=self.secure, httponly=True, samesite="lax")
