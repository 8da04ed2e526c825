"""Files that must never be found half written, whatever ends the process or the machine."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_once(path: Path, make: Callable[[], str], mode: int = 0o600) -> None:
    """Write what `make` returns to `path` unless the file is there; the first of several processes writes it.

    The folder must be there. Raises OSError; then there is no such file.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if path.exists():
            return
        # A process that is killed leaves this file, and the next one begins it anew.
        partial = path.with_name(f"{path.name}.partial")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(make())
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
        # The name itself is on the disk only when the folder is.
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file to write in place of `path`, readable by its owner only; it takes the place when the context ends well.

    Otherwise `path` stays as it was. The folder must be there. Raises OSError.
    """
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).rename(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
