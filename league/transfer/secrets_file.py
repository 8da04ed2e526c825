"""The secrets of a league in a file separate from its backup, in the form of environment variables."""

from __future__ import annotations

import base64
import shlex
from pathlib import Path

from league.audit.signed_heads import BadKey, read_private_key, signing_key_of
from league.domain.refusals import InvalidInput, WrongState
from league.domain.sentences import say
from league.infra.durable_files import replaced, secret_of, table_secret_of, write_once
from league.infra.settings import SHORTEST_SECRET, Settings

SECRET, TABLE_SECRET, SIGNING_KEY = "LEAGUE_SECRET", "LEAGUE_TABLE_SECRET", "LEAGUE_SIGNING_KEY"
FILE_NAMES = {SECRET: "secret", TABLE_SECRET: "table-secret", SIGNING_KEY: "signing-key"}
"""The names of the files beside the embedded database that hold the secrets."""


def write_secrets(settings: Settings, path: Path) -> list[str]:
    """Write the secrets and the signing key, as far as the league has them. Returns their names.

    Raises WrongState when it has none, InvalidInput for a file that cannot be written, SecretTooShort, BadSetting.
    """
    found = {}
    if settings.secret is not None or settings.database_url is None:
        found[SECRET] = secret_of(settings)
    if (table_secret := table_secret_of(settings)) is not None:
        found[TABLE_SECRET] = table_secret
    if (key := signing_key_of(settings)) is not None:
        found[SIGNING_KEY] = base64.b64encode(key.private_bytes_raw()).decode()
    if not found:
        raise WrongState(
            say("the league"),
            say("without secrets"),
            say("none of {kept_as} is set", kept_as=", ".join(FILE_NAMES)),
            at="secrets",
        )
    text = "".join(f"{name}={shlex.quote(value)}\n" for name, value in found.items())
    try:
        with replaced(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise InvalidInput("secrets", f"{path}: {error.strerror}") from error
    return list(found)


def read_secrets(path: Path) -> dict[str, str]:
    """The secrets in a file, by name. Raises InvalidInput."""
    try:
        pairs = [word.partition("=") for word in shlex.split(path.read_text(encoding="utf-8"), comments=True)]
    except FileNotFoundError:
        raise InvalidInput("secrets", say("{path} is not there", path=path)) from None
    except (OSError, ValueError) as error:
        raise InvalidInput("secrets", f"{path}: {error}") from error
    found = {name: value for name, _, value in pairs}
    if not found or not found.keys() <= FILE_NAMES.keys():
        names = ", ".join(f"{name}=…" for name in FILE_NAMES)
        raise InvalidInput("secrets", say("{path}: it may hold {names}, and nothing else", path=path, names=names))
    for name in (SECRET, TABLE_SECRET):
        if name in found and len(found[name].encode()) < SHORTEST_SECRET:
            raise InvalidInput(
                "secrets",
                say(
                    "{path}: {name} is shorter than {shortest_secret} bytes",
                    path=path,
                    name=name,
                    shortest_secret=SHORTEST_SECRET,
                ),
            )
    try:
        if SIGNING_KEY in found:
            read_private_key(found[SIGNING_KEY])
    except BadKey as error:
        raise InvalidInput(
            "secrets", say("{path}: the signing key cannot be read: {error}", path=path, error=error)
        ) from error
    return found


def store_secrets(secrets: dict[str, str], data_dir: Path) -> None:
    """Store secrets beside an embedded database that has none. Raises WrongState if it has others."""
    data_dir.mkdir(parents=True, exist_ok=True)
    for name, value in secrets.items():
        file = data_dir / FILE_NAMES[name]
        write_once(file, lambda value=value: value)  # type: ignore[misc]  # mypy does not see the default
        if file.read_text(encoding="utf-8").strip() != value.strip():
            raise WrongState(
                str(file), say("there, with another value"), say("delete it, or restore into a new folder"), "secrets"
            )
