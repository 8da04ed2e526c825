"""Ends what outlives its token: sockets and streams, within seconds of the token's expiry or revocation."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from league.api.auth.tokens import REVOKED, Session, Tokens
from league.api.graphql.threads import in_checking_thread
from league.domain.sentences import say

EVERY = 2.0
"""Seconds between two looks at all open sessions; revocations take one statement each time, however many there are."""
EXPIRED = say("the token has expired")

log = structlog.get_logger()


class OpenSessions:
    """The sessions of all sockets and streams of this process."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._open: dict[asyncio.Future[str], Session] = {}

    @contextmanager
    def opened(self, session: Session) -> Iterator[asyncio.Future[str]]:
        """A future that gets the reason when the session's token ends. A session without a token has no end."""
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        if session.token is not None:
            self._open[ended] = session
        try:
            yield ended
        finally:
            self._open.pop(ended, None)

    async def watch(self) -> None:
        """Look at all sessions again and again, until cancelled."""
        # Two tasks: a token expires also while the database does not answer.
        async with asyncio.TaskGroup() as looking:
            looking.create_task(self._watch_expiry())
            looking.create_task(self._watch_revocations())

    async def _watch_expiry(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            self._end_expired()

    async def _watch_revocations(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self._end_revoked()
            except SQLAlchemyError as error:
                log.warning("the revoked tokens cannot be read", error=type(error).__name__)

    def _end_expired(self) -> None:
        for ended, session in self._open.items():
            if has_expired(session) and not ended.done():
                ended.set_result(EXPIRED)

    async def _end_revoked(self) -> None:
        jtis = {session.viewer.jti for session in self._open.values() if session.viewer.jti is not None}
        revoked = await in_checking_thread(self._tokens.revoked, jtis) if jtis else set()
        for ended, session in self._open.items():
            if session.viewer.jti in revoked and not ended.done():
                ended.set_result(REVOKED)


def has_expired(session: Session) -> bool:
    """Whether the token has expired by this machine's clock.

    Requests get some leeway for clocks that differ. Sockets and streams get none: a client whose socket is closed
    would open it again at once.
    """
    return session.expires_at is not None and session.expires_at <= datetime.now(UTC)
