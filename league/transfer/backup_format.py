"""The file of a backup: compressed lines of JSON in sections, each line with a checksum. docs/backup.md describes it.

The pictures of photos are in it too: each is checked against its hash on the way out and on the way in.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple, Self, TypeVar

import msgspec
from msgspec import Struct

from league.audit.shadow_rebuild import LeagueDigest
from league.domain.sentences import say
from league.infra.photo_store import OVERLAYS, PhotoDamaged, PhotoStore, hash_of
from league.infra.photo_store import PICTURES as PICTURE_FOLDER

FORMAT = "league-backup/1"

LONGEST_LINE = 1 << 28
"""Bytes. A compressed file may hold a line that is larger than the memory."""
CHECKSUM = 9
"""The characters before the JSON of a line: eight hexadecimal digits and a space."""
BLOCK = 1 << 16
"""Bytes that are compressed at a time."""
L = TypeVar("L")

Progress = Callable[[int, int], None]
"""Called with (lines done, lines in all)."""
STEP = 5_000
"""Lines between two calls of `Progress`."""


class CountedLines:
    """Counts the lines that are written or read, and reports the progress."""

    def __init__(self, total: int, progress: Progress | None, done: int = 0) -> None:
        self._total, self._progress, self._done = total, progress, done

    def through(self, lines: Iterator[L]) -> Iterator[L]:
        """The lines, counted."""
        for line in lines:
            yield line
            self._done += 1
            if self._progress is not None and (self._done % STEP == 0 or self._done == self._total):
                self._progress(self._done, self._total)


# ---------------------------------------------------------------- what the lines hold


class HighestNumbers(Struct, frozen=True):
    """The highest numbers that the league has given, even to what is gone. A restored league goes on after them."""

    run: int
    """The highest number of a run or a replay."""
    entry: int
    """The highest number of a journal entry."""
    notice: int = 0
    """The highest number of a notice; backups of older programs lack it."""


SEQUENCES = {"run": "runs_run_seq", "entry": "journal_entry_seq", "notice": "notices_notice_seq"}
"""The sequence of the database that gives each of these numbers."""


class BackupHeader(Struct, frozen=True):
    """The first line: tells which log this is, and in which state."""

    format: str
    made_at: datetime
    position: int
    """The position of the last event."""
    hash: str
    """The hash of the last event, in hexadecimal."""
    key: str | None
    """The public key of the heads that the log was checked with, in hexadecimal. None: it was checked without heads."""
    digest: LeagueDigest | None
    """The digest of the official run. None: nothing was projected yet, or adopted rules were not projected yet."""
    numbers: HighestNumbers
    rows: dict[str, int]
    """The number of lines of each section, in the order of the sections."""


class SectionOpening(Struct, frozen=True):
    """The line before the lines of a section."""

    section: str


class BackupTrailer(Struct, frozen=True):
    """The last line."""

    lines: int
    """How many lines precede it."""
    sha256: str
    """The hash of all bytes that precede it, uncompressed, in hexadecimal."""


class BackupEvent(Struct, frozen=True, array_like=True):
    """An event of the log. Its hash follows from the events up to it, so the file does not have it."""

    position: int
    version: int
    recorded_at: int
    """Microseconds since the beginning of 2000, UTC."""
    stream: str
    name: str
    state: str


class SealingKey(Struct, frozen=True, array_like=True):
    """The key that opens the sealed names of a player or a member."""

    stream: str
    key: bytes


class RequestRecord(Struct, frozen=True, array_like=True):
    """The record of a request that stored events."""

    actor: str
    key: str
    input_hash: str
    position: int


class RevokedToken(Struct, frozen=True, array_like=True):
    """A token that was revoked."""

    jti: str
    revoked_at: datetime
    expires_at: datetime | None


class BackupJournalEntry(Struct, frozen=True, array_like=True):
    """An entry of the journal: how an official rating moved."""

    entry: int
    position: int
    cause: str
    subject: str
    id: str
    mode: str
    match_id: str | None
    before: float
    after: float | None


class BackupNotice(Struct, frozen=True, array_like=True):
    """A notice: what everybody is told for a while."""

    notice: int
    kind: str
    position: int
    since: datetime
    until: datetime
    body: Any


class BackupPlayerNotice(Struct, frozen=True, array_like=True):
    """A player whom a notice concerns, with the ratings that moved."""

    notice: int
    player_id: str
    moves: Any


class BackupReplay(Struct, frozen=True, array_like=True):
    """A replay that was asked for. Its run is not in the backup."""

    replay: int
    candidate: bytes | None
    starts_at: datetime | None
    ends_at: datetime | None
    known_at: datetime | None
    requested_by: str
    requested_at: datetime
    run: int | None
    failure: str | None
    cancelled_at: datetime | None
    attempts: int
    done: int
    total: int
    title: str | None = None
    reason: str | None = None
    revises: str | None = None
    restores: int | None = None


class BackupFit(Struct, frozen=True, array_like=True):
    """Rules of ratings that were fitted to the history of the league."""

    rating: str
    first_month: str
    last_month: str
    held_out: bytes
    fitted_at: datetime


class BackupLogo(Struct, frozen=True, array_like=True):
    """The picture of the club's logo."""

    sha256: str
    content: bytes


class BackupSection(NamedTuple):
    """A section with the rows of a table, one per line."""

    table: str
    kind: type[Struct]
    """The type of a line: array-like, with the columns of the table as fields."""
    order: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of a line."""
        return self.kind.__struct_fields__


HEADS, EVENTS = "signed_heads", "stored_events"
"""The sections that come first. They hold heads as `signed_heads.as_json` writes them, and `BackupEvent`s."""

TABLES = (
    BackupSection("sealing_keys", SealingKey, ("stream",)),
    BackupSection("requests", RequestRecord, ("position", "actor", "key")),
    BackupSection("revoked_tokens", RevokedToken, ("jti",)),
    BackupSection("journal", BackupJournalEntry, ("entry",)),
    BackupSection("notices", BackupNotice, ("notice",)),
    BackupSection("notice_players", BackupPlayerNotice, ("notice", "player_id")),
    BackupSection("replays", BackupReplay, ("replay",)),
    BackupSection("fitted_rules", BackupFit, ("rating",)),
    BackupSection("logos", BackupLogo, ("sha256",)),
)
"""The sections after them, in the order of the file."""


class StoredObject(Struct, frozen=True, array_like=True):
    """A picture of a photo, or its overlay, as it is stored."""

    name: str
    content: bytes


PICTURES = "pictures"
"""The last section, which is no table: `StoredObject`s, if pictures were asked for."""

NAMES_OF_SECTIONS = (HEADS, EVENTS, *(section.table for section in TABLES))

ADDED_LATER = frozenset({"notices", "notice_players", "fitted_rules", "logos"})
"""Sections that backups of older programs lack. They are read as empty."""

# ---------------------------------------------------------------- writing

_ENCODER = msgspec.json.Encoder()


class BackupWriter:
    """Writes a backup to a file or a pipe. The backup is complete after `end`."""

    def __init__(self, out: BinaryIO) -> None:
        # The time and the name that gzip would add are in the header, and in the name of the file.
        self._gzip = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0)
        self._out = io.BufferedWriter(self._gzip, BLOCK)
        self._crc, self._sha, self._lines = 0, sha256(), 0

    def write(self, line: Struct) -> None:
        """Write a line."""
        text = _ENCODER.encode(line) + b"\n"
        self._crc = zlib.crc32(text, self._crc)
        line_of_file = b"%08x %s" % (self._crc, text)
        self._sha.update(line_of_file)
        self._out.write(line_of_file)
        self._lines += 1

    def open(self, section: str) -> None:
        """Begin a section."""
        self.write(SectionOpening(section))

    def section(self, name: str, lines: Iterable[Struct]) -> None:
        """Write a section."""
        self.open(name)
        for line in lines:
            self.write(line)

    def end(self) -> None:
        """Write the last line, and what is still in memory."""
        self.write(BackupTrailer(self._lines, self._sha.hexdigest()))
        self._out.flush()
        self._gzip.close()


# ---------------------------------------------------------------- reading

T = TypeVar("T", bound=Struct)


class DamagedBackup(Exception):
    """A file is not a backup, or not as it was written. Nothing of it is restored."""

    def __init__(self, section: str | None, line: int, reason: str) -> None:
        said = say("the backup is damaged: line {line} {reason}; nothing was restored", line=line, reason=reason)
        if section is not None:
            said = say(
                "the backup is damaged: line {line} of the section {section} {reason}; nothing was restored",
                line=line,
                section=section,
                reason=reason,
            )
        super().__init__(said)
        self.section = section
        """None before the first section and after the last one."""
        self.line = line
        """The number of the line in the uncompressed file, from 1."""
        self.reason = reason


class UnknownFormat(Exception):
    """The file is no backup, or of a version that this program does not read."""

    def __init__(self, found: str | None) -> None:
        said = (
            say("the file is not a backup of a league")
            if found is None
            else say("the backup has the format {found!r}", found=found)
        )
        super().__init__(say("{said}; this program reads {format!r}", said=said, format=FORMAT))
        self.found = found


class BackupReader:
    """Reads a backup from a file or a pipe, in one pass. Raises DamagedBackup, and UnknownFormat for another file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = gzip.GzipFile(fileobj=file, mode="rb")
        self._crc, self._sha, self._line = 0, sha256(), 0
        self._section: str | None = None
        self._check_format()
        self.header = self._read(BackupHeader)
        self._check_sections()

    def section(self, name: str, kind: type[T]) -> Iterator[T]:
        """The lines of the next section, which must have this name."""
        if name not in self.header.rows:
            return
        self._section = name
        if self._read(SectionOpening).section != name:
            raise self.damaged(say("is not the first line of this section"))
        decoder = msgspec.json.Decoder(kind)
        for _ in range(self.header.rows[name]):
            yield self._decoded(decoder)

    def end(self) -> None:
        """Check the last line."""
        self._section = None
        expected = BackupTrailer(self._line, self._sha.hexdigest())
        if self._read(BackupTrailer) != expected:
            raise self.damaged(say("is not the checksum of the lines before it"))
        if self._next_line():
            raise self.damaged(say("comes after the end"))

    def damaged(self, reason: str) -> DamagedBackup:
        """An error at the line that was read last."""
        return DamagedBackup(self._section, self._line, reason)

    def _check_format(self) -> None:
        try:
            start = self._file.peek(BLOCK)
        except (EOFError, OSError, zlib.error):
            raise UnknownFormat(None) from None
        try:
            found = msgspec.json.decode(start.partition(b"\n")[0][CHECKSUM:], type=dict[str, Any]).get("format")
        except msgspec.DecodeError:
            # The first line may be damaged, or be larger than what was read ahead.
            found = FORMAT if b'"format":"league-backup/' in start else None
        if found != FORMAT:
            raise UnknownFormat(found if isinstance(found, str) else None)

    def _check_sections(self) -> None:
        rows = self.header.rows
        expected = [name for name in (*NAMES_OF_SECTIONS, PICTURES) if name in rows or name not in ADDED_LATER]
        if [*rows] != expected or min(rows.values()) < 0:
            raise self.damaged(say("does not name the sections of this format"))

    def _read(self, kind: type[T]) -> T:
        return self._decoded(msgspec.json.Decoder(kind))

    def _decoded(self, decoder: msgspec.json.Decoder[T]) -> T:
        line = self._next_line()
        if not line.endswith(b"\n"):
            raise self.damaged(say("is missing or incomplete: the file ends too early"))
        text = line[CHECKSUM:]
        self._crc = zlib.crc32(text, self._crc)
        if line[:CHECKSUM] != b"%08x " % self._crc:
            raise self.damaged(say("is not the one that was written, or not the one that follows the line before it"))
        self._sha.update(line)
        try:
            return decoder.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self.damaged(say("is not readable ({error})", error=error)) from error

    def _next_line(self) -> bytes:
        self._line += 1
        try:
            line = self._file.readline(LONGEST_LINE)
        except EOFError:
            raise self.damaged(say("is missing or incomplete: the file ends too early")) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self.damaged(say("cannot be decompressed ({error})", error=error)) from error
        if len(line) == LONGEST_LINE:
            raise self.damaged(say("is too long"))
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


# ---------------------------------------------------------------- pictures


_OBJECT_NAME = re.compile(rf"({PICTURE_FOLDER}/(?P<hash>[0-9a-f]{{64}})|{OVERLAYS}/[\w-]{{1,64}})", re.ASCII)
"""The name of a stored object."""


def stored_objects(names: Sequence[str], pictures: PhotoStore) -> Iterator[StoredObject]:
    """The objects of these names. Raises PhotoDamaged for one that is missing or was changed, PhotosAway."""
    for name in names:
        content = pictures.get(name)
        if content is None or not _is_whole(name, content):
            raise PhotoDamaged(name.partition("/")[2], missing=content is None)
        yield StoredObject(name, content)


def restore_pictures(backup: BackupReader, objects: Iterable[StoredObject], pictures: PhotoStore | None) -> None:
    """Store the pictures of a backup. `pictures` None: the backup must have none. Raises DamagedBackup, PhotosAway."""
    for stored in objects:
        if pictures is None or not _is_whole(stored.name, stored.content):
            raise backup.damaged(say("holds a picture with another hash"))
        pictures.put(stored.name, stored.content)


def _is_whole(name: str, content: bytes) -> bool:
    found = _OBJECT_NAME.fullmatch(name)
    return found is not None and found["hash"] in (None, hash_of(content))
