"""`league backup` and `restore`: the league in one file, and a league made of it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from league.application import storing
from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher
from league.audit.head_signing import last_head
from league.audit.shadow_rebuild import Digest, official_digest
from league.audit.signed_heads import raw, signing_key_of
from league.cli import terminal
from league.cli.opening import existing_league, settings
from league.cli.options import Actor, Json
from league.domain.audit_trail import RowsExported
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog import codec
from league.eventlog.records import Request
from league.eventlog.store import EventStore
from league.infra.database import connect, has_tables, migrate, open_database, wait_until_reachable
from league.infra.durable_files import replaced, table_secret_of
from league.infra.photo_store import PhotoStore, required_photo_place
from league.infra.settings import Settings
from league.transfer.backup import write_backup
from league.transfer.backup_format import FORMAT, PICTURES, BackupReader, Header
from league.transfer.restore import fold_restored, load_backup
from league.transfer.secrets_file import keep_secrets, read_secrets, write_secrets
from league.wording.language import _
from league.wording.matches import joined

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
            storing.record(league.store, RowsExported("backup", FORMAT, None), Request(actor, "manual"))
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


STANDARD_INPUT = Path("-")
NO_KEY = _(
    "Nothing signs the log: set LEAGUE_SIGNING_KEY to the key of the league that was backed up. "
    "Without that key, set a new one (`openssl rand -base64 32`) and run `league heads sign "
    "--new-key`."
)
OTHER_KEY = _(
    "Nothing signs the log yet: the signing key is not the one of the league that was backed up. To "
    "sign with the new key from now on, run `league heads sign --new-key`."
)


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `league backup` wrote (`-`: standard input).")],
    erase: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYERS",
            help="Erase the names of these players, who were erased after the backup (ids, separated by commas).",
        ),
    ] = None,
    secrets: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file that `league backup --secrets` wrote.")
    ] = None,
    actor: Actor = "cli",
) -> None:
    """Make a league of a backup, in a database that has none.

    The database may be the embedded one or a server. All of the backup is loaded, or nothing. The command ends with
    the digest of the league, which is that of the league that was backed up (`league digest`).
    """
    players = [player.strip() for ids in erase or [] for player in ids.split(",") if player.strip()]
    kept = {} if secrets is None else read_secrets(secrets)
    configured = settings()
    with _opened_backup(file) as source, BackupReader(source) as backup, open_database(configured) as database:
        wait_until_reachable(database.url)
        if not has_tables(database.url):
            migrate(database.url)
        if database.embedded:
            # First: the next process that opens the league would make others.
            keep_secrets(kept, configured.data_dir)
        pictures = PhotoStore(required_photo_place(configured)) if backup.header.rows[PICTURES] else None
        with terminal.progress(_("loading lines")) as progress:
            load_backup(database.url, backup, players, actor, progress, pictures)
        with EventStore(database.url, codec, table_secret_of(configured)) as store:
            league = League(database, store, Dispatcher(store, clock))
            with terminal.progress(_("projecting events")) as progress:
                fold_restored(league, backup.header, progress)
            digest = official_digest(database.url, league.project)
        advice = _advice(database.url, configured, kept, embedded=database.embedded)
    _print(backup.header, players, digest, advice)


def _advice(url: str, configured: Settings, kept: dict[str, str], *, embedded: bool) -> list[str]:
    """What is left to do before the league signs its log, and accepts the tokens, as before."""
    if kept and not embedded:
        names = joined(kept)
        return [_("Set {names} to what the file of the secrets says, before you start the league.", names=names)]
    with connect(url) as conn:
        last = last_head(conn)
    if last is None:
        return []
    key = signing_key_of(configured)
    if key is None:
        return [NO_KEY]
    if raw(key.public_key()) != last.key:
        return [OTHER_KEY]
    return []


def _print(header: Header, players: list[str], digest: Digest, advice: list[str]) -> None:
    made_at = f"{header.made_at:%Y-%m-%d %H:%M} UTC"
    terminal.err.print(
        _("Restored {rows} events of the backup of {made_at}.", rows=header.rows["stored_events"], made_at=made_at)
    )
    if players:
        terminal.err.print(
            _("Erased the names of these players: {players}.", players=terminal.quoted(", ".join(players)))
        )
    for line in advice:
        terminal.err.print(f"[yellow]{_('note')}[/] {terminal.quoted(line)}", soft_wrap=True)
    terminal.print_json(digest)


@contextmanager
def _opened_backup(file: Path) -> Iterator[BinaryIO]:
    """The backup to read. Raises InvalidInput."""
    if file == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        source = file.open("rb")
    except FileNotFoundError:
        raise InvalidInput("file", _("{file} is not there", file=file)) from None
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    with source:
        yield source
