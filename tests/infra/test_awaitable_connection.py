"""Questions that are asked on the event loop."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from databases import MIGRATED, copy_of

from league.api.graphql.threads import without_thread
from league.infra.database import connect, on_event_loop

SOON = "SET statement_timeout = '20s'"
"""A question that is never answered fails, rather than that it stops the tests."""


def test_other_tasks_go_on_while_a_question_waits_for_its_answer(embedded_server: str) -> None:
    """The answer waits for a lock, which another task releases after the question was asked."""
    with copy_of(embedded_server, MIGRATED) as url, connect(url) as asking, connect(url) as holding:
        asking.execute(SOON)
        holding.execute("SELECT pg_advisory_lock(1)")

        async def ask_and_release() -> list[object]:
            question = on_event_loop(lambda: asking.execute("SELECT pg_advisory_lock(1), 'asked'").fetchone())
            await asyncio.sleep(0)
            released = on_event_loop(lambda: holding.execute("SELECT pg_advisory_unlock(1)").fetchone())
            return [await question, await released]

        assert asyncio.run(ask_and_release()) == [("", "asked"), (True,)]


def test_who_is_cancelled_waits_for_the_answer(embedded_server: str) -> None:
    """The connection is then free for the next task."""
    with copy_of(embedded_server, MIGRATED) as url, connect(url) as asking, connect(url) as holding:
        asking.execute(SOON)
        holding.execute("SELECT pg_advisory_lock(1)")

        async def ask_and_cancel() -> None:
            waiting = asyncio.create_task(without_thread(lambda: asking.execute("SELECT pg_advisory_lock(1)")))
            await asyncio.sleep(0)
            waiting.cancel()
            await on_event_loop(lambda: holding.execute("SELECT pg_advisory_unlock(1)"))
            with pytest.raises(asyncio.CancelledError):
                await waiting

        asyncio.run(ask_and_cancel())
        assert asking.execute("SELECT 1").fetchone() == (1,)


def test_an_error_of_the_server_is_raised(embedded_server: str) -> None:
    """It is raised as by a connection that is used in a thread."""
    with copy_of(embedded_server, MIGRATED) as url, connect(url) as connection:

        async def ask() -> None:
            await on_event_loop(lambda: connection.execute("SELECT 1 / 0"))

        with pytest.raises(psycopg.errors.DivisionByZero):
            asyncio.run(ask())
