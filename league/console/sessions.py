"""The session of a request: read from its cookie."""

from collections.abc import Awaitable, Callable

from sqlalchemy import Engine
from starlette.requests import Request

from league.api.auth.tokens import Session
from league.api.auth.web_sessions import WebSessions, cookie_name
from league.api.graphql.threads import in_checking_thread

SessionOf = Callable[[Request], Awaitable[Session]]
"""Reads the session of a request; one without a cookie, or with one that has expired, is anonymous."""


def by_cookie(engine: Engine) -> SessionOf:
    """Reads sessions from the cookies that browsers have been given."""
    sessions = WebSessions(engine)

    async def session_of(request: Request) -> Session:
        cookie = request.cookies.get(cookie_name(secure=True)) or request.cookies.get(cookie_name(secure=False))
        signed_in = None if cookie is None else await in_checking_thread(sessions.signed_in, cookie)
        return Session() if signed_in is None else signed_in.session

    return session_of
