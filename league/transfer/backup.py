"""Writes a backup: the log and what no log can tell, from one snapshot, while the league runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import BinaryIO, LiteralString

from msgspec import Struct
from psycopg import sql

from league.application import storing
from league.application.bootstrap import League
from league.audit.head_signing import stored_heads
from league.audit.shadow_rebuild import LeagueDigest
from league.audit.signed_heads import as_json, raw
from league.audit.verification import VerificationFault, verify_log
from league.domain.audit_trail import RowsExported
from league.domain.sentences import say
from league.domain.wrong_states import NoLeagueYet
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import Conn, decode
from league.eventlog.records import AppendRequest
from league.features import declared
from league.infra.database import connect, without_time_limits
from league.infra.photo_store import PhotoStore
from league.projections import runs
from league.projections.runs import run_digest
from league.transfer.backup_format import (
    EVENTS,
    FORMAT,
    HEADS,
    NAMES_OF_SECTIONS,
    PICTURES,
    SEQUENCES,
    STEP,
    TABLES,
    BackupEvent,
    BackupHeader,
    BackupSection,
    BackupWriter,
    CountedLines,
    HighestNumbers,
    Progress,
    stored_objects,
)
from league.transfer.transfer_part import TransferPart

LAST_EVENT = "SELECT position, hash FROM stored_events ORDER BY position DESC LIMIT 1"
OFFICIAL = "SELECT run, runs.position, code, hold_run(run) FROM official_run JOIN runs USING (run)"
RULED_AFTER = "SELECT FROM followed_events WHERE originator_id = 'rulebook' AND position > %s LIMIT 1"
LAST_NUMBER = "SELECT coalesce(pg_sequence_last_value(%s::regclass), 0)"


class LogDoesNotHold(Exception):
    """The log was changed, so no backup of it is made."""

    def __init__(self, fault: VerificationFault) -> None:
        super().__init__(
            say("the log does not hold ({says}), so no backup was made; see `league verify`", says=fault.says)
        )
        self.fault = fault


BACKUP = "backup"
"""What the trail calls a backup."""


def begin_backup(league: League, actor: str) -> bytes | None:
    """Store in the trail that somebody makes a backup. Returns the public key with which its log is checked, if any."""
    storing.record(league.store, RowsExported(BACKUP, FORMAT, None), AppendRequest(actor, "manual"))
    return None if league.key is None else raw(league.key.public_key())


def write_backup(
    url: str,
    out: BinaryIO,
    made_at: datetime,
    key: bytes | None = None,
    progress: Progress | None = None,
    pictures: PhotoStore | None = None,
) -> BackupHeader:
    """Write the state of the league at this moment, and what `pictures` stores of its photos. Returns the header.

    The log is checked on the way: its chain, and that it is what the heads by `key` (a public key) signed. Raises
    WrongState for an empty log, LogDoesNotHold, and PhotoDamaged or PhotosAway; then what was written is no backup.
    """
    with _snapshot(url) as (conn, official):
        naming = [part.backed_up for part in declared(TransferPart) if part.backed_up is not None]
        objects = [] if pictures is None else [name for names in naming for name in names(conn, pictures)]
        header = _header(conn, official, made_at, key, len(objects))
        writer = BackupWriter(out)
        writer.write(header)
        heads = stored_heads(conn)
        writer.section(HEADS, map(as_json, heads))
        counted = CountedLines(sum(header.rows.values()), progress, len(heads)).through
        writer.open(EVENTS)
        # A COPY that is not read to its end blocks the connection until it is closed.
        with closing(encoded_rows.rows(conn)) as rows:
            report = verify_log(_written(counted(rows), writer), [head for head in heads if head.key == key])
        if fault := next((fault for fault in report.faults if fault.part == "log"), None):
            raise LogDoesNotHold(fault)
        for section in TABLES:
            writer.section(section.table, counted(_rows(conn, section)))
        stored = () if pictures is None else stored_objects(objects, pictures)
        writer.section(PICTURES, counted(iter(stored)))
        writer.end()
    return header


@contextmanager
def _snapshot(url: str) -> Iterator[tuple[Conn, tuple[int, int, str] | None]]:
    """A connection that reads one state of the league; and run, position and version of its official run, if any."""
    while True:
        with connect(url) as conn:
            without_time_limits(conn)
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            row = conn.execute(OFFICIAL).fetchone()
            if row is None:
                yield conn, None
                return
            run, position, code, held = row
            if held:  # if not, another run has just replaced it
                yield conn, (run, position, code)
                return


def _header(
    conn: Conn, official: tuple[int, int, str] | None, made_at: datetime, key: bytes | None, pictures: int
) -> BackupHeader:
    last = conn.execute(LAST_EVENT).fetchone()
    if last is None:
        raise NoLeagueYet(say("the league"), say("not there"), say("its log is empty"))
    numbers = HighestNumbers(**{name: _one(conn, LAST_NUMBER, sequence) for name, sequence in SEQUENCES.items()})
    digest = None
    if official is not None:
        run, folded, code = official
        # A run that was just promoted is folded under rules that the log adopts only later.
        if not conn.execute(RULED_AFTER, (folded,)).rowcount:
            digest = LeagueDigest(runs.last_folded(conn, folded), code, run_digest(conn, run))
    rows = {**{table: _count(conn, table) for table in NAMES_OF_SECTIONS}, PICTURES: pictures}
    position, hash_ = last
    signer = None if key is None else key.hex()
    return BackupHeader(FORMAT, made_at, position, hash_.hex(), signer, digest, numbers, rows)


def _count(conn: Conn, table: str) -> int:
    return _one(conn, sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))


def _one(conn: Conn, query: LiteralString | sql.Composed, *parameters: str) -> int:
    row = conn.execute(query, parameters).fetchone()
    assert row is not None
    return int(row[0])


def _written(rows: Iterator[tuple[bytes, bytes]], writer: BackupWriter) -> Iterator[tuple[bytes, bytes]]:
    """The events, each written when it has been checked."""
    for row in rows:
        yield row
        position, version, recorded_at, stream, name, state = decode(row[0])
        writer.write(BackupEvent(position, version, recorded_at, stream, name, state.decode()))


def _rows(conn: Conn, section: BackupSection) -> Iterator[Struct]:
    query = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(
        _listed(section.columns), sql.Identifier(section.table), _listed(section.order)
    )
    with conn.cursor(section.table) as cursor:
        cursor.itersize = STEP
        for row in cursor.execute(query):
            yield section.kind(*row)


def _listed(columns: tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
