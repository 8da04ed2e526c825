"""Decodes files from outside in a process of its own: one that may die, and that the system stops at its limits.

A process decodes one file and ends. What it is to do is named by a function, so this module knows no kind of file.
`decoder.py` is that process; `decoders.py` lets the uploads to a server wait for one.
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
"""Whether the system keeps to RLIMIT_DATA. macOS does not."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OPENCV_FOR_THREADS_NUM": "1"}
"""Variables of a process that decodes: otherwise libraries start a thread, with its memory, for each core."""
HANDED_ON = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that a process that decodes gets, besides those of `LC_`: a file that takes it over finds no secret."""
LONGEST_ANSWER = 64 * MB
"""Bytes of what a process may answer."""


class DecodingLimits(Struct, frozen=True):
    """What the decoding of one file may take."""

    seconds: int = 20
    """Of CPU time, of all threads together."""
    megabytes: int = 900
    """Of memory that the process may write to, where the system can limit that."""
    wall_seconds: float = 120.0 if LIMITS_MEMORY else 30.0
    """Until the process is killed whatever it does. On a busy machine 20 seconds of CPU time take longer."""


LIMITS = DecodingLimits()


class Undecodable(Exception):
    """A file on which a process came to one of its limits, or died."""

    @property
    def reason(self) -> Sentence:
        """What is wrong with the file, for people."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.reason


@dataclass
class TookTooLong(Undecodable):
    """A file that takes more than so many seconds."""

    seconds: float

    @property
    def reason(self) -> Sentence:
        """The seconds."""
        return say("the file takes more than {seconds} seconds to decode", seconds=round(self.seconds))


@dataclass
class TookTooMuchMemory(Undecodable):
    """A file that takes more than so many megabytes, or whose content does."""

    megabytes: int

    @property
    def reason(self) -> Sentence:
        """The megabytes."""
        return say("the file takes more than {megabytes} MB of memory to decode", megabytes=self.megabytes)


@dataclass
class DecoderDied(Undecodable):
    """A file on which the process died of a signal, as when the system is short of memory."""

    exit_code: int

    @property
    def reason(self) -> Sentence:
        """The death."""
        return say("the program that decodes the file died of it")


class DecodingTask(Struct, frozen=True):
    """A file, and the function that decodes it."""

    function: str
    """`module:name`. What it returns and raises is pickled."""
    content: bytes
    more: tuple[Any, ...] = ()
    """Further arguments."""


class PackedAnswer(Struct, frozen=True):
    """What a process answered, still packed: to unpack much takes time, which an event loop does not have."""

    packed: bytes

    def value(self) -> Any:
        """What the function returned, anew each time. Raises what it raised."""
        is_error, value = pickle.loads(self.packed)  # noqa: S301  # by a process of the program itself
        if is_error:
            raise value
        return value


class DecodingProcess:
    """A process that has loaded what a function needs, and waits for its file."""

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
        """Whether it cannot take a file any more."""
        return self._process.poll() is not None

    def answer(self, work: DecodingTask, limits: DecodingLimits, most: int = LONGEST_ANSWER) -> PackedAnswer:
        """What it answers, in at most so many bytes. It has ended then. Blocks; raises Undecodable."""
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
        """End it, whatever it does. Nothing happens where it has ended."""
        self._process.kill()

    def close(self) -> None:
        """End one that has got no file."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):
                cast("IO[bytes]", pipe).close()

    def _exchange(self, work: DecodingTask, limits: DecodingLimits, most: int) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # Its input stays open until it has answered: when this process dies, it ends, and the other one ends with it.
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
    """The variables of a process that decodes."""
    handed_on = {name: value for name, value in os.environ.items() if name in HANDED_ON or name.startswith("LC_")}
    return {**handed_on, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def decode(work: DecodingTask, limits: DecodingLimits = LIMITS) -> Any:
    """What the function makes of the file. Blocks; raises Undecodable, and what the function raises.

    For programs that decode one file after the other, as a command of the terminal does.
    """
    return DecodingProcess(work.function).answer(work, limits).value()
