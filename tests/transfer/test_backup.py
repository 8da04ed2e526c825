"""Backups: what is in them, that they are consistent, and what becomes of them in another database."""

from __future__ import annotations

import gzip
import io
import os
import signal
import threading
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import psycopg
import pytest
from leagues import (
    REVISED,
    TABLE_SECRET,
    UNGUARDED,
    adopt,
    announced,
    at,
    catch_up,
    caught_up_digest,
    digest,
    forget_projections,
    import_cuban,
    league_at,
    own_database,
    part_of_season,
    rebuild,
    revised,
    send,
)
from live_tables import SLOW, alive, begin, contribute, dealt, do, events, league_with_tables, now, play
from processes import started
from psycopg import sql
from signed_leagues import SEED
from waiting import LIMIT, wait_until

from league.application import candidates, replay_requests, storing
from league.application.bootstrap import League, open_league
from league.application.candidates import unfinished_replays
from league.application.club_logo import store_logo
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.audit.head_signing import stored_heads
from league.audit.shadow_rebuild import compare, official_digest
from league.audit.signed_heads import raw, read_private_key
from league.audit.verification import verify_log
from league.domain.audit_trail import TokenRevoked
from league.domain.league import ChangeSettings
from league.domain.match import VoidMatch
from league.domain.player import ErasePlayer, RegisterPlayer
from league.domain.refusals import DatabaseNotEmpty, NotFound
from league.domain.rulebook import parse_rulebook
from league.eventlog import codec, encoded_rows
from league.eventlog.records import AppendRequest
from league.eventlog.sealing import key_faults
from league.infra.database import connect
from league.infra.settings import Settings
from league.projections.projector import ADVISORY_LOCK, Projector
from league.projections.replays.replay import ReplayPeriod, edition_to_revise
from league.projections.tables import RUN_TABLES
from league.projections.writers.catalogue import SHARED_TABLES
from league.tables.application.live_rows import mark_noted, standstills, write_missing_rows
from league.tables.domain.commands_and_events import HandDropped, MeetDeadline, OpenTable
from league.tables.domain.state import due_of
from league.transfer.backup import LogDoesNotHold, write_backup
from league.transfer.backup_format import (
    ADDED_LATER,
    EVENTS,
    NAMES_OF_SECTIONS,
    TABLES,
    BackupHeader,
    BackupReader,
    DamagedBackup,
    UnknownFormat,
)
from league.transfer.restore import fold_restored, load_backup

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEY = read_private_key(SEED)
SERVER = "LEAGUE_TEST_DATABASE_URL"
COMPUTED = {
    *SHARED_TABLES,
    *(table.name for table in RUN_TABLES),
    "runs",
    "official_run",
    "editions",
    "generation",
    "live_tables",
    "play_metrics",
    "play_progress",
    "live_presence",
    "live_heartbeat",
    "table_mutes",
    "shown_replays",
    "rules_reviews",
    "photos",
    "tournaments",
    "tournament_drawings",
    "tournament_players",
    "tournament_matches",
    "tournament_explanations",
    "tournament_choices",
    "hand_reviews",
    "review_losses",
    "review_consents",
    "members",
    "sign_in_links",
    "web_sessions",
}
"""Tables that are filled from the log, who is signed in, the number that tells kept answers apart, of which each
database has its own, what lasts as long as a live table, and reviews, which are computed again."""
MARK = "Zoraida Quintana"
"""A name that occurs nowhere else."""


@pytest.fixture(scope="module")
def source(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    """A signed league with rows in every section; of its replays one is promoted, one cancelled, and two wait."""
    with own_database(embedded_server) as url, league_at(url) as league:
        league.create("Liga", "America/Havana", "test")
        import_cuban(league, part_of_season(tmp_path_factory.mktemp("season"), 30))
        send(league, RegisterPlayer("zoraida", MARK, None), RegisterPlayer("luz", "Luz", None))
        send(league, announced("z1", ("zoraida", "p001"), 0))
        catch_up(league)
        league.dispatcher.send(ErasePlayer("luz"), "test")
        league.dispatcher.send(VoidMatch("z1", "a test"), "test", key="void-1")
        revised, by = (
            parse_rulebook(REVISED.read_text(encoding="utf-8"), edition_to_revise(url)),
            AppendRequest("test", "manual"),
        )
        fold_replay(url, replay_requests.start(league, ReplaySpec(revised), by).number)
        replay_requests.cancel(
            league, replay_requests.start(league, ReplaySpec(revised, ReplayPeriod(at(1))), by).number, by
        )
        catch_up(league)
        league.promoter.promote(2, by)
        for k in (30, 34):
            other = parse_rulebook(f"rating.k.provisional = {k}", edition_to_revise(url))
            replay_requests.start(league, ReplaySpec(other), by)
        for token in ("t1", "t2"):
            storing.record(league.store, TokenRevoked(token), by)
        league.dispatcher.send(ChangeSettings(logo=store_logo(url, b"a picture")), "test")
        catch_up(league)
        with connect(url) as conn:
            conn.execute("INSERT INTO revoked_tokens (jti, expires_at) VALUES ('t1', NULL), ('t2', now())")
            conn.execute("SELECT nextval('runs_run_seq')")
            conn.execute("INSERT INTO fitted_rules VALUES ('rating', '2026-01', '2026-03', '{}')")
        signed = League(league.database, league.store, league.dispatcher, KEY)
        signed.sign_head()
        yield signed


@pytest.fixture(scope="module")
def backup(source: League) -> bytes:
    """The backup of the league, which no test changes."""
    return backup_of(source.database.url)


def backup_of(url: str) -> bytes:
    out = io.BytesIO()
    write_backup(url, out, NOW, raw(KEY.public_key()))
    return out.getvalue()


def restore(url: str, backup: bytes | BinaryIO, erase: Sequence[str] = ()) -> BackupHeader:
    """Load a backup, and fold it."""
    with BackupReader(io.BytesIO(backup) if isinstance(backup, bytes) else backup) as reader:
        load_backup(url, reader, erase, "test")
        with league_at(url) as league:
            fold_restored(league, reader.header)
        return reader.header


def kept_rows(url: str) -> dict[str, list[Any]]:
    """The rows of what a backup holds."""
    with connect(url) as conn:
        found = {}
        for table in NAMES_OF_SECTIONS:
            # The number of a notification is not part of the log, and a restore cancels what was unfinished.
            query = "SELECT to_jsonb(t) - 'notification_id' - 'cancelled_at' - 'unfinished' FROM {} AS t ORDER BY 1"
            found[table] = conn.execute(sql.SQL(query).format(sql.Identifier(table))).fetchall()
        return found


def is_empty(url: str) -> bool:
    with connect(url) as conn:
        tables = (*NAMES_OF_SECTIONS, "runs", "official_run")
        return not any(conn.execute(sql.SQL("TABLE {}").format(sql.Identifier(table))).rowcount for table in tables)


def assert_holds(url: str, heads: Sequence[Any]) -> None:
    """The log, its keys and the read tables are good, with heads that were kept outside."""
    with connect(url) as conn:
        report = verify_log(encoded_rows.rows(conn), heads, [raw(KEY.public_key())])
        assert report.faults == []
        assert report.agreed == list(heads)
        assert list(key_faults(conn, codec.PRIVATE, codec.ERASING)) == []
    with league_at(url) as league:
        assert compare(url, league.store, league.project).faults == []


def heads_of(url: str) -> list[Any]:
    with connect(url) as conn:
        return stored_heads(conn)


# ---------------------------------------------------------------- what a backup holds


def test_every_table_is_in_the_backup_or_computed(database_url: str) -> None:
    """A new table needs a section, unless a projector fills it from the log; a new column, a field."""
    query = """
        SELECT relname, array_agg(attname::text) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = 'league'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
          AND attgenerated = '' AND NOT (relname = 'stored_events' AND attname = 'notification_id')
        GROUP BY relname
    """
    with connect(database_url) as conn:
        tables = {table: set(columns) for table, columns in conn.execute(query)}
    assert set(tables) == {*NAMES_OF_SECTIONS, *COMPUTED, "alembic_version"}
    assert {section.table: set(section.columns) for section in TABLES} == {s.table: tables[s.table] for s in TABLES}


def test_every_sequence_goes_on(database_url: str) -> None:
    """A new sequence needs a number in the header; that of notifications counts again by itself."""
    with connect(database_url) as conn:
        names = {name for (name,) in conn.execute("SELECT sequencename FROM pg_sequences WHERE schemaname = 'league'")}
    assert names == {
        "stored_events_notification_id_seq", "runs_run_seq", "journal_entry_seq", "notices_notice_seq",
    }  # fmt: skip


# ---------------------------------------------------------------- there and back


@pytest.mark.heavy
def test_a_league_goes_through_a_pipe(source: League, database_url: str) -> None:
    """Every row that is not computed arrives, and the league folds to the same digest; its log holds."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as incoming:

        def write() -> None:
            with os.fdopen(writing, "wb") as outgoing:
                write_backup(source.database.url, outgoing, NOW, raw(KEY.public_key()))

        writer = threading.Thread(target=write)
        writer.start()
        restore(database_url, incoming)
        writer.join(LIMIT)
    kept = kept_rows(database_url)
    assert kept == kept_rows(source.database.url)
    assert all(kept.values())
    assert official_digest(database_url, source.project) == official_digest(source.database.url, source.project)
    assert_holds(database_url, heads_of(source.database.url))


@pytest.mark.heavy
@pytest.mark.skipif(not os.environ.get(SERVER), reason="needs a server beside the embedded one")
def test_a_league_moves_to_a_server_of_another_version_and_back(source: League, embedded_server: str) -> None:
    """A league moves from the embedded database to a server, and from there to a new embedded database."""
    rows = kept_rows(source.database.url)
    with own_database(os.environ[SERVER]) as server, own_database(embedded_server) as back:
        restore(server, backup_of(source.database.url))
        restore(back, backup_of(server))
        assert kept_rows(server) == kept_rows(back) == rows
        assert digest(server) == digest(back) == digest(source.database.url)
        assert_holds(server, heads_of(source.database.url))


@pytest.mark.heavy
def test_a_restored_league_goes_on(source: League, backup: bytes, database_url: str, tmp_path: Path) -> None:
    """Its next numbers are new ones, unfinished replays are cancelled, and the next head follows the kept one."""
    kept = heads_of(source.database.url)
    restore(database_url, backup)
    with league_at(database_url) as opened:
        league = League(opened.database, opened.store, opened.dispatcher, KEY)
        with connect(database_url) as conn:
            states = conn.execute("SELECT unfinished, cancelled_at IS NOT NULL FROM replays ORDER BY replay").fetchall()
            assert states == [(False, False), (False, True), (False, True), (False, True)]
            (entry,) = conn.execute("SELECT max(entry) FROM journal").fetchone() or (0,)
        number = replay_requests.start(league, ReplaySpec(None), AppendRequest("test", "manual")).number
        assert number > 6  # six were given, one of them to a request that was never stored
        fold_replay(database_url, number)
        import_cuban(league, part_of_season(tmp_path, 40))
        send(league, announced("m1", ("zoraida", "p001"), 24 * 90))
        catch_up(league)
        league.sign_head()
        with connect(database_url) as conn:
            assert conn.execute("SELECT run = %s FROM replays WHERE replay = %s", [number] * 2).fetchone() == (True,)
            assert conn.execute("SELECT min(entry) > %s FROM journal WHERE match_id = 'm1'", (entry,)).fetchone() == (
                True,
            )
        assert_holds(database_url, [*kept, heads_of(database_url)[-1]])


@pytest.mark.heavy
def test_a_repeated_request_is_answered_after_a_restore(source: League, backup: bytes, database_url: str) -> None:
    """After a restore, a repeated request gets the position of the first; nothing is stored again."""
    before = source.store.answer_to("test", "void-1")
    assert before is not None
    restore(database_url, backup)
    with league_at(database_url) as league:
        assert league.dispatcher.send(VoidMatch("z1", "a test"), "test", key="void-1") == before.position


ADDED_TO_REPLAYS = 4
"""The columns of replays that came later: title, reason, revises and restores."""


def as_written_before_candidates(backup: bytes) -> bytes:
    """A backup without what programs from before titles of replays, notices and stored fits did not write."""
    header, *texts = [line[9:] for line in lines_of(backup)[:-1]]
    first, section, kept = msgspec.json.decode(header), "", list[bytes]()
    for name in ADDED_LATER:
        del first["rows"][name]
    del first["numbers"]["notice"]
    for text in texts:
        line = msgspec.json.decode(text)
        section = line["section"] if isinstance(line, dict) and "section" in line else section
        is_replay = section == "replays" and isinstance(line, list)
        if section not in ADDED_LATER:
            kept.append(msgspec.json.encode(line[:-ADDED_TO_REPLAYS]) + b"\n" if is_replay else text)
    return gzip.compress(b"".join(with_checksums([msgspec.json.encode(first) + b"\n", *kept])))


@pytest.mark.heavy
def test_a_backup_of_an_older_program_is_restored(source: League, backup: bytes, database_url: str) -> None:
    """Sections and columns that it lacks are empty; everything else arrives, and the league goes on."""
    restore(database_url, as_written_before_candidates(backup))
    restored, known = kept_rows(database_url), kept_rows(source.database.url)
    added = {"title", "reason", "revises", "restores"}
    assert all(row[name] is None for (row,) in restored["replays"] for name in added)
    for rows in (restored, known):
        rows["replays"] = [{name: row[name] for name in row.keys() - added} for (row,) in rows["replays"]]
    assert restored == {**known, **{name: [] for name in ADDED_LATER}}
    with league_at(database_url) as league:
        send(league, announced("m1", ("zoraida", "p001"), 24 * 90))
        catch_up(league)
    assert_holds(database_url, heads_of(source.database.url))


# ---------------------------------------------------------------- consistency


def write_until(stop: threading.Event, league: League, numbers: Iterator[int]) -> None:
    """Register two players and let them play, again and again."""
    while not stop.is_set():
        number = next(numbers)
        send(league, *(RegisterPlayer(f"{side}{number}", f"N{number}", None) for side in "ab"))
        send(league, announced(f"m{number}", (f"a{number}", f"b{number}"), number / 100))


def project_until(stop: threading.Event, league: League) -> None:
    """Follow the log in small pages."""
    with Projector(league.database.url, league.store, page=7) as projector:
        projector.follow(stop.is_set, idle=0.05)


@pytest.mark.heavy
def test_a_backup_is_one_state_of_a_league_that_is_written_to(league_url: str, embedded_server: str) -> None:
    """While four writers write and the projector follows, each backup folds to what its part of the log folds to."""
    stop, numbers, backups = threading.Event(), count(), list[bytes]()
    with league_at(league_url) as league, ThreadPoolExecutor(5) as pool:
        running = [pool.submit(write_until, stop, league, numbers) for _ in range(4)]
        running.append(pool.submit(project_until, stop, league))
        try:
            for _ in range(3):
                reached = league.store.head() + 20
                wait_until(lambda reached=reached: league.store.head() > reached)  # type: ignore[misc]
                backups.append(backup_of(league_url))
        finally:
            stop.set()
        for one in running:
            one.result(LIMIT)
    positions = []
    for backup in backups:
        with own_database(embedded_server) as restored:
            positions.append(restore(restored, backup).position)
            assert_holds(restored, [])
            causes = {entry["cause"] for (entry,) in kept_rows(restored)["journal"]}
            assert causes == {"match"}
    assert positions == sorted(set(positions))


@pytest.mark.heavy
def test_the_journal_goes_on_where_the_projector_was(league_url: str, embedded_server: str) -> None:
    """What was not projected when the backup was made is journaled step by step, as in the league itself."""
    with league_at(league_url) as league:
        send(league, announced("m0", ("ana", "bea"), 0), announced("m1", ("ana", "cira"), 2))
        catch_up(league)
        send(league, RegisterPlayer("gil", "Gil", None), announced("m2", ("ana", "dora"), 4))
        send(league, VoidMatch("m0", "a test"))
        backup = backup_of(league_url)
        catch_up(league)
        with own_database(embedded_server) as restored:
            restore(restored, backup)
            assert kept_rows(restored)["journal"] == kept_rows(league_url)["journal"]


@pytest.mark.heavy
def test_a_league_that_was_never_projected_is_restored(league_url: str, embedded_server: str) -> None:
    """A league that was never projected is restored, with a journal from the beginning."""
    with league_at(league_url) as league, own_database(embedded_server) as restored:
        forget_projections(league_url)
        send(league, announced("m0", ("ana", "bea"), 0))
        assert restore(restored, backup_of(league_url)).digest is None
        assert caught_up_digest(league) == digest(restored)
        assert kept_rows(restored)["journal"] == kept_rows(league_url)["journal"]


@pytest.mark.heavy
def test_a_backup_right_after_an_adoption_is_restored(league_url: str, embedded_server: str) -> None:
    """The digest of the league before it is not the one that the log folds to, so the backup has none."""
    with league_at(league_url) as league, own_database(embedded_server) as restored:
        send(league, announced("m0", ("ana", "bea"), 0), announced("m1", ("ana", "cira"), 2))
        catch_up(league)
        adopt(league, "[rating.k]\nprovisional = 32")
        assert restore(restored, backup_of(league_url)).digest is None
        assert caught_up_digest(league) == digest(restored)
        assert kept_rows(restored)["journal"] == kept_rows(league_url)["journal"]


@pytest.mark.heavy
def test_a_shown_candidate_is_folded_again_after_a_restore(league_url: str, embedded_server: str) -> None:
    """Its title, reason and moment follow from the log. A backup has no runs, so a worker folds it again."""
    admin = AppendRequest("root", "manual")
    with league_at(league_url) as league, own_database(embedded_server) as restored:
        send(league, announced("m0", ("ana", "bea"), 0))
        catch_up(league)
        spec = ReplaySpec(revised("rating.k.provisional = 32"), title="Slower")
        number = replay_requests.start(league, spec, admin).number
        fold_replay(league_url, number)
        candidates.show(league, number, "newcomers climb too fast", admin)
        shown = readable(league_url)
        assert [title for _, title, *_ in shown] == ["Slower"]
        restore(restored, backup_of(league_url))
        assert unfinished_replays(restored) == [number]
        fold_replay(restored, number)
        assert readable(restored) == shown
        assert_holds(restored, [])


def readable(url: str) -> list[Any]:
    """What everybody can read of shown candidates, and whether each is folded."""
    asked = """SELECT replay, c.title, c.reason, shown_at, runs.ready FROM shown_candidates AS c
        JOIN replays USING (replay) JOIN runs ON runs.run = replays.run ORDER BY replay"""
    with connect(url) as conn:
        return conn.execute(asked).fetchall()


# ---------------------------------------------------------------- damage


def lines_of(backup: bytes) -> list[bytes]:
    return gzip.decompress(backup).splitlines(keepends=True)


def place_of(lines: list[bytes], section: str) -> int:
    """The index of the first row of a section."""
    return next(place for place, line in enumerate(lines) if line[9:] == b'{"section":"%s"}\n' % section.encode()) + 1


def changed(line: bytes) -> bytes:
    """The line with another letter or digit near its end."""
    place = max(place for place, byte in enumerate(line) if chr(byte).isalnum())
    return line[:place] + (b"8" if line[place : place + 1] != b"8" else b"9") + line[place + 1 :]


def refused(url: str, backup: bytes) -> DamagedBackup:
    with pytest.raises(DamagedBackup) as error:
        restore(url, backup)
    assert is_empty(url)
    return error.value


@pytest.mark.heavy
@pytest.mark.parametrize("section", NAMES_OF_SECTIONS)
def test_a_damaged_file_is_refused(backup: bytes, database_url: str, section: str) -> None:
    """A changed, missing or repeated line, or the end of the file, is named by its section and number."""
    lines = lines_of(backup)
    place = place_of(lines, section)
    for damaged in (
        [*lines[:place], changed(lines[place]), *lines[place + 1 :]],
        [*lines[:place], *lines[place + 1 :]],
        lines[:place],
        [*lines[:place], lines[place][:-3]],
    ):
        error = refused(database_url, gzip.compress(b"".join(damaged)))
        assert (error.section, error.line) == (section, place + 1)
    repeated = [*lines[: place + 1], *lines[place:]]
    error = refused(database_url, gzip.compress(b"".join(repeated)))
    # The second one is where the next line, or the next section, belongs.
    assert error.line == place + 2


def test_a_file_that_is_cut_off_anywhere_is_refused(backup: bytes, database_url: str) -> None:
    """A file that is cut off anywhere is refused, even right before its last bytes."""
    for length in (len(backup) // 3, len(backup) * 2 // 3, len(backup) - 9, len(backup) - 1):
        refused(database_url, backup[:length])


def test_a_file_that_was_changed_on_purpose_is_refused(backup: bytes, database_url: str) -> None:
    """Checksums protect from accidents. The chain protects from a person who writes them anew."""
    lines = lines_of(backup)
    place = place_of(lines, EVENTS) + 2
    texts = [line[9:] for line in lines[:-1]]
    texts[place] = texts[place].replace(b"test", b"tost")
    error = refused(database_url, gzip.compress(b"".join(with_checksums(texts))))
    assert (error.section, "signs other events" in error.reason) == (EVENTS, True)
    texts[0] = texts[0].replace(b'"key":"%s"' % raw(KEY.public_key()).hex().encode(), b'"key":null')
    error = refused(database_url, gzip.compress(b"".join(with_checksums(texts))))
    assert (error.section, "another hash" in error.reason) == (EVENTS, True)


def test_rows_that_fit_into_no_database_are_refused(backup: bytes, database_url: str) -> None:
    """A number beyond those of PostgreSQL, a text that it cannot store, a row that is there twice."""
    texts = [line[9:] for line in lines_of(backup)[:-1]]
    for section, old, new in (
        (EVENTS, b"[1,1,", b"[99999999999999999999,1,"),
        ("revoked_tokens", b'"t1"', b'"t\\u0000"'),
        ("revoked_tokens", b'"t1"', b'"t2"'),
    ):
        place = next(place for place, text in enumerate(texts) if old in text)
        bad = [*texts[:place], texts[place].replace(old, new), *texts[place + 1 :]]
        assert refused(database_url, gzip.compress(b"".join(with_checksums(bad)))).section == section


def with_checksums(texts: Sequence[bytes]) -> list[bytes]:
    """The lines of a backup, with the last one."""
    crc, lines = 0, list[bytes]()
    for text in texts:
        crc = zlib.crc32(text, crc)
        lines.append(b"%08x %s" % (crc, text))
    last = b'{"lines":%d,"sha256":"%s"}\n' % (len(lines), sha256(b"".join(lines)).hexdigest().encode())
    return [*lines, b"%08x %s" % (zlib.crc32(last, crc), last)]


def test_no_backup_is_made_of_a_log_that_was_changed(league_url: str) -> None:
    """The error says where; an older backup is worth more."""
    with league_at(league_url) as league, psycopg.connect(league_url, autocommit=True) as superuser:
        superuser.execute(UNGUARDED)
        superuser.execute("UPDATE stored_events SET topic = 'player-moved/1' WHERE position = 5")
        with pytest.raises(LogDoesNotHold) as error:
            write_backup(league.database.url, io.BytesIO(), NOW)
    assert error.value.fault.position == 5


def test_another_file_is_refused(database_url: str) -> None:
    """Another file is refused, with its format if it has one."""
    for other, found in (
        (b"", None),
        (b"hello", None),
        (gzip.compress(b"hello\n"), None),
        (gzip.compress(b'00000000 {"format":"league-backup/2"}\n'), "league-backup/2"),
    ):
        with pytest.raises(UnknownFormat) as error:
            restore(database_url, other)
        assert error.value.found == found


@pytest.mark.heavy
def test_a_database_with_a_league_is_refused(backup: bytes, database_url: str) -> None:
    """A database with a league is refused, even if the league is from the same backup."""
    restore(database_url, backup)
    before = kept_rows(database_url)
    with pytest.raises(DatabaseNotEmpty) as error:
        restore(database_url, backup)
    assert error.value.table == EVENTS
    assert kept_rows(database_url) == before


# ---------------------------------------------------------------- kills


class Stopping(BackupReader):
    """Stops for ever after two lines of a section, or at the end; a file tells that it has."""

    at = ""
    reached = Path()

    def section(self, name: str, kind: type[Any]) -> Iterator[Any]:
        for number, row in enumerate(super().section(name, kind)):
            if (name, number) == (self.at, 1):
                self.stop()
            yield row

    def end(self) -> None:
        self.stop()

    def stop(self) -> None:
        self.reached.touch()
        signal.pause()


def load(url: str, file: Path, at: str, reached: Path) -> None:
    Stopping.at, Stopping.reached = at, reached
    with file.open("rb") as source, Stopping(source) as reader:
        load_backup(url, reader)


@pytest.mark.heavy
@pytest.mark.parametrize("at", [EVENTS, "journal", "the end"])
def test_a_killed_restore_leaves_nothing(
    source: League, backup: bytes, database_url: str, tmp_path: Path, at: str
) -> None:
    """A killed restore leaves nothing, and the same backup can be restored afterwards."""
    file, reached = tmp_path / "a.backup", tmp_path / "reached"
    file.write_bytes(backup)
    process = started(load, database_url, file, at, reached)
    wait_until(reached.exists)
    process.kill()
    process.join(LIMIT)
    assert is_empty(database_url)
    restore(database_url, file.read_bytes())
    assert digest(database_url) == digest(source.database.url)


@pytest.mark.heavy
def test_a_restore_that_is_killed_before_it_projects_is_finished_by_the_projector(
    source: League, backup: bytes, database_url: str
) -> None:
    """The next command that projects finishes the restore. The journal stays as it is."""
    with BackupReader(io.BytesIO(backup)) as reader:
        load_backup(database_url, reader)
    with league_at(database_url) as league:
        assert league.reached() == 0
        assert caught_up_digest(league) == digest(source.database.url)
        assert rebuild(league) == digest(source.database.url)
    assert kept_rows(database_url)["journal"] == kept_rows(source.database.url)["journal"]


@pytest.mark.heavy
def test_a_league_is_restored_beside_a_projector_that_waits(source: League, backup: bytes, database_url: str) -> None:
    """A waiting projector, such as `league serve`, projects what is restored, and leaves the journal as it is."""
    stop = threading.Event()
    with league_at(database_url) as league, ThreadPoolExecutor(1) as pool:
        catch_up(league)
        following = pool.submit(project_until, stop, league)
        try:
            wait_until(lambda: projector_runs(database_url))
            restore(database_url, backup)
        finally:
            stop.set()
        following.result(LIMIT)
    assert digest(database_url) == digest(source.database.url)
    assert kept_rows(database_url) == kept_rows(source.database.url)


def projector_runs(url: str) -> bool:
    query = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND classid = 1 AND granted"
    with connect(url) as conn:
        return bool(conn.execute(query, (ADVISORY_LOCK - 2**32,)).rowcount)


# ---------------------------------------------------------------- erasures


def everything_in(url: str) -> str:
    """All rows of all tables as text, with all names that the keys in them open."""
    with connect(url) as conn:
        tables = conn.execute(
            "SELECT relname FROM pg_class WHERE relnamespace IN ('league'::regnamespace, 'runs'::regnamespace)"
            " AND relkind = 'r' AND relname <> 'alembic_version'"
        ).fetchall()
        rows = [
            text
            for (table,) in tables
            for (text,) in conn.execute(sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(table)))
        ]
    with league_at(url) as league:
        opened = [str(stored.event) for stored in league.store.streams_until("player:", league.store.head())]
    return "\n".join(rows + opened)


@pytest.mark.heavy
def test_names_that_were_erased_after_the_backup_stay_erased(source: League, backup: bytes, database_url: str) -> None:
    """No table has them, and no key opens them, from the moment on from which a reader sees the league."""
    assert MARK in everything_in(source.database.url)
    with BackupReader(io.BytesIO(backup)) as reader:
        load_backup(database_url, reader, ["zoraida", "luz"], "kim")
    assert MARK not in everything_in(database_url)
    with league_at(database_url) as league:
        assert caught_up_digest(league) == digest(source.database.url)
        assert MARK not in everything_in(database_url)
        # Luz was erased before: nothing is erased twice.
        last = league.store.load("player:zoraida")[-1]
        assert (last.name, last.actor, last.position) == ("player-erased/1", "kim", source.store.head() + 1)
        assert league.store.head() == last.position
    assert_holds(database_url, heads_of(source.database.url))


def test_an_unknown_player_to_erase_is_refused(backup: bytes, database_url: str) -> None:
    """A mistyped id would leave a name readable; nothing is restored."""
    with pytest.raises(NotFound) as error:
        restore(database_url, backup, ["zoraida", "zorayda"])
    assert error.value.id == "zorayda"
    assert is_empty(database_url)


# ---------------------------------------------------------------- live tables


@pytest.mark.heavy
def test_running_hands_are_dealt_again(database_url: str, embedded_server: str) -> None:
    """Running hands are dealt again, even with the old league's secret: there they may have ended. Ended hands stay."""
    with own_database(embedded_server) as url, league_with_tables(url, SLOW) as league:
        dealt(league, "t")
        play(league, now(league, "t"))
        begin(league, "u")
        do(league, OpenTable("v", "cuban-150", "1v1", "casual"))
        catch_up(league)
        backup = backup_of(url)
    restore(database_url, backup)
    with open_league(Settings(database_url=database_url, table_secret=TABLE_SECRET), prepare=False) as restored:
        write_missing_rows(restored.store, database_url)
        with connect(database_url, autocommit=True) as conn:
            for standstill in standstills(conn):
                mark_noted(conn, standstill)
        alive(restored)
        for table in ("t", "u"):
            state = now(restored, table)
            due = due_of(state)
            assert due is not None
            assert (due.what, state.hand, state.secret) == ("hand", 1, None)
            do(restored, MeetDeadline(table, due.at))
            contribute(restored, now(restored, table))
            play(restored, now(restored, table))
            assert len(events(restored, table, HandDropped)) == 1
        assert now(restored, "v").phase == "open"
    assert_holds(database_url, [])
