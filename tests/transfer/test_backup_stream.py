"""A backup as a stream: it is the backup, it breaks off where no backup can be made, and it ends with its reader."""

from __future__ import annotations

import io
import os
import threading
from datetime import UTC, datetime

import psycopg
import pytest
from leagues import UNGUARDED
from waiting import wait_until

from league.transfer import backup_stream as streams
from league.transfer.backup import LogDoesNotHold, write_backup
from league.transfer.backup_stream import ReaderStalled, backup_stream

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def writers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("backup")]


def test_the_stream_is_the_backup(league_url: str) -> None:
    """To the byte, in pieces of bounded size; no thread is left."""
    whole = io.BytesIO()
    write_backup(league_url, whole, NOW)
    pieces = [*backup_stream(league_url, NOW, None)]
    assert b"".join(pieces) == whole.getvalue()
    assert max(map(len, pieces)) <= streams.CHUNK
    wait_until(lambda: writers() == [])


def test_the_stream_of_a_log_that_was_changed_breaks_off(league_url: str) -> None:
    """So that the download fails, instead of ending as a file that only looks whole."""
    with psycopg.connect(league_url) as conn:
        conn.execute(UNGUARDED)
        conn.execute("UPDATE stored_events SET hash = sha256('other') WHERE position = 3")
    with pytest.raises(LogDoesNotHold):
        list(backup_stream(league_url, NOW, None))
    wait_until(lambda: writers() == [])


def test_a_reader_that_leaves_ends_the_writing(league_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing goes on in the background, and no snapshot stays open."""
    monkeypatch.setattr(streams, "CHUNK", 10)
    stream = backup_stream(league_url, NOW, None)
    assert next(stream)
    stream.close()  # type: ignore[attr-defined]  # a generator
    wait_until(lambda: writers() == [])


def test_a_reader_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipe is full, and after a while the writer says so."""
    monkeypatch.setattr(streams, "PATIENCE", 0.01)
    taken, given = os.pipe()
    os.set_blocking(given, False)
    with streams._Pipe(given) as out, pytest.raises(ReaderStalled):
        out.write(bytes(2**24))
    os.close(taken)
