"""Open sessions are ended one by one: those whose token has expired, and those whose token was revoked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection
from datetime import UTC, datetime
from typing import cast

import pytest
from sqlalchemy.exc import SQLAlchemyError
from waiting import LIMIT

from league.api.auth.permissions import Viewer
from league.api.auth.tokens import REVOKED, BadToken, Tokens, TokenSession
from league.api.auth.web_sessions import WebSessions
from league.api.graphql.live import open_sessions
from league.api.graphql.live.listening import Live
from league.api.graphql.live.open_sessions import EXPIRED, OpenSessions


class SilentDatabase:
    """Answers no question about revoked tokens until the test is over."""

    def __init__(self) -> None:
        self.asked, self.over = threading.Event(), threading.Event()

    def revoked(self, _: Collection[str]) -> set[str]:
        self.asked.set()
        assert self.over.wait(LIMIT)
        return set()


def test_a_token_expires_while_the_database_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this machine's clock is needed for it."""
    monkeypatch.setattr(open_sessions, "EVERY", 0.0)
    database = SilentDatabase()
    sessions = OpenSessions(cast(Tokens, database), cast(WebSessions, None), Live(""))
    lasting = TokenSession(Viewer("ana", jti="1"), None, "a token")
    expired = TokenSession(Viewer("bea"), datetime(2026, 1, 1, tzinfo=UTC), "a token")

    async def watched() -> str:
        watch = asyncio.create_task(sessions.watch())
        try:
            with sessions.opened(lasting):
                assert await asyncio.to_thread(database.asked.wait, LIMIT)
                with sessions.opened(expired) as ended:
                    return await asyncio.wait_for(ended, LIMIT)
        finally:
            database.over.set()
            watch.cancel()

    assert asyncio.run(watched()) == EXPIRED


class FakeTokens:
    """A token that is not revoked until the test says so, and what is asked about it."""

    def __init__(self) -> None:
        self.asked, self.checks, self.is_revoked, self.meanwhile = 0, 0, False, lambda: None
        self.failures = 0

    def session(self, token: str, unrevoked: Collection[str]) -> TokenSession:
        if token not in unrevoked:
            self.asked += 1
            is_revoked = self.is_revoked
            self.meanwhile()
            if is_revoked:
                raise BadToken(REVOKED)
        return TokenSession(Viewer("ana", jti=token), None, token)

    def revoked(self, _: Collection[str]) -> set[str]:
        self.checks += 1
        if self.failures:
            self.failures -= 1
            raise SQLAlchemyError
        return {"1"} if self.is_revoked else set()


class Hearing(Live):
    """Hears of changes of rights, or not, as the test says."""

    is_listening = True


def checked_sessions() -> tuple[FakeTokens, Hearing, OpenSessions]:
    """Sessions whose tokens the test revokes."""
    tokens, live = FakeTokens(), Hearing("")
    return tokens, live, OpenSessions(cast(Tokens, tokens), cast(WebSessions, None), live)


def test_a_token_is_looked_up_once_until_rights_change() -> None:
    """Then again, and a revoked one is refused."""
    tokens, _, sessions = checked_sessions()

    async def asked() -> None:
        for _ in range(3):
            assert (await sessions.session("1")).viewer.sub == "ana"
        assert tokens.asked == 1
        tokens.is_revoked = True
        sessions.rights_changed()
        with pytest.raises(BadToken):
            await sessions.session("1")

    asyncio.run(asked())


def test_a_token_that_is_revoked_while_it_is_looked_up_is_looked_up_again() -> None:
    """The first answer is older than the change."""
    tokens, _, sessions = checked_sessions()
    tokens.meanwhile = sessions.rights_changed

    async def asked() -> None:
        await sessions.session("1")
        tokens.is_revoked = True
        with pytest.raises(BadToken):
            await sessions.session("1")

    asyncio.run(asked())


def test_a_token_is_looked_up_each_time_while_nothing_is_heard() -> None:
    """A change could not be heard of."""
    tokens, live, sessions = checked_sessions()

    async def asked() -> None:
        await sessions.session("1")
        live.is_listening = False
        await sessions.session("1")
        await sessions.session("1")

    asyncio.run(asked())
    assert tokens.asked == 3


def test_open_sessions_are_checked_again_and_again_only_while_nothing_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """While this process hears of changes, it asks the database only after one."""
    monkeypatch.setattr(open_sessions, "EVERY", 0.0)
    tokens, live, sessions = checked_sessions()

    async def more_checks(after: int) -> None:
        async with asyncio.timeout(LIMIT):
            while tokens.checks <= after:  # noqa: ASYNC110  # it counts
                await asyncio.sleep(0)

    async def watched() -> None:
        with sessions.opened(await sessions.session("1")):
            watch = asyncio.create_task(sessions.watch())
            live.is_listening = False
            await more_checks(after=2)
            live.is_listening = True
            sessions.rights_changed()
            await sessions.settled()
            checks = tokens.checks
            await asyncio.sleep(0.05)
            assert tokens.checks == checks
            sessions.rights_changed()
            await sessions.settled()
            assert tokens.checks > checks
            watch.cancel()

    asyncio.run(watched())


def test_a_check_that_failed_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though nothing else is heard: whoever lost rights must not keep an open socket."""
    monkeypatch.setattr(open_sessions, "EVERY", 0.0)
    tokens, _, sessions = checked_sessions()

    async def watched() -> str:
        with sessions.opened(await sessions.session("1")) as ended:
            tokens.failures, tokens.is_revoked = 1, True
            sessions.rights_changed()
            watch = asyncio.create_task(sessions.watch())
            try:
                async with asyncio.timeout(LIMIT):
                    await sessions.settled()
                    return await ended
            finally:
                watch.cancel()

    assert asyncio.run(watched()) == REVOKED
    assert tokens.checks == 2
