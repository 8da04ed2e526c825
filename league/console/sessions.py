"""The session of a request: read from its cookie."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request

from league.api.auth.tokens import Session

SessionOf = Callable[[Request], Awaitable[Session]]
"""Reads the session of a request; one without a cookie, or with one that has expired, is anonymous."""


async def anonymous(_request: Request) -> Session:
    """The session of a visitor who has not signed in."""
    return Session()
