"""Queues on Redis: a consumer looks soon after a wake, rarely while nothing happens, and misses no message."""

from __future__ import annotations

import threading
from typing import cast

from dramatiq import Consumer
from dramatiq.broker import MessageProxy
from waiting import LIMIT

from league.application.redis_queue import LONGEST_PAUSE, QueueAlarm, RestingConsumer

MESSAGE = cast("MessageProxy", object())


class Queue(Consumer):
    """A queue of which the test says what is in it."""

    def __init__(self) -> None:
        self.looks, self.messages, self.removed = 0, list[MessageProxy](), list[MessageProxy]()

    def __next__(self) -> MessageProxy | None:
        self.looks += 1
        return self.messages.pop() if self.messages else None

    def ack(self, message: MessageProxy) -> None:
        """Remove it."""
        self.removed.append(message)


class NoWait(QueueAlarm):
    """An alarm that notes how long it is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waited = list[float]()

    def wait(self, seen: int, seconds: float) -> int:
        """Do not wait."""
        self.waited.append(seconds)
        return super().wait(seen, 0)


def test_pauses_grow_until_a_wake_or_a_message() -> None:
    """Up to a limit. After either of them the first pause is short."""
    queue, alarm = Queue(), NoWait()
    consumer = RestingConsumer(queue, alarm)
    for _ in range(15):
        assert next(consumer) is None
    assert alarm.waited[:3] == [0.01, 0.02, 0.04]
    assert alarm.waited[-1] == LONGEST_PAUSE
    alarm.wake()
    assert [next(consumer) for _ in range(2)] == [None, None]
    assert alarm.waited[-1] == 0.01
    for _ in range(15):
        next(consumer)
    queue.messages.append(MESSAGE)
    assert next(consumer) is MESSAGE
    assert next(consumer) is None
    assert alarm.waited[-1] == 0.01


def test_a_wake_during_a_look_is_not_missed() -> None:
    """The look may have come before the message."""
    queue, alarm = Queue(), QueueAlarm()
    consumer = RestingConsumer(queue, alarm)
    alarm.wake()
    consumer._pause = 100 * LIMIT
    assert next(consumer) is None


def test_a_resting_consumer_wakes_when_another_message_ends_and_when_the_process_does() -> None:
    """There may be room for the next message; and nobody waits for a consumer that rests."""
    queue, alarm = Queue(), QueueAlarm()
    consumer = RestingConsumer(queue, alarm)
    consumer._pause = 100 * LIMIT
    for wake in (lambda: consumer.ack(MESSAGE), alarm.end):
        resting = threading.Thread(target=next, args=(consumer,))
        resting.start()
        wake()
        resting.join(LIMIT)
        assert not resting.is_alive()
        consumer._pause = 100 * LIMIT
    assert queue.removed == [MESSAGE]
