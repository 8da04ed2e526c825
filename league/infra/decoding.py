"""Decodes files from outside in a separate process, which may die, and which the system stops at its limits.

A process decodes one file and ends. The caller names a function that decodes, so this module knows no kind of file.
`decoder.py` is the program of the process; `decoders.py` queues the uploads to a server.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, cast

from msgspec import Struct

from league.domain.sentences import Sentence, say

MB = 1024 * 1024
LIMITS_MEMORY = sys.platform == "linux"
"""Whether the system enforces RLIMIT_DATA. macOS does not."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OPENCV_FOR_THREADS_NUM": "1"}
"""Environment variables that stop libraries from starting a thread, with its memory, for each core."""
HANDED_ON = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Environment variables that a decoding process inherits, with those of `LC_`. A hostile file finds no secret there."""
LONGEST_ANSWER = 64 * MB
"""Limit on the bytes of an answer."""


class DecodingLimits(Struct, frozen=True):
    """Limits on the decoding of one file."""

    seconds: int = 20
    """CPU time of all threads together."""
    megabytes: int = 900
    """Memory that the process may write to, if the system can limit that."""
    wall_seconds: float = 120.0 if LIMITS_MEMORY else 30.0
    """Time after which the process is killed. On a busy machine 20 seconds of CPU time take longer."""


LIMITS = DecodingLimits()


class Undecodable(Exception):
    """A file that made its process reach a limit or die."""

    @property
    def reason(self) -> Sentence:
        """A sentence for people that says what is wrong with the file."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.reason


@dataclass
class TookTooLong(Undecodable):
    """A file that takes more than `seconds` to decode."""

    seconds: float

    @property
    def reason(self) -> Sentence:
        """Names the seconds."""
        return say("the file takes more than {seconds} seconds to decode", seconds=round(self.seconds))


@dataclass
class TookTooMuchMemory(Undecodable):
    """A file that takes more than `megabytes` of memory to decode, or whose decoded content does."""

    megabytes: int

    @property
    def reason(self) -> Sentence:
        """Names the megabytes."""
        return say("the file takes more than {megabytes} MB of memory to decode", megabytes=self.megabytes)


@dataclass
class DecoderDied(Undecodable):
    """A file whose process died of a signal, for example because the system was short of memory."""

    exit_code: int

    @property
    def reason(self) -> Sentence:
        """Says that the process died."""
        return say("the program that decodes the file died of it")


class DecodingTask(Struct, frozen=True):
    """A file, and the function that decodes it."""

    function: str
    """The function as `module:name`. Its result and exceptions are pickled."""
    content: bytes
    more: tuple[Any, ...] = ()
    """Further arguments of the function."""


class PackedAnswer(Struct, frozen=True):
    """The pickled answer of a process. Unpickling a large one takes time, so do not do it on an event loop."""

    packed: bytes

    def value(self) -> Any:
        """The result of the function, unpickled anew with each call. Raises the function's exception."""
        is_error, value = pickle.loads(self.packed)  # noqa: S301  # by a process of the program itself
        if is_error:
            raise value
        return value


class DecodingProcess:
    """A process that loads the function's modules and then waits for a file."""

    def __init__(self, function: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "league.infra.decoder", function],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended, so that it cannot take a file any more."""
        return self._process.poll() is not None

    def answer(self, work: DecodingTask, limits: DecodingLimits, most: int = LONGEST_ANSWER) -> PackedAnswer:
        """Decode a file; the answer has at most `most` bytes. The process then ends. Blocks; raises Undecodable."""
        overdue = threading.Event()

        def end() -> None:
            overdue.set()
            self.kill()

        timer = threading.Timer(limits.wall_seconds, end)
        timer.daemon = True
        timer.start()
        try:
            packed = self._exchange(work, limits, most)
        finally:
            timer.cancel()
            self.kill()
            code = self._process.wait()
        if len(packed) > most:
            raise TookTooMuchMemory(most // MB)
        if packed and code == 0:
            return PackedAnswer(packed)
        if overdue.is_set():
            raise TookTooLong(limits.wall_seconds)
        if -code == signal.SIGXCPU:
            raise TookTooLong(limits.seconds)
        raise DecoderDied(code)

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        self._process.kill()

    def close(self) -> None:
        """End a process that was given no file."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):
                cast("IO[bytes]", pipe).close()

    def _exchange(self, work: DecodingTask, limits: DecodingLimits, most: int) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # The input stays open until the answer: if this process dies, the input closes, and the other process ends.
        with suppress(BrokenPipeError), self._process.stdin as requests:
            with suppress(BrokenPipeError):
                pickle.dump((work, limits), requests)
                requests.flush()
            with self._process.stdout as answers:
                packed = answers.read(most + 1)
                if len(packed) <= most:
                    self._process.wait()
        return packed


def _environment() -> dict[str, str]:
    """The environment variables of a decoding process."""
    handed_on = {name: value for name, value in os.environ.items() if name in HANDED_ON or name.startswith("LC_")}
    return {**handed_on, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def decode(work: DecodingTask, limits: DecodingLimits = LIMITS) -> Any:
    """Decode a file and return the function's result. Blocks; raises Undecodable, and the function's exceptions.

    Use it in programs that decode one file after another, such as commands of the terminal.
    """
    return DecodingProcess(work.function).answer(work, limits).value()
