"""Writes files that are never half written, even if the process or the machine dies; stores secrets in such files."""

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
    """Write the text that `make` returns to `path`, unless the file exists. Only one of several processes writes it.

    The folder must exist. Raises OSError; then the file does not exist.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if path.exists():
            return
        # A killed process leaves this file behind, and the next process overwrites it.
        partial = path.with_name(f"{path.name}.partial")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(make())
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
        # The new name is on the disk only once the folder is.
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A new file, readable only by its owner, that replaces `path` if the context ends without an exception.

    Otherwise `path` stays as it was. The folder must exist. Raises OSError.
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
    """A file that stores a secret is empty or cut off."""

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
        """The length of the file in bytes."""


def secret_of(settings: Settings) -> str:
    """The secret that signs tokens: the configured one, or for the embedded database one that is stored beside it.

    Raises BadSetting if an external database is used and no secret is set, and SecretTooShort.
    """
    if settings.secret is not None:
        return settings.secret
    if settings.database_url is not None:
        raise BadSetting("LEAGUE_SECRET", say("must be set: it signs and checks bearer tokens"))
    return stored_secret(settings, "secret", lambda: secrets.token_urlsafe(48))


def table_secret_of(settings: Settings) -> str | None:
    """The secret that seals hands at live tables: the configured one, or for the embedded database a stored one.

    None if an external database is used and no secret is set: then no live table can be opened. Raises SecretTooShort.
    """
    if settings.table_secret is not None or settings.database_url is not None:
        return settings.table_secret
    return stored_secret(settings, "table-secret", lambda: secrets.token_urlsafe(48))


def stored_secret(settings: Settings, name: str, make: Callable[[], str]) -> str:
    """A secret text in a file beside the embedded database. The first call makes it. Raises SecretTooShort."""
    file = settings.data_dir / name
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    write_once(file, make)
    secret = file.read_text(encoding="utf-8")
    if (length := len(secret.strip().encode())) < SHORTEST_SECRET:
        raise SecretTooShort(file, length)
    return secret
