"""`league export`, `backup`, `restore`: rows of the league as files, the whole league as one, and a league from it."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO, Literal, TextIO

import typer

from league.application import storing
from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher
from league.application.registering import named_players
from league.application.stream_states import StreamStates
from league.audit.head_signing import last_head
from league.audit.proofs import write_log
from league.audit.shadow_rebuild import LeagueDigest, official_digest
from league.audit.signed_heads import raw, signing_key_of
from league.cli import terminal
from league.cli.administration import TRAIL_COLUMNS, trail_rows
from league.cli.opening import existing_league, reading, reading_run, settings
from league.cli.terminal import Actor, Json, KnownAt, Run, reader_may_leave
from league.domain.audit_trail import RowsExported
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog import codec, encoded_rows
from league.eventlog.records import AppendRequest
from league.eventlog.store import EventStore
from league.infra.database import connect, has_tables, migrate, open_database, wait_until_reachable
from league.infra.durable_files import replaced, table_secret_of
from league.infra.photo_store import PhotoStore, required_photo_place
from league.infra.settings import Settings
from league.transfer import export as exports
from league.transfer.backup import begin_backup, write_backup
from league.transfer.backup_format import PICTURES, BackupHeader, BackupReader
from league.transfer.restore import fold_restored, load_backup
from league.transfer.secrets_file import read_secrets, store_secrets, write_secrets
from league.transfer.sheets.people import SheetPeople
from league.transfer.sheets.sheet_export import sheets_of
from league.transfer.sheets.sheet_export import write_csv as write_csv_sheet
from league.transfer.sheets.sheet_export import write_xlsx as write_xlsx_sheet
from league.transfer.transfer_part import LogExport, Row
from league.transfer.workbook import write_xlsx
from league.wording.language import language, spoken
from league.wording.matches import joined


def _hands_file(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        reason = say("{path} cannot be written: {reason}", path=path, reason=error.strerror)
        raise InvalidInput("hands", reason) from None


Format = Literal["jsonl", "csv", "xlsx"]

NAMES = ("log", "trail", "sheet", *exports.exports_by_name(), *exports.log_exports_by_name())
What = StrEnum("What", {name.upper(): name for name in NAMES})  # type: ignore[misc]  # the names are known when it runs


def export(
    what: Annotated[What, typer.Argument(help="What to write.")],
    run: Run = None,
    known_at: KnownAt = None,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="JSON Lines (the default; not for `sheet`), CSV or XLSX."),
    ] = None,
    hands: Annotated[
        Path | None,
        typer.Option("--hands", metavar="FILE", help="For `sheet` as CSV: write the hands into this file."),
    ] = None,
    consented: Annotated[
        bool, typer.Option("--consented", help="For `transcripts`: only hands in which every player consents.")
    ] = False,
    actor: Actor = "cli",
) -> None:
    """Write rows of the league to standard output.

    Numbers are not rounded, and the order of the rows is stable. `log` writes the events as they are stored, for
    `league verify --log`; `trail` writes who did what; `sheet` writes ended matches with names, as `league import`
    reads them.
    """
    if hands is not None and what.value != "sheet":
        raise InvalidInput("hands", say("only `league export sheet` writes hands into a file of their own"))
    of_log = exports.log_exports_by_name().get(what.value)
    if consented != (of_log is not None and of_log.needs_consent):
        raise InvalidInput("consented", say("`league export transcripts` needs it, and no other export takes it"))
    if what.value == "sheet":
        _export_sheet(format_, hands, actor, of_run=run is not None or known_at is not None)
    elif of_log is not None:
        if run is not None or known_at is not None:
            raise InvalidInput("run", say("the {what} is the same for every run", what=what.value))
        _export_of_log(what.value, of_log, format_ or "jsonl", actor)
    else:
        _export_rows(what.value, run, known_at, format_ or "jsonl", actor)


def _export_sheet(format_: Format | None, hands: Path | None, actor: str, *, of_run: bool) -> None:
    """Write the sheet to standard output. As CSV, the hands go into the file `hands`, if it is named."""
    if of_run:
        raise InvalidInput("run", say("a sheet has what was recorded, which is the same for every run"))
    if format_ == "jsonl":
        raise InvalidInput("format", say("a sheet is written as CSV or XLSX"))
    if hands is not None and format_ == "xlsx":
        raise InvalidInput("hands", say("the hands are a sheet of the XLSX file"))
    with reading_run(None, None, actor) as (league, snapshot), ExitStack() as files:
        exported = RowsExported("sheet", format_ or "csv", snapshot.run)
        storing.record(league.store, exported, AppendRequest(actor, "manual"))
        people = SheetPeople(named_players(league.store), StreamStates(league.store, clock()).merges().aliases())
        matches = sheets_of(league.store, clock, snapshot.conn, snapshot.run)
        with reader_may_leave():
            if format_ == "xlsx":
                write_xlsx_sheet(matches, people, language(), sys.stdout.buffer)
                return
            hands_out = None if hands is None else files.enter_context(_hands_file(hands))
            write_csv_sheet(matches, people, language(), sys.stdout, hands_out)


def _export_of_log(what: str, export: LogExport, format_: Format, actor: str) -> None:
    with reading_run(None, None, actor) as (league, snapshot):
        storing.record(league.store, RowsExported(what, format_, snapshot.run), AppendRequest(actor, "manual"))
        with reader_may_leave():
            _write(what, export.rows(league.store, snapshot), export.columns, format_)


def _export_rows(what: str, run: int | None, known_at: datetime | None, format_: Format, actor: str) -> None:
    request = AppendRequest(actor, "manual")
    if what in ("log", "trail") and (run is not None or known_at is not None):
        raise InvalidInput(
            "run" if run is not None else "known-at", say("the {what} is the same for every run", what=what)
        )
    if what == "log":
        if format_ != "jsonl":
            raise InvalidInput("format", say("the log is written as JSON Lines only; `league export trail` writes CSV"))
        with existing_league() as league:
            storing.record(league.store, RowsExported("log", format_, None), request)
            with connect(league.database.url) as log, reader_may_leave():
                write_log(encoded_rows.rows(log), sys.stdout.buffer)
        return
    if what == "trail":
        with existing_league() as league:
            storing.record(league.store, RowsExported("trail", format_, None), request)
            with reading(league) as conn, reader_may_leave():
                _write(what, trail_rows(conn), TRAIL_COLUMNS, format_)
        return
    with reading_run(run, known_at, actor) as (league, snapshot):
        storing.record(league.store, RowsExported(what, format_, snapshot.run), request)
        export = exports.exports_by_name()[what]
        with reader_may_leave():
            _write(what, export.rows(snapshot.conn, snapshot.run), export.columns, format_)


def _write(what: str, rows: Iterator[Row], columns: Iterable[str], format_: Format) -> None:
    if format_ == "csv":
        exports.write_csv(rows, sys.stdout, columns)
    elif format_ == "xlsx":
        write_xlsx(rows, sys.stdout.buffer, columns, what)
    else:
        exports.write_jsonl(rows, sys.stdout)


# ---------------------------------------------------------------- league backup


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
        raise InvalidInput("secrets", say("the secrets belong in another file than the backup"))
    if as_json and file == STANDARD_OUTPUT:
        raise InvalidInput("json", say("the backup itself goes to standard output: name a file"))
    with existing_league() as league:
        names = [] if secrets is None else write_secrets(settings(), secrets)
        pictures = PhotoStore(required_photo_place(settings())) if photos else None
        with _opened(file) as out:
            key = begin_backup(league, actor)
            with terminal.progress(say("writing lines")) as progress:
                header = write_backup(league.database.url, out, clock(), key, progress, pictures)
    events = header.rows["stored_events"]
    if as_json:
        terminal.print_json({"file": str(file), "events": events, "position": header.position, "secrets": names})
        return
    terminal.err.print(
        say(
            "Wrote {events} events up to position {position}, and what belongs to them.",
            events=events,
            position=header.position,
        )
    )
    if names:
        terminal.err.print(
            say("Wrote {names} into {secrets}.", names=joined(names), secrets=terminal.quoted(str(secrets)))
        )


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """The file to write. It replaces an existing file only when it is complete. Raises InvalidInput."""
    if file == STANDARD_OUTPUT:
        if os.isatty(sys.stdout.fileno()):
            raise InvalidInput("file", say("a terminal cannot show a backup: write it into a file or a pipe"))
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise InvalidInput("file", say("the reader of standard output left before the end of the backup")) from None
        return
    try:
        with replaced(file) as out:
            yield out
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error


# ---------------------------------------------------------------- league restore


STANDARD_INPUT = Path("-")
NO_KEY = say(
    "Nothing signs the log: set LEAGUE_SIGNING_KEY to the key of the league that was backed up. "
    "Without that key, set a new one (`openssl rand -base64 32`) and run `league heads sign "
    "--new-key`."
)
OTHER_KEY = say(
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
            # This comes first: the next process that opens the league would make other secrets.
            store_secrets(kept, configured.data_dir)
        pictures = PhotoStore(required_photo_place(configured)) if backup.header.rows[PICTURES] else None
        with terminal.progress(say("loading lines")) as progress:
            load_backup(database.url, backup, players, actor, progress, pictures)
        with EventStore(database.url, codec, table_secret_of(configured)) as store:
            league = League(database, store, Dispatcher(store, clock))
            with terminal.progress(say("projecting events")) as progress:
                fold_restored(league, backup.header, progress)
            digest = official_digest(database.url, league.project)
        advice = [
            *_advice(database.url, configured, kept, embedded=database.embedded),
            *_shown_without_run(database.url),
        ]
    _print(backup.header, players, digest, advice)


def _advice(url: str, configured: Settings, kept: dict[str, str], *, embedded: bool) -> list[str]:
    """What the operator must still do, so that the league signs its log and accepts its tokens as before."""
    if kept and not embedded:
        names = joined(kept)
        return [say("Set {names} to what the file of the secrets says, before you start the league.", names=names)]
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


def _shown_without_run(url: str) -> list[str]:
    """What becomes of the replays that are shown to everybody: a backup has no runs."""
    with connect(url) as conn:
        shown = [number for (number,) in conn.execute("SELECT replay FROM shown_replays ORDER BY replay")]
    if not shown:
        return []
    return [
        say(
            "These replays are shown to everybody, and a worker folds them again by itself: {replays}. Until it has, "
            "nobody can read their figures. `league serve` has a worker; `league worker` is one.",
            replays=", ".join(map(str, shown)),
        )
    ]


def _print(header: BackupHeader, players: list[str], digest: LeagueDigest, advice: list[str]) -> None:
    made_at = f"{header.made_at:%Y-%m-%d %H:%M} UTC"
    terminal.err.print(
        say("Restored {rows} events of the backup of {made_at}.", rows=header.rows["stored_events"], made_at=made_at)
    )
    if players:
        terminal.err.print(
            say("Erased the names of these players: {players}.", players=terminal.quoted(", ".join(players)))
        )
    for line in advice:
        terminal.err.print(f"[yellow]{spoken(say('note'))}[/] {terminal.quoted(line)}", soft_wrap=True)
    terminal.print_json(digest)


@contextmanager
def _opened_backup(file: Path) -> Iterator[BinaryIO]:
    """The backup file to read. Raises InvalidInput."""
    if file == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        source = file.open("rb")
    except FileNotFoundError:
        raise InvalidInput("file", say("{file} is not there", file=file)) from None
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    with source:
        yield source
