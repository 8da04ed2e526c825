"""Files that are written once and must never be found half written, whatever ends the process or the machine."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path


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
