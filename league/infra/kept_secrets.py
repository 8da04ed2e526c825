"""Secrets of the program: from the settings, or with the embedded database from files beside it."""

import secrets
from collections.abc import Callable
from pathlib import Path

from league.domain.sentences import say
from league.infra.durable_files import write_once
from league.infra.settings import SHORTEST_SECRET, BadSetting, Settings


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
    return kept_secret(settings, "secret", lambda: secrets.token_urlsafe(48))


def table_secret_of(settings: Settings) -> str | None:
    """The secret that seals hands at live tables: the configured one, or with the embedded database one beside it.

    None where a server is used and none is set: no live tables can be opened then. Raises SecretTooShort.
    """
    if settings.table_secret is not None or settings.database_url is not None:
        return settings.table_secret
    return kept_secret(settings, "table-secret", lambda: secrets.token_urlsafe(48))


def kept_secret(settings: Settings, name: str, make: Callable[[], str]) -> str:
    """A secret text in a file beside the embedded database, made the first time. Raises SecretTooShort."""
    kept = settings.data_dir / name
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    write_once(kept, make)
    secret = kept.read_text(encoding="utf-8")
    if (length := len(secret.strip().encode())) < SHORTEST_SECRET:
        raise SecretTooShort(kept, length)
    return secret
