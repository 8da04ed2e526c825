"""Queues the files that were sent to a server for decoding: few are decoded at once, and few may wait."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from league.domain.sentences import say
from league.infra.decoding import (
    LIMITS,
    LONGEST_ANSWER,
    MB,
    DecodingLimits,
    DecodingProcess,
    DecodingTask,
    PackedAnswer,
)

AT_ONCE = 2
"""Limit on files that are decoded at the same time for one process of the server."""
MOST_FILES = 16
"""Limit on files that wait."""
MOST_BYTES = 64 * MB
"""Limit on the bytes of waiting files, which are in memory."""
RETRY_AFTER = 10
"""Seconds after which a refused client may try again."""

ClientLeaves = Callable[[], Awaitable[object]]
"""Waits until the client of a file has disconnected."""


class DecodersBusy(Exception):
    """The limit on waiting files is reached."""

    def __init__(self) -> None:
        super().__init__(
            say("too many files are waiting to be read; try again in {seconds} seconds", seconds=RETRY_AFTER)
        )


class ClientLeft(Exception):
    """The client of a waiting file has disconnected."""


class WaitingFile:
    """A file that has arrived and waits for its decoding."""

    def __init__(self, sender: str | None, size: int, client_leaves: ClientLeaves) -> None:
        self.sender, self.size, self.client_leaves = sender, size, client_leaves


class Decoders:
    """Decodes the files that were sent to one process of the server, a few at once, in slots."""

    def __init__(
        self,
        limits: DecodingLimits = LIMITS,
        at_once: int = AT_ONCE,
        most_files: int = MOST_FILES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._limits, self._at_once, self._most_files, self._most_bytes = limits, at_once, most_files, most_bytes
        self._waiting = set[WaitingFile]()
        """All files that wait, including those that are not complete yet."""
        self._queue: list[tuple[WaitingFile, asyncio.Future[None]]] = []
        """The files that wait for a slot; the future of each is done once it has one."""
        self._in_work: list[WaitingFile] = []
        """The files in the slots."""
        self._threads = ThreadPoolExecutor(at_once, "league-decoding")
        self._spares: dict[str, DecodingProcess] = {}
        """A process for the next file of each function. Starting a process takes as long as decoding a picture."""
        self._is_closed = False

    def check_room(self, size: int) -> None:
        """Raise DecodersBusy if no further file of `size` bytes may wait."""
        waiting = sum(file.size for file in self._waiting)
        if len(self._waiting) >= self._most_files or (self._waiting and waiting + size > self._most_bytes):
            raise DecodersBusy

    @contextmanager
    def admit(self, sender: str | None, size: int, client_leaves: ClientLeaves) -> Iterator[WaitingFile]:
        """A context in which a file of `size` bytes waits, until its decoding begins. Raises DecodersBusy."""
        self.check_room(size)
        file = WaitingFile(sender, size, client_leaves)
        self._waiting.add(file)
        try:
            yield file
        finally:
            self._waiting.discard(file)

    async def answer(self, work: DecodingTask, file: WaitingFile, most: int = LONGEST_ANSWER) -> PackedAnswer:
        """Decode a waiting file. The answer has at most `most` bytes. Raises Undecodable, ClientLeft."""
        await self._take_slot(file)
        self._waiting.discard(file)
        try:
            return await self._decoded(work, most)
        finally:
            self._free_slot(file)

    def close(self) -> None:
        """End the processes that wait for a file."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        while self._spares:
            self._spares.popitem()[1].close()

    async def _take_slot(self, file: WaitingFile) -> None:
        """Wait for a slot. Raises ClientLeft."""
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((file, slot))
        self._fill_slots()
        leaving = asyncio.ensure_future(file.client_leaves())
        try:
            await asyncio.wait((slot, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not slot.done():
                raise ClientLeft  # noqa: TRY301  # the handler below also serves a cancellation
        except BaseException:
            if slot.done():  # the file got a slot at the same moment
                self._free_slot(file)
            else:
                self._queue.remove((file, slot))
            raise
        finally:
            leaving.cancel()

    def _free_slot(self, file: WaitingFile) -> None:
        self._in_work.remove(file)
        self._fill_slots(just_served=file.sender)

    def _fill_slots(self, just_served: str | None = None) -> None:
        """Give free slots to waiting files: first to senders without a slot, and among them to others than the last.

        A sender therefore has at most one slot while another sender waits.
        """
        while self._queue and len(self._in_work) < self._at_once:
            served = {file.sender for file in self._in_work}
            # Among equals, the file that came first.
            chosen = min(self._queue, key=lambda one: (one[0].sender in served, one[0].sender == just_served))
            self._queue.remove(chosen)
            file, slot = chosen
            self._in_work.append(file)
            slot.set_result(None)

    async def _decoded(self, work: DecodingTask, most: int) -> PackedAnswer:
        loop = asyncio.get_running_loop()
        making = self._threads.submit(self._process_for, work.function)
        try:
            process = await asyncio.wrap_future(making)
        except asyncio.CancelledError:
            # If the thread has begun, it makes a process that nobody will use.
            making.add_done_callback(_close_made)
            raise
        try:
            return await loop.run_in_executor(self._threads, process.answer, work, self._limits, most)
        except asyncio.CancelledError:
            process.kill()
            raise
        finally:
            if not self._is_closed:
                self._threads.submit(self._start_spare, work.function)

    def _process_for(self, function: str) -> DecodingProcess:
        spare = self._spares.pop(function, None)
        if spare is not None and not spare.has_ended:
            return spare
        return DecodingProcess(function)

    def _start_spare(self, function: str) -> None:
        if function not in self._spares:
            spare = DecodingProcess(function)
            if self._spares.setdefault(function, spare) is not spare or self._is_closed:
                spare.close()


def _close_made(making: Future[DecodingProcess]) -> None:
    """End a process whose client has disconnected before it was ready."""
    if not making.cancelled() and making.exception() is None:
        making.result().close()
