"""A backup as a stream of bytes, written while it is read: neither the memory nor the disk ever holds all of it."""

import io
import os
import select
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, BinaryIO, cast

from league.transfer.backup import write_backup

CHUNK = 64 * 1024
PATIENCE = 60.0
"""Seconds that a reader may take nothing. A snapshot is open meanwhile, for which PostgreSQL keeps old rows."""


class ReaderStalled(Exception):
    """The reader of a backup has taken nothing for `PATIENCE` seconds."""


def backup_stream(url: str, made_at: datetime, key: bytes | None) -> Iterator[bytes]:
    """The bytes of a backup without photos, in order; `key` as for `write_backup`, whose exceptions it raises.

    A reader that closes it ends the writing, and a slow one slows it down. If an exception is raised, what was read is
    no backup. Raises ReaderStalled.
    """
    taken, given = os.pipe()
    os.set_blocking(given, False)
    thread = ThreadPoolExecutor(1, "backup")
    try:
        written = thread.submit(_write, given, url, made_at, key)
        while chunk := os.read(taken, CHUNK):
            yield chunk
    finally:
        os.close(taken)  # the writer fails at its next write; whoever closes the stream does not wait for that
        thread.shutdown(wait=False)
    written.result()


def _write(given: int, url: str, made_at: datetime, key: bytes | None) -> None:
    with _Pipe(given) as out:
        write_backup(url, cast(BinaryIO, out), made_at, key)  # it has all that is used of one


class _Pipe(io.RawIOBase):
    """The writing end of a pipe, which takes all bytes or raises."""

    def __init__(self, file: int) -> None:
        super().__init__()
        self._file = file
        self._room = select.poll()
        self._room.register(file, select.POLLOUT)

    def write(self, data: Any) -> int:
        """Write all bytes. Raises BrokenPipeError, ReaderStalled."""
        left = memoryview(data).cast("B")
        size = len(left)
        while left:
            if not self._room.poll(PATIENCE * 1000):
                raise ReaderStalled
            left = left[os.write(self._file, left) :]
        return size

    def close(self) -> None:
        """Close the pipe."""
        if not self.closed:
            os.close(self._file)
        super().close()
