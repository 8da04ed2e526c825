"""Secrets of the program: from the settings, or with the embedded database from files beside it."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress

from league.infra.settings import BadSetting, Settings


def secret_of(settings: Settings) -> str:
    """The secret that signs tokens: the configured one, or with the embedded database one stored beside it.

    Raises BadSetting if an external server is used and no secret is set.
    """
    if settings.secret is not None:
        return settings.secret
    if settings.database_url is not None:
        raise BadSetting("LEAGUE_SECRET", "must be set: it signs and checks bearer tokens")
    return kept_secret(settings, "secret", lambda: secrets.token_urlsafe(48))


def kept_secret(settings: Settings, name: str, make: Callable[[], str]) -> str:
    """A secret text in a file beside the embedded database, generated on first use."""
    kept = settings.data_dir / name
    with suppress(FileExistsError):
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(make())
    return kept.read_text()
