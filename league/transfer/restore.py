"""Loads a backup into a migrated database without a league, in one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from struct import error as OutOfRange  # noqa: N812  # its own name says nothing

import msgspec
from msgspec import Struct
from msgspec.structs import astuple
from psycopg import DataError, IntegrityError, sql
from psycopg.types.json import Jsonb

from league.application.bootstrap import League
from league.audit import head_signing
from league.audit.shadow_rebuild import LeagueDigest, official_digest
from league.audit.signed_heads import LogHead, WrittenHead
from league.audit.verification import verify_log
from league.domain import deciders
from league.domain.members import MemberRemoved
from league.domain.player import PlayerErased
from league.domain.refusals import DatabaseNotEmpty, NotFound
from league.domain.sentences import say
from league.eventlog import codec, encoded_rows, sealing
from league.eventlog.encoded_rows import FIRST, Conn, HashedRow, encode, hash_of
from league.eventlog.envelopes import Envelope
from league.eventlog.recorder import EVENTS_STORED, RIGHTS_CHANGED, insert_next
from league.eventlog.records import AddedByRestore, EventPart
from league.features import declared
from league.infra.database import connect, without_time_limits
from league.infra.photo_store import PhotoStore
from league.projections import runs
from league.projections.folds.match_fold import RulesTimeline
from league.projections.projector import AnotherProjector, Projector
from league.transfer.backup_format import (
    EVENTS,
    HEADS,
    NAMES_OF_SECTIONS,
    PICTURES,
    SEQUENCES,
    TABLES,
    BackupEvent,
    BackupHeader,
    BackupReader,
    BackupSection,
    CountedLines,
    HighestNumbers,
    Progress,
    SealingKey,
    StoredObject,
    restore_pictures,
)

GO_ON = """
    SELECT setval(%(sequence)s, %(last)s)
    WHERE %(last)s > coalesce(pg_sequence_last_value(%(sequence)s::regclass), 0)
"""
CANCEL = "UPDATE replays SET cancelled_at = clock_timestamp() WHERE unfinished"
# The members who are a player, according to the newest event of each member that says so.
MEMBERS_OF = """
    SELECT member_stream
    FROM (
        SELECT DISTINCT ON (originator_id) originator_id AS member_stream,
               convert_from(state, 'UTF8')::jsonb -> 'body' ->> 'player' AS player
        FROM stored_events WHERE topic IN ('member-added/1', 'access-granted/1', 'member-changed/1')
        ORDER BY originator_id, originator_version DESC
    ) AS newest
    WHERE player = %s ORDER BY member_stream
"""
FOLD_AGAIN = "UPDATE runs SET code = 'restored' WHERE run = %s"


class RestoredDiffers(Exception):
    """The log was restored, but does not fold into the league that was backed up."""

    def __init__(self, expected: LeagueDigest, found: LeagueDigest) -> None:
        super().__init__(
            say(
                "the log is restored, but at position {position} it folds into a league with the digest "
                "{digest}, and the backup was made of one with {digest_2}; `league verify` in that league tells "
                "what was changed there",
                position=found.position,
                digest=found.digest,
                digest_2=expected.digest,
            )
        )
        self.expected = expected
        self.found = found


def load_backup(
    url: str,
    backup: BackupReader,
    erase: Collection[str] = (),
    actor: str = "cli",
    progress: Progress | None = None,
    pictures: PhotoStore | None = None,
) -> None:
    """Load a backup, whole or not at all; the next projector folds it.

    `pictures`: where to store the pictures of its photos, if it has some. `erase`: players whose names `actor` erases
    before anyone can read them. Raises DatabaseNotEmpty, NotFound for an unknown player to erase, PhotosAway, and
    DamagedBackup.
    """
    header = backup.header
    counted = CountedLines(sum(header.rows.values()), progress).through
    with connect(url) as conn:
        without_time_limits(conn)
        # Other restores and writers wait. A reader sees nothing until all of it is there.
        conn.execute("SELECT lock_event_log()")
        _check_empty(conn)
        try:
            _load_events(conn, backup, _load_heads(conn, backup), counted)
            for section in TABLES:
                rows = counted(backup.section(section.table, section.kind))
                _load(conn, section, (row for row in rows if not _is_key_of(row, erase)))
        except (DataError, IntegrityError, OutOfRange) as error:
            raise backup.damaged(
                say("or one before it does not fit into the database ({error})", error=error)
            ) from error
        # Pictures are stored under their hashes: if the restore fails after this, they do no harm.
        restore_pictures(backup, counted(backup.section(PICTURES, StoredObject)), pictures)
        backup.end()
        conn.execute(CANCEL)
        _go_on_counting(conn, header.numbers)
        conn.execute(EVENTS_STORED)
        conn.execute(RIGHTS_CHANGED)
        _fold_again(conn)
        for part in declared(EventPart):
            if part.added_by_restore is not None:
                _insert(conn, _added(conn, part.added_by_restore), actor)
        for player in sorted(set(erase)):
            _erase(conn, player, actor)


def fold_restored(league: League, header: BackupHeader, progress: Progress | None = None) -> None:
    """Fold a league that was just loaded. Raises RestoredDiffers, ProjectorStuck.

    If another process projects the league, it folds it.
    """
    if header.digest is not None:
        with suppress(AnotherProjector), Projector(league.database.url, league.store) as projector:
            projector.rebuild(progress, until=header.digest.position)
            found = official_digest(league.database.url, league.project)
            if found.folds == header.digest.folds and found != header.digest:
                raise RestoredDiffers(header.digest, found)
    league.project(progress)


def _check_empty(conn: Conn) -> None:
    for table in (EVENTS, *NAMES_OF_SECTIONS):
        if conn.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(sql.Identifier(table))).rowcount:
            raise DatabaseNotEmpty(table)


def _load_heads(conn: Conn, backup: BackupReader) -> list[LogHead]:
    heads = []
    for written in backup.section(HEADS, WrittenHead):
        try:
            head = written.head()
        except ValueError as error:
            raise backup.damaged(say("holds no signed head ({error})", error=error)) from error
        head_signing.store(conn, head)
        heads.append(head)
    return heads


def _load_events(
    conn: Conn, backup: BackupReader, heads: list[LogHead], counted: Callable[..., Iterator[BackupEvent]]
) -> None:
    """Load the log, and check its chain and the heads by the key with which it was checked when it was written."""
    by_key = [head for head in heads if head.key.hex() == backup.header.key]
    events = _hashed(counted(backup.section(EVENTS, BackupEvent)))
    with closing(encoded_rows.copied_in(conn, events)) as copied:
        report = verify_log(copied, by_key)
    if fault := next((fault for fault in report.faults if fault.part == "log"), None):
        raise backup.damaged(say("does not continue the log: {says}", says=fault.says))
    if (report.events, report.hash.hex()) != (backup.header.position, backup.header.hash):
        raise backup.damaged(say("ends the log with another hash than the first line of the file says"))


def _hashed(events: Iterator[BackupEvent]) -> Iterator[tuple[bytes, bytes]]:
    before = FIRST
    for event in events:
        entry = HashedRow(
            event.position, event.version, event.recorded_at, event.stream, event.name, event.state.encode()
        )
        encoded = encode(entry)
        before = hash_of(before, encoded)
        yield encoded, before


def _load(conn: Conn, section: BackupSection, rows: Iterator[Struct]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, section.columns))
    copy_in = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(section.table), columns)
    with conn.cursor() as cursor, cursor.copy(copy_in) as copy:
        for row in rows:
            copy.write_row([Jsonb(value) if isinstance(value, (dict, list)) else value for value in astuple(row)])


def _is_key_of(row: Struct, erased: Collection[str]) -> bool:
    return isinstance(row, SealingKey) and row.stream in map(_stream_of, erased)


def _stream_of(erased: str) -> str:
    """The stream of a player's id, or of `member:` followed by a member's id."""
    return erased if erased.startswith(sealing.MEMBER_STREAM) else f"{sealing.PLAYER_STREAM}{erased}"


def _go_on_counting(conn: Conn, numbers: HighestNumbers) -> None:
    """Set the sequences so that no number is given twice, even if what had it is gone."""
    for name, sequence in SEQUENCES.items():
        conn.execute(GO_ON, {"sequence": sequence, "last": getattr(numbers, name)})


def _fold_again(conn: Conn) -> None:
    """Make an empty run official, so that the next projector folds the log again. The journal stays as it is."""
    run = runs.official_run(conn)
    if run is None:
        run = runs.new_run(conn, RulesTimeline((), {}), position=0)
        runs.attach(conn, run)
        runs.make_official(conn, run)
    runs.set_journaled(conn, run)
    conn.execute(FOLD_AGAIN, (run,))


def _erase(conn: Conn, erased: str, actor: str) -> None:
    """Erase a player with the members who are that player, or one member."""
    stream = _stream_of(erased)
    is_member = stream.startswith(sealing.MEMBER_STREAM)
    rows = conn.execute("SELECT topic FROM stored_events WHERE originator_id = %s", (stream,)).fetchall()
    if not rows:
        raise NotFound("erase", "member" if is_member else "player", erased)
    if any(codec.destroys_key(name) for (name,) in rows):
        return
    sealing.erase(conn, stream)
    _insert(conn, [(stream, len(rows) + 1, MemberRemoved() if is_member else PlayerErased())], actor)
    for (member,) in [] if is_member else conn.execute(MEMBERS_OF, (erased,)).fetchall():
        _erase(conn, member, actor)


def _added(conn: Conn, added: AddedByRestore) -> list[tuple[str, int, deciders.Event]]:
    """The events that a feature adds, each with its stream and its version there."""
    found = conn.execute(added.statement).fetchall()
    return [(stream, version + 1, added.event(*arguments)) for stream, version, *arguments in found]


def _insert(conn: Conn, events: Sequence[tuple[str, int, deciders.Event]], actor: str) -> None:
    """Add events, each with its stream and version, to the end of the log."""
    if not events:
        return
    new = []
    for stream, version, event in events:
        state = Envelope(actor, "manual", None, None, msgspec.Raw(codec.encode_body(event)))
        new.append((stream, version, codec.name_of(event), msgspec.json.encode(state)))
    record = f"~{uuid.uuid4().hex}"
    insert_next(conn, new, [actor, record, record])
