"""Files that must never be found half written, whatever ends the process or the machine; and secrets kept in them."""

from __future__ import annotations

import fcntl
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from league.domain.sentences import say
from league.infra.settings import SHORTEST_SECRET, BadSetting, Settings


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


# ---------------------------------------------------------------- secrets


class SecretTooShort(Exception):
    """A file that keeps a secret is empty or cut off."""

    def __init__(self, path: Path, length: int) -> None:
        super().__init__(
            say(
                "{path} has {length} bytes, but a secret has at least {shortest_secret}: restore the file from "
                "a backup, or delete it to have a new one made",
                path=path,
                length=length,
                shortest_secret=SHORTEST_SECRET,
            )
        )
        self.path = path
        self.length = length
        """In bytes."""


def secret_of(settings: Settings) -> str:
    """The secret that signs tokens: the configured one, or with the embedded database one stored beside it.

    Raises BadSetting where a server is used and no secret is set, and SecretTooShort.
    """
    if settings.secret is not None:
        return settings.secret
    if settings.database_url is not None:
        raise BadSetting("LEAGUE_SECRET", say("must be set: it signs and checks bearer tokens"))
    return stored_secret(settings, "secret", lambda: secrets.token_urlsafe(48))


def table_secret_of(settings: Settings) -> str | None:
    """The secret that seals hands at live tables: the configured one, or with the embedded database one beside it.

    None where a server is used and none is set: no live tables can be opened then. Raises SecretTooShort.
    """
    if settings.table_secret is not None or settings.database_url is not None:
        return settings.table_secret
    return stored_secret(settings, "table-secret", lambda: secrets.token_urlsafe(48))


def stored_secret(settings: Settings, name: str, make: Callable[[], str]) -> str:
    """A secret text in a file beside the embedded database, made the first time. Raises SecretTooShort."""
    kept = settings.data_dir / name
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    write_once(kept, make)
    secret = kept.read_text(encoding="utf-8")
    if (length := len(secret.strip().encode())) < SHORTEST_SECRET:
        raise SecretTooShort(kept, length)
    return secret
