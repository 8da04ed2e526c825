"""Open sessions are ended one by one: those whose token has expired, and those whose token was revoked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection
from datetime import UTC, datetime
from typing import cast

import pytest
from waiting import LIMIT

from league.api.auth.permissions import Viewer
from league.api.auth.tokens import Tokens, TokenSession
from league.api.auth.web_sessions import WebSessions
from league.api.graphql.live import open_sessions
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
    sessions = OpenSessions(cast(Tokens, database), cast(WebSessions, None))
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
