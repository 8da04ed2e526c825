"""Per-match locks: many people record hands of one match at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from leagues import domino, opened, send
from waiting import LIMIT

from league.api.graphql.executing.context import MatchLocks
from league.api.graphql.threads import in_writing_thread
from league.application import dispatch, storing
from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher
from league.domain.match import RecordHand

HANDS = 120


@pytest.mark.heavy
def test_of_many_hands_at_once_on_one_match_none_is_refused(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of one process run one at a time; another process, which has its own locks, decides again for a while.

    So an attempt fails only when a hand of the other process was stored meanwhile: two attempts for each hand, at most.
    """
    send(league, opened("m1", ("ana", "bea"), 0))
    attempts = list[None]()

    def counted(attempt: Callable[[], int], *, once: bool = False) -> int:
        def count() -> int:
            attempts.append(None)
            return attempt()

        return storing.retried(count, once=once)

    monkeypatch.setattr(dispatch, "retried", counted)
    monkeypatch.setattr(storing, "PATIENCE", LIMIT)  # a machine that is busy takes long for each attempt

    async def record(turns: MatchLocks, dispatcher: Dispatcher) -> int:
        async with turns.of("m1"):
            return await in_writing_thread(dispatcher.send, RecordHand("m1", domino(0, 0, 1)), "clerk")

    async def all_at_once() -> None:
        processes = [(MatchLocks(), Dispatcher(league.store, clock)) for _ in range(2)]
        await asyncio.gather(*(record(*processes[n % 2]) for n in range(HANDS)))

    asyncio.run(all_at_once())
    recorded = [event.event.hand for event in league.store.load("match:m1") if event.name == "hand-recorded/1"]
    assert recorded == list(range(1, HANDS + 1))
    assert len(attempts) <= 2 * HANDS


def test_locks_are_taken_in_the_order_in_which_they_were_asked_for() -> None:
    """Each waits for the one before it, other matches do not, and nothing is left behind."""
    turns, order = MatchLocks(), list[int]()

    async def take(number: int) -> None:
        async with turns.of("m1"):
            order.append(number)

    async def one_after_the_other() -> None:
        async with turns.of("m1"):
            waiting = [asyncio.create_task(take(number)) for number in range(5)]
            await asyncio.sleep(0)
            async with turns.of("m2"):
                assert order == []
        await asyncio.gather(*waiting)

    asyncio.run(one_after_the_other())
    assert order == [0, 1, 2, 3, 4]
    assert len(turns._locks) == 0
