"""Files that were sent to a server wait for their decoding: how many, how long, and who comes first."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

import pytest

from league.infra import decoders
from league.infra.decoders import ClientLeft, Decoders, DecodersBusy
from league.infra.decoding import DecodingLimits, DecodingTask, PackedAnswer, TookTooLong

FILE = DecodingTask("decodings:turned", b"abc")


class Held:
    """In place of a process: it answers when the test lets it."""

    at_work: ClassVar[list[Held]] = []

    def __init__(self, _function: str) -> None:
        self.may_end, self.was_killed, self.has_ended = threading.Event(), False, False

    def answer(self, work: DecodingTask, limits: DecodingLimits, _most: int) -> PackedAnswer:
        self.content = work.content
        Held.at_work.append(self)
        self.may_end.wait(30)
        Held.at_work.remove(self)
        self.has_ended = True
        if self.was_killed:
            raise TookTooLong(limits.seconds)
        return PackedAnswer(b"")

    def kill(self) -> None:
        self.was_killed = True
        self.may_end.set()

    close = kill


MADE: list[Decoders] = []
"""The decoders of the test that runs."""


def made(**limits: int) -> Decoders:
    """Decoders that are closed when the test ends."""
    MADE.append(Decoders(**limits))
    return MADE[-1]


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(decoders, "DecodingProcess", Held)
    Held.at_work.clear()
    yield
    for process in [*Held.at_work]:
        process.kill()
    # A thread that prepares the next process later than this would start a real one, which nobody ends.
    while MADE:
        some = MADE.pop()
        some.close()
        some._threads.shutdown()


class Sender:
    """Somebody who sends files, and may leave."""

    def __init__(self, decoders: Decoders, name: str = "ana") -> None:
        self._decoders, self._name, self.left = decoders, name, asyncio.Event()

    async def sends(self, size: int = 10) -> PackedAnswer:
        with self._decoders.admit(self._name, size, self.left.wait) as place:
            return await self._decoders.answer(FILE, place)


async def until_at_work(count: int) -> None:
    while len(Held.at_work) != count:  # noqa: ASYNC110  # threads change it
        await asyncio.sleep(0.005)


async def ended(*tasks: asyncio.Task[PackedAnswer]) -> list[type]:
    """The outcome of each task: the type of its result or exception."""
    while not all(task.done() for task in tasks):
        for process in [*Held.at_work]:
            process.may_end.set()
        await asyncio.sleep(0.005)
    return [type(found) for found in await asyncio.gather(*tasks, return_exceptions=True)]


def test_two_are_decoded_at_once_and_the_others_wait() -> None:
    """Each comes to its turn."""

    async def run() -> None:
        some = made()
        tasks = [asyncio.create_task(Sender(some).sends()) for _ in range(5)]
        await until_at_work(2)
        await asyncio.sleep(0.05)
        assert len(Held.at_work) == 2
        assert await ended(*tasks) == [PackedAnswer] * 5

    asyncio.run(run())


def test_beyond_so_many_files_or_bytes_nothing_waits() -> None:
    """A file that finds no room is refused at once; those at work do not count, and one that ends makes room."""

    async def run() -> None:
        some = made(most_files=2, most_bytes=100)
        tasks = [asyncio.create_task(Sender(some).sends(40)) for _ in range(2)]
        await until_at_work(2)
        tasks += [asyncio.create_task(Sender(some).sends(40)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(DecodersBusy):  # a third file
            await Sender(some).sends(1)
        assert await ended(*tasks) == [PackedAnswer] * 4
        with some.admit("ana", 90, asyncio.Event().wait):
            with pytest.raises(DecodersBusy):  # too many bytes
                await Sender(some).sends(11)
            some.check_room(10)
        with some.admit("ana", 1000, asyncio.Event().wait):
            pass  # a file that is larger than all may be waits alone

    asyncio.run(run())


def test_a_file_whose_client_leaves_waits_no_longer() -> None:
    """Its place is free at once; one that is at work goes on."""

    async def run() -> None:
        some = made(at_once=1, most_files=1)
        working, waiting = Sender(some), Sender(some)
        first = asyncio.create_task(working.sends())
        await until_at_work(1)
        second = asyncio.create_task(waiting.sends())
        await asyncio.sleep(0.01)
        with pytest.raises(DecodersBusy):
            some.check_room(1)
        waiting.left.set()
        working.left.set()
        with pytest.raises(ClientLeft):
            await second
        some.check_room(1)
        assert await ended(first) == [PackedAnswer]

    asyncio.run(run())


def test_a_process_that_is_made_for_a_cancelled_request_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would end it otherwise."""
    may_be_made, begun = threading.Event(), list[Held]()

    class Slow(Held):
        def __init__(self, function: str) -> None:
            super().__init__(function)
            begun.append(self)
            may_be_made.wait(30)

    monkeypatch.setattr(decoders, "DecodingProcess", Slow)

    async def run() -> None:
        some = made()
        task = asyncio.create_task(Sender(some).sends())
        while not begun:  # noqa: ASYNC110  # a thread changes it
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not begun[0].was_killed
        may_be_made.set()
        some._threads.shutdown()
        assert begun[0].was_killed

    asyncio.run(run())


def test_a_sender_of_many_files_lets_others_pass() -> None:
    """A free turn goes to somebody else than those who have or had one right now, if there is anybody."""

    async def run() -> None:
        some, order = made(at_once=1), list[str]()

        async def sends(name: str) -> PackedAnswer:
            with some.admit(name, 1, asyncio.Event().wait) as place:
                answer = await some.answer(FILE, place)
                order.append(name)
                return answer

        names = ("eve", "eve", "eve", "ana")
        tasks = [asyncio.create_task(sends(name)) for name in names]
        assert await ended(*tasks) == [PackedAnswer] * 4
        assert order == ["eve", "ana", "eve", "eve"]

    asyncio.run(run())


def test_a_sender_has_one_file_at_work_while_another_sender_waits() -> None:
    """The other sender goes first, even if it came later; alone, a sender has all slots."""

    async def run() -> None:
        some = made(at_once=2)

        async def sends(name: str, file: bytes) -> PackedAnswer:
            with some.admit(name, 1, asyncio.Event().wait) as place:
                return await some.answer(DecodingTask("decodings:turned", file), place)

        async def until_next(file: bytes) -> set[bytes]:
            """End the work on a file; what is at work then."""
            [process] = [one for one in Held.at_work if one.content == file]
            process.may_end.set()
            while process in Held.at_work or len(Held.at_work) != 2:  # noqa: ASYNC110  # threads change it
                await asyncio.sleep(0.005)
            return {one.content for one in Held.at_work}

        files = [("ana", b"ana 1"), ("eve", b"eve 1"), ("eve", b"eve 2"), ("eve", b"eve 3"), ("ana", b"ana 2")]
        tasks = [asyncio.create_task(sends(name, file)) for name, file in files]
        await until_at_work(2)
        assert await until_next(b"ana 1") == {b"eve 1", b"ana 2"}
        assert await until_next(b"ana 2") == {b"eve 1", b"eve 2"}
        assert await ended(*tasks) == [PackedAnswer] * 5

    asyncio.run(run())


def test_a_request_that_is_broken_off_ends_its_process() -> None:
    """This also happens when the server stops; the slot is free for the next file."""

    async def run() -> None:
        some = made(at_once=1)
        first = asyncio.create_task(Sender(some).sends())
        await until_at_work(1)
        process = Held.at_work[0]
        second = asyncio.create_task(Sender(some).sends())
        await asyncio.sleep(0.01)
        first.cancel()
        assert await ended(first, second) == [asyncio.CancelledError, PackedAnswer]
        assert process.was_killed

    asyncio.run(run())


def test_one_that_is_broken_off_while_it_waits_takes_no_turn() -> None:
    """It takes no slot if it is cancelled before it gets one, or at the same moment."""

    async def run() -> None:
        with ExitStack() as places:
            some = made(at_once=1)
            first = asyncio.create_task(Sender(some).sends())
            await until_at_work(1)
            others = [asyncio.create_task(Sender(some).sends()) for _ in range(3)]
            await asyncio.sleep(0.01)
            others[0].cancel()
            assert await ended(first, *others) == [PackedAnswer, asyncio.CancelledError, PackedAnswer, PackedAnswer]
            for _ in range(decoders.MOST_FILES):
                places.enter_context(some.admit("ana", 1, asyncio.Event().wait))

    asyncio.run(run())
