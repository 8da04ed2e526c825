"""What processes that decode do in tests, in place of decoding."""

import os
import signal
import time
from pathlib import Path

from league.domain.refusals import InvalidInput
from league.domain.sentences import say


def turned(content: bytes, times: int = 1) -> bytes:
    """The content backwards, so many times."""
    return content[::-1] * times


def refused(_content: bytes) -> None:
    """Refuse it."""
    raise InvalidInput("file", say("the file has {count} faults", count=3))


def unending(_content: bytes) -> None:
    """Compute for ever."""
    while True:
        pass


def sleeping(content: bytes) -> None:
    """Note the id of the process in the file that the content names, and sleep."""
    Path(content.decode()).write_text(str(os.getpid()))
    time.sleep(3600)


def hoarding(_content: bytes, megabytes: int) -> int:
    """Take so much memory."""
    return len(bytearray(megabytes * 1024 * 1024))


def dying(_content: bytes) -> None:
    """Die as of a fault of a library."""
    os.kill(os.getpid(), signal.SIGSEGV)


def environment(_content: bytes) -> dict[str, str]:
    """The variables of the process."""
    return dict(os.environ)


class _TooLargeToPack:
    def __reduce__(self) -> str:
        raise MemoryError


def unpackable(_content: bytes) -> _TooLargeToPack:
    """Return what takes too much memory once it is pickled."""
    return _TooLargeToPack()
