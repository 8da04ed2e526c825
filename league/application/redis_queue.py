"""Queues on Redis that are asked rarely while nothing happens.

dramatiq asks Redis for messages two or three times a second, for each of its queues. Here it asks soon after a wake,
then after pauses that grow. The sender of a message stores its row first, and the database announces the row. The
announcement wakes the queues. A message without an announcement is found at the next look.
"""

import threading
from collections.abc import Iterable
from typing import Any

from dramatiq import Consumer, Message
from dramatiq.broker import MessageProxy
from dramatiq.brokers.redis import RedisBroker

SHORTEST_PAUSE = 0.01
LONGEST_PAUSE = 20.0
"""Longest pause in seconds between two looks. dramatiq takes a worker that does not look for a minute for dead."""
INNER_PAUSE = 1
"""Milliseconds that dramatiq waits itself."""


MAINTENANCE_CHANCE = 50_000
"""How many commands out of a million let Redis give back the messages of workers that have died. A resting worker sends
about 30 commands a minute, so with dramatiq's own chance of 1,000 these messages would wait for half an hour."""


class QueueAlarm:
    """Wakes the consumers of a process. Safe to share between threads."""

    def __init__(self) -> None:
        self._changed, self._wakes, self._has_ended = threading.Condition(), 0, False

    def wake(self) -> None:
        """Let all consumers look for messages."""
        with self._changed:
            self._wakes += 1
            self._changed.notify_all()

    def end(self) -> None:
        """Let no consumer wait any more, since the process stops."""
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def wait(self, seen: int, seconds: float) -> int:
        """Wait for a wake after the `seen` ones, at most some seconds. Returns how many there were."""
        with self._changed:
            self._changed.wait_for(lambda: self._wakes != seen or self._has_ended, seconds)
            return self._wakes


class RestingConsumer(Consumer):
    """A consumer that looks for messages after a wake, and then after pauses that grow."""

    def __init__(self, consumer: Consumer, alarm: QueueAlarm) -> None:
        self._consumer, self._alarm = consumer, alarm
        self._seen, self._pause = 0, SHORTEST_PAUSE

    def __next__(self) -> MessageProxy | None:
        """The next message; None if there is none after a pause."""
        message = next(self._consumer)
        if message is not None:
            self._pause = SHORTEST_PAUSE
            return message
        seen, self._seen = self._seen, self._alarm.wait(self._seen, self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE) if seen == self._seen else SHORTEST_PAUSE
        return None

    def ack(self, message: MessageProxy) -> None:
        """Remove a message that was processed, and look again: the queue may take another one."""
        self._consumer.ack(message)
        self._alarm.wake()

    def nack(self, message: MessageProxy) -> None:
        """Set a message aside, and look again: the queue may take another one."""
        self._consumer.nack(message)
        self._alarm.wake()

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        """Give messages back."""
        self._consumer.requeue(messages)

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()


class RestingBroker(RedisBroker):
    """A broker whose consumers rest."""

    def __init__(self, alarm: QueueAlarm, **settings: Any) -> None:
        super().__init__(maintenance_chance=MAINTENANCE_CHANCE, **settings)  # type: ignore[no-untyped-call]  # dramatiq does not type it
        self._alarm = alarm

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = INNER_PAUSE) -> Consumer:
        """A consumer of a queue. It waits as described above, not for `timeout`."""
        return RestingConsumer(super().consume(queue_name, prefetch, min(timeout, INNER_PAUSE)), self._alarm)

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Send a message. Consumers of this process look for it."""
        sent = super().enqueue(message, delay=delay)
        self._alarm.wake()
        return sent
