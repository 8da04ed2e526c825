"""Open sockets and streams: they end at once when their rights change; one socket runs few operations at a time.

Every process hears of changes of rights and of events of live tables on one connection, in the order of the commits.
Before it sends an event it carries out the earlier changes of rights.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from league.api.auth.tokens import REVOKED, Tokens, TokenSession
from league.api.auth.web_sessions import WebSessions
from league.api.graphql.live.listening import Live
from league.api.graphql.threads import in_checking_thread
from league.domain.sentences import say
from league.infra.outages import outages

EVERY = 2.0
"""Seconds between two looks for expired tokens, and between two checks of all open sessions while this process does not
hear of changes. A check takes two statements for any number of sessions."""
EXPIRED = say("the token has expired")
CHANGED = say("the session has ended, or has other rights now")


MOST_UNREVOKED = 10_000
"""Limit on the checked tokens that a process remembers."""
AT_ONCE = 4
"""Limit on queries and mutations of one socket at the same time, from reading the document to sending the answer."""

log = structlog.get_logger()


class OpenSessions:
    """The sessions of all sockets and streams of this process."""

    def __init__(self, tokens: Tokens, web_sessions: WebSessions, live: Live) -> None:
        """`live` hears of changes of rights."""
        self._tokens, self._web_sessions, self._live = tokens, web_sessions, live
        live.on_rights(self.rights_changed)
        self._unrevoked: set[str] = set()
        """Ids of tokens that were not revoked when they were checked, since the last change of rights."""
        self._open: dict[asyncio.Future[str], TokenSession] = {}
        self.changes = 0
        """Number of changes of rights that this process has heard of."""
        self._settled = 0
        """Number of the last change that was carried out."""
        self._heard, self._checked = asyncio.Event(), asyncio.Event()

    async def session(self, token: str) -> TokenSession:
        """The session of a token. Raises BadToken.

        The database is asked whether the token is revoked once, and again after each change of rights; each time while
        this process does not hear of changes.
        """
        changes, unrevoked = self.changes, self._unrevoked if self._live.is_listening else ()
        session = await in_checking_thread(self._tokens.session, token, unrevoked)
        if session.viewer.jti is not None and self._live.is_listening and changes == self.changes:
            if len(self._unrevoked) >= MOST_UNREVOKED:
                self._unrevoked.clear()
            self._unrevoked.add(session.viewer.jti)
        return session

    @contextmanager
    def opened(self, session: TokenSession) -> Iterator[asyncio.Future[str]]:
        """A future that gets the reason when the session ends or has other rights. An anonymous session never ends."""
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        if session.viewer.sub is not None:
            self._open[ended] = session
        try:
            yield ended
        finally:
            self._open.pop(ended, None)

    def rights_changed(self) -> None:
        """Somebody may have other rights than before."""
        self.changes += 1
        self._unrevoked.clear()
        self._heard.set()

    async def settled(self) -> None:
        """Wait until every change that this process has heard of is carried out."""
        while self._settled < self.changes:
            await self._checked.wait()

    async def watch(self) -> None:
        """Check all sessions when rights change, until cancelled. Repeated while it fails, or hears of no changes."""
        # Two tasks: a token expires also while the database does not answer.
        async with asyncio.TaskGroup() as looking:
            looking.create_task(self._watch_expiry())
            looking.create_task(self._watch_rights())

    async def _watch_expiry(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            self._end_expired()

    async def _watch_rights(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY):
                    await self._heard.wait()
            is_settled = self._settled == self.changes  # no check after a change has failed
            if self._live.is_listening and is_settled and not self._heard.is_set():
                continue
            self._heard.clear()
            self._unrevoked.clear()
            changes = self.changes
            try:
                await self._end_changed()
            except SQLAlchemyError as error:
                if not outages.note(error):
                    log.exception("open_sessions_unchecked")
                continue
            self._settled = changes
            checked, self._checked = self._checked, asyncio.Event()
            checked.set()

    def _end_expired(self) -> None:
        for ended, session in self._open.items():
            if has_expired(session) and not ended.done():
                ended.set_result(EXPIRED)

    async def _end_changed(self) -> None:
        asked = [(ended, session) for ended, session in self._open.items() if session.viewer.jti is not None]
        tokens = {session.viewer.jti for _, session in asked if session.token is not None and session.viewer.jti}
        browsers = {session.viewer.jti for _, session in asked if session.token is None and session.viewer.jti}
        revoked = await in_checking_thread(self._tokens.revoked, tokens) if tokens else set()
        viewers = await in_checking_thread(self._web_sessions.viewers, browsers) if browsers else {}
        for ended, session in asked:
            if ended.done():
                continue
            jti = session.viewer.jti or ""
            if jti in revoked:
                ended.set_result(REVOKED)
            elif jti in browsers and viewers.get(jti) != session.viewer:
                ended.set_result(CHANGED)


def has_expired(session: TokenSession) -> bool:
    """Whether the token has expired by this machine's clock.

    Requests get some leeway for clocks that differ. Sockets and streams get none: a client whose socket is closed
    would open it again at once.
    """
    return session.expires_at is not None and session.expires_at <= datetime.now(UTC)


class SocketSlots(SchemaExtension):
    """An operation on a socket waits for a slot and holds it until its answer has been sent."""

    _slots: asyncio.Semaphore | None = None

    async def on_operation(self) -> AsyncIterator[None]:
        """Around everything."""
        slots: asyncio.Semaphore | None = self.execution_context.context.slots
        if slots is not None:
            await slots.acquire()
            self._slots = slots
        try:
            yield
        finally:
            self._release()

    def on_execute(self) -> Iterator[None]:
        """Release the slot of a subscription, which lasts: a client that does not read delays only its next event."""
        if self.execution_context.operation_type is OperationType.SUBSCRIPTION:
            self._release()
        yield

    def _release(self) -> None:
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.release()
