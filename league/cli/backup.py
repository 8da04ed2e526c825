"""`league backup`: writes the league into one file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from league.application import audit_trail
from league.application.bootstrap import clock
from league.audit.signed_heads import raw
from league.cli import terminal
from league.cli.opening import existing_league, settings
from league.cli.options import Actor, Json
from league.domain.audit_trail import RowsExported
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog.records import Request
from league.infra.durable_files import replaced
from league.infra.photo_store import PhotoStore, required_photo_place
from league.transfer.backup import write_backup
from league.transfer.backup_format import FORMAT
from league.transfer.secrets_file import write_secrets
from league.wording.joining import joined
from league.wording.language import _

STANDARD_OUTPUT = Path("-")


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write (`-`: standard output).")],
    secrets: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the secret and the signing key, into a file of their own."),
    ] = None,
    photos: Annotated[
        bool, typer.Option("--photos", help="Take the pictures of photos of leftover tiles along.")
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Write the league into one file, while it runs.

    `league restore` makes the league of it again, on any supported database. The file holds the keys that open the
    names of players: keep it as carefully as the database. docs/backup.md says what is in it.
    """
    if secrets is not None and secrets.absolute() == file.absolute():
        raise InvalidInput("secrets", _("the secrets belong in another file than the backup"))
    if as_json and file == STANDARD_OUTPUT:
        raise InvalidInput("json", say("the backup itself goes to standard output: name a file"))
    with existing_league() as league:
        names = [] if secrets is None else write_secrets(settings(), secrets)
        pictures = PhotoStore(required_photo_place(settings())) if photos else None
        with _opened(file) as out:
            audit_trail.record(league.store, RowsExported("backup", FORMAT, None), Request(actor, "manual"))
            key = None if league.key is None else raw(league.key.public_key())
            with terminal.progress(_("writing lines")) as progress:
                header = write_backup(league.database.url, out, clock(), key, progress, pictures)
    events = header.rows["stored_events"]
    if as_json:
        terminal.print_json({"file": str(file), "events": events, "position": header.position, "secrets": names})
        return
    terminal.err.print(
        _(
            "Wrote {events} events up to position {position}, and what belongs to them.",
            events=events,
            position=header.position,
        )
    )
    if names:
        terminal.err.print(
            _("Wrote {names} into {secrets}.", names=joined(names), secrets=terminal.quoted(str(secrets)))
        )


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """The file to write. It takes its place when it is complete. Raises InvalidInput."""
    if file == STANDARD_OUTPUT:
        if os.isatty(sys.stdout.fileno()):
            raise InvalidInput("file", _("a terminal cannot show a backup: write it into a file or a pipe"))
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise InvalidInput("file", _("the reader of standard output left before the end of the backup")) from None
        return
    try:
        with replaced(file) as out:
            yield out
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
