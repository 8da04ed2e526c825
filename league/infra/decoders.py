"""Lets the files that were sent to a server wait for the process that decodes them: a few at once, and not too many."""

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
"""Files that a process of the server has decoded at the same time."""
MOST_FILES = 16
"""Files that have arrived and wait."""
MOST_BYTES = 64 * MB
"""Bytes of these files: they are in memory."""
RETRY_AFTER = 10
"""Seconds after which a client that was turned away may ask again."""

ClientLeaves = Callable[[], Awaitable[object]]
"""Waits until the client of a file has left."""


class DecodersBusy(Exception):
    """As many files wait as may."""

    def __init__(self) -> None:
        super().__init__(
            say("too many files are waiting to be read; try again in {seconds} seconds", seconds=RETRY_AFTER)
        )


class ClientLeft(Exception):
    """The client of a file that waited has left."""


class WaitingFile:
    """A file that has arrived: it waits until it is decoded, or needs no decoding any more."""

    def __init__(self, sender: str | None, size: int, client_leaves: ClientLeaves) -> None:
        self.sender, self.size, self.client_leaves = sender, size, client_leaves


class Decoders:
    """The decoding of the files that were sent to one process of the server."""

    def __init__(
        self,
        limits: DecodingLimits = LIMITS,
        at_once: int = AT_ONCE,
        most_files: int = MOST_FILES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._limits, self._at_once, self._most_files, self._most_bytes = limits, at_once, most_files, most_bytes
        self._places = set[WaitingFile]()
        """Of the files that wait."""
        self._queue: list[tuple[WaitingFile, asyncio.Future[None]]] = []
        """Those that have asked for their turn."""
        self._in_work: list[WaitingFile] = []
        self._threads = ThreadPoolExecutor(at_once, "league-decoding")
        self._spares: dict[str, DecodingProcess] = {}
        """By function, a process that waits for the next file: to start one takes as long as to decode a picture."""
        self._is_closed = False

    def check_room(self, size: int) -> None:
        """Raise DecodersBusy where no further file of so many bytes may wait."""
        waiting = sum(place.size for place in self._places)
        if len(self._places) >= self._most_files or (self._places and waiting + size > self._most_bytes):
            raise DecodersBusy

    @contextmanager
    def place(self, sender: str | None, size: int, client_leaves: ClientLeaves) -> Iterator[WaitingFile]:
        """A place for a file of so many bytes, from its arrival until its decoding begins. Raises DecodersBusy."""
        self.check_room(size)
        place = WaitingFile(sender, size, client_leaves)
        self._places.add(place)
        try:
            yield place
        finally:
            self._places.discard(place)

    async def answer(self, work: DecodingTask, place: WaitingFile, most: int = LONGEST_ANSWER) -> PackedAnswer:
        """What comes of the file of a place, in at most so many bytes. Raises Undecodable, ClientLeft."""
        await self._turn(place)
        self._places.discard(place)
        try:
            return await self._decoded(work, most)
        finally:
            self._end_turn(place)

    def close(self) -> None:
        """End the processes that wait for a file."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        while self._spares:
            self._spares.popitem()[1].close()

    async def _turn(self, place: WaitingFile) -> None:
        """Wait for a turn. Raises ClientLeft."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((place, turn))
        self._call_next()
        leaving = asyncio.ensure_future(place.client_leaves())
        try:
            await asyncio.wait((turn, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not turn.done():
                raise ClientLeft  # noqa: TRY301  # as where it is cancelled, the turn is given up below
        except BaseException:
            if turn.done():  # it was called in the same moment
                self._end_turn(place)
            else:
                self._queue.remove((place, turn))
            raise
        finally:
            leaving.cancel()

    def _end_turn(self, place: WaitingFile) -> None:
        self._in_work.remove(place)
        self._call_next(just_served=place.sender)

    def _call_next(self, just_served: str | None = None) -> None:
        """Give free turns to those who wait: first to senders without a turn, of these to others than the last one.

        So a sender has one turn at the most while another one waits.
        """
        while self._queue and len(self._in_work) < self._at_once:
            served = {place.sender for place in self._in_work}
            # Of equal ones the first that came.
            called = min(self._queue, key=lambda one: (one[0].sender in served, one[0].sender == just_served))
            self._queue.remove(called)
            place, turn = called
            self._in_work.append(place)
            turn.set_result(None)

    async def _decoded(self, work: DecodingTask, most: int) -> PackedAnswer:
        loop = asyncio.get_running_loop()
        making = self._threads.submit(self._process_for, work.function)
        try:
            process = await asyncio.wrap_future(making)
        except asyncio.CancelledError:
            # One that has not begun was cancelled too; one that goes on makes a process that nobody waits for.
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
    """End the process that was made for somebody who has left."""
    if not making.cancelled() and making.exception() is None:
        making.result().close()
