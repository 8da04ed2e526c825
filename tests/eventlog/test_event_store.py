"""The store's contract, on a real database."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import urlsplit

import msgspec
import psycopg
import pytest
from leagues import UNGUARDED
from psycopg.conninfo import conninfo_to_dict
from waiting import LIMIT, wait_until

from league.eventlog import recorder
from league.eventlog.recorder import NotStored, TooSlow
from league.eventlog.records import (
    AcceptedRequest,
    Append,
    AppendRequest,
    IdempotencyKeyTaken,
    LoggedEvent,
    SealingKeyDestroyed,
    VersionConflict,
)
from league.eventlog.sealing import NoSealingKey
from league.eventlog.store import EventStore
from league.infra.database import connect


class Played(msgspec.Struct, frozen=True):
    hand: int


class Named(msgspec.Struct, frozen=True):
    name: str | None
    region: str


class Erased(msgspec.Struct, frozen=True):
    pass


class ThreeEvents:
    """A codec of three events, of which one has a private field and one destroys its key."""

    names: ClassVar = {Played: "played/1", Named: "named/1", Erased: "erased/1"}
    types: ClassVar = {"played/1": Played, "named/1": Named, "erased/1": Erased}

    def name_of(self, event: object) -> str:
        return self.names[type(event)]

    def encode_body(self, event: object) -> bytes:
        return msgspec.json.encode(event)

    def decode_body(self, name: str, body: bytes) -> object:
        return msgspec.json.decode(body, type=self.types[name])

    def type_of(self, name: str) -> type | None:
        return None if name == "named/1" else self.types[name]

    def private_fields(self, name: str) -> tuple[str, ...]:
        return ("name",) if name == "named/1" else ()

    def hand_secrets(self, name: str) -> tuple[str, ...]:
        return ()

    def destroys_key(self, name: str) -> bool:
        return name == "erased/1"


ANA = AppendRequest(actor="ana", source="manual")


@pytest.fixture
def store(database_url: str) -> Iterator[EventStore]:
    with EventStore(database_url, ThreeEvents()) as opened:
        yield opened


def hands(count: int) -> tuple[Played, ...]:
    return tuple(Played(number) for number in range(1, count + 1))


@pytest.mark.also_on_server
def test_positions_are_dense_over_streams_and_refused_appends(store: EventStore) -> None:
    """Positions are 1, 2, 3 in the order of the appends; a refused append leaves no gap."""
    assert store.head() == 0
    assert store.append([Append("match:a", 0, hands(2)), Append("match:b", 0, hands(1))], ANA) == 3
    with pytest.raises(VersionConflict):
        store.append([Append("match:c", 0, hands(1)), Append("match:a", 0, hands(1))], ANA)
    assert store.append([Append("match:a", 2, hands(1))], ANA) == 4
    read = [(stored.position, stored.stream, stored.version) for stored in store.read_after(0, 100)]
    assert read == [(1, "match:a", 1), (2, "match:a", 2), (3, "match:b", 1), (4, "match:a", 3)]
    assert store.head() == 4


def test_every_append_has_events(store: EventStore) -> None:
    """One without is refused: streams that must not change are named in `unchanged`."""
    for appends in ([], [Append("match:a", 0, hands(1)), Append("match:b", 0, ())]):
        with pytest.raises(ValueError, match="at least one event"):
            store.append(appends, ANA)
    assert store.head() == 0


def test_a_decision_may_rest_on_an_older_version_of_the_stream_that_it_changes(store: EventStore) -> None:
    """It is then refused, although the version of the append is right."""
    store.append([Append("match:a", 0, hands(2))], ANA)
    with pytest.raises(VersionConflict):
        store.append([Append("match:a", 2, hands(1))], ANA, unchanged={"match:a": 1})
    assert store.head() == 2


def test_an_event_comes_back_with_its_envelope(store: EventStore) -> None:
    """An event is loaded with its actor, source, key, time of play and the database's time of recording, in UTC."""
    played_at = datetime(2026, 3, 1, 20, 15, tzinfo=UTC)
    request = AppendRequest(actor="ana", source="live", key="k1", input_hash="h1")
    store.append([Append("match:a", 0, (Played(7),), played_at)], request)
    (stored,) = store.load("match:a")
    assert stored == LoggedEvent(
        1, "match:a", 1, "played/1", stored.recorded_at, played_at, "ana", "live", "k1", Played(7)
    )
    assert stored.recorded_at.utcoffset() == timedelta(0)
    assert abs(stored.recorded_at - datetime.now(UTC)) < timedelta(minutes=5)


@pytest.mark.also_on_server
def test_recorded_at_always_goes_forward(store: EventStore, database_url: str) -> None:
    """Each event is recorded at least a microsecond after the one before, also when the clock was set back."""
    store.append([Append("match:a", 0, hands(3))], ANA)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    with psycopg.connect(database_url) as owner:
        owner.execute(UNGUARDED)
        owner.execute("UPDATE stored_events SET recorded_at = %s WHERE position = 3", [tomorrow])
    store.append([Append("match:a", 3, hands(2))], ANA)
    times = [stored.recorded_at for stored in store.load("match:a")]
    assert times[3:] == [tomorrow + timedelta(microseconds=1), tomorrow + timedelta(microseconds=2)]
    assert times[0] < times[1] < times[2]


def test_unknown_streams_are_empty(store: EventStore) -> None:
    """Loading a stream that does not exist gives no events; loading several keeps them apart."""
    store.append([Append("match:a", 0, hands(2)), Append("match:b", 0, hands(1))], ANA)
    assert store.load("match:none") == []
    loaded = store.load_many(["match:b", "match:none", "match:a"])
    assert {stream: len(events) for stream, events in loaded.items()} == {
        "match:a": 2,
        "match:b": 1,
        "match:none": 0,
    }


@pytest.mark.also_on_server
def test_streams_are_found_by_how_their_names_begin(store: EventStore, database_url: str) -> None:
    """Signs and capitals are distinguished, whatever the collation of the database; only an index is read."""
    store.append([Append("series:1v1:2026-03:ana:bea", 0, hands(2))], ANA)
    assert store.has_stream("series:1v1:2026-03:")
    assert store.has_stream("series:1v1:2026-03:ana:be")
    for prefix in ("series:1v1:2026-04:", "series:1v1:2026-02:", "series:1v1:2026-03;", "series:1v12026", "SERIES:"):
        assert not store.has_stream(prefix)
    with psycopg.connect(database_url) as conn:
        conn.execute("SET enable_seqscan = off")
        query = "EXPLAIN SELECT FROM stored_events WHERE originator_version = 1 AND originator_id COLLATE \"C\" >= 'a'"
        assert "stored_events_streams_idx" in str(conn.execute(query).fetchall())


@pytest.mark.also_on_server
def test_the_parts_of_names_are_listed_once_each(store: EventStore) -> None:
    """A part that begins like another one is listed separately."""
    for stream in (
        "1v1:2026-03:ana:bea",
        "1v1:2026-03:ana:cira",
        "1v1:2025-12:a:b",
        "1v1:2026-03b:a:b",
        "2v2:2026-07:a:b",
    ):
        store.append([Append(f"series:{stream}", 0, hands(2))], ANA)
    store.append([Append("season", 0, hands(1)), Append("match:z", 0, hands(1))], ANA)
    assert store.parts_of_streams("series:1v1:") == ["2025-12", "2026-03", "2026-03b"]
    assert store.parts_of_streams("series:") == ["1v1", "2v2"]
    assert store.parts_of_streams("series:3v3:") == []


@pytest.mark.also_on_server
def test_streams_are_found_by_their_length(store: EventStore) -> None:
    """Streams with fewer events, or with a name that only begins like the prefix, are left out."""
    for stream, count in (("1v1:b:c", 3), ("1v1:a:b", 2), ("1v1:a:c", 1), ("1v11:a:b", 3)):
        store.append([Append(f"series:{stream}", 0, hands(count))], ANA)
    assert store.streams_of_length("series:1v1:", 2) == ["series:1v1:a:b", "series:1v1:b:c"]
    assert store.streams_of_length("series:1v1:", 4) == []


@pytest.mark.also_on_server
def test_pages_of_the_log_and_names_to_skip(store: EventStore) -> None:
    """The log is read in pages after a position, and events of skipped names are left out of them."""
    store.append([Append("match:a", 0, hands(3)), Append("player:p", 0, (Named("Ana", "HAB"),))], ANA)
    store.append([Append("match:a", 3, hands(2))], ANA)
    assert [stored.position for stored in store.read_after(1, 2)] == [2, 3]
    assert [stored.position for stored in store.followed_after(2, 9, 9, skip=["named/1"])] == [3, 5, 6]
    assert [stored.position for stored in store.followed_after(2, 5, 9, skip=["named/1"])] == [3, 5]
    assert store.read_after(6, 9) == []


@pytest.mark.also_on_server
def test_one_of_two_writers_wins(database_url: str) -> None:
    """If writers append to one stream at one version, one wins and the others get the typed conflict."""
    writers, barrier, outcomes = 4, threading.Barrier(4), list[object]()

    def write() -> None:
        with EventStore(database_url, ThreeEvents()) as store:
            barrier.wait()
            try:
                outcomes.append(store.append([Append("match:a", 0, hands(50))], ANA))
            except VersionConflict as conflict:
                outcomes.append((conflict.stream, conflict.expected))

    threads = [threading.Thread(target=write) for _ in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes, key=str) == [("match:a", 0)] * 3 + [50]


@pytest.mark.also_on_server
def test_writers_of_other_streams_do_not_conflict(database_url: str) -> None:
    """Writers of different streams all succeed, and their positions are dense in the order of their commits."""

    def write(name: str) -> None:
        with EventStore(database_url, ThreeEvents()) as store:
            for version in range(20):
                store.append([Append(name, version, hands(1))], ANA)

    threads = [threading.Thread(target=write, args=[f"match:{number}"]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with EventStore(database_url, ThreeEvents()) as store:
        log = store.read_after(0, 1000)
    assert [stored.position for stored in log] == list(range(1, 81))
    assert [stored.recorded_at for stored in log] == sorted({stored.recorded_at for stored in log})


@pytest.mark.also_on_server
def test_the_same_request_again_stores_nothing(store: EventStore) -> None:
    """A key used again with the same input gives the first position; with another input it is refused."""
    request = AppendRequest("ana", "manual", key="k", input_hash="h")
    assert store.answer_to("ana", "k") is None
    assert store.append([Append("match:a", 0, hands(2))], request) == 2
    store.append([Append("match:b", 0, hands(1))], ANA)
    assert store.append([Append("match:a", 0, hands(2))], request) == 2
    assert store.answer_to("ana", "k") == AcceptedRequest("h", 2)
    with pytest.raises(IdempotencyKeyTaken) as refused:
        store.append([Append("match:c", 0, hands(1))], AppendRequest("ana", "manual", key="k", input_hash="other"))
    assert (refused.value.actor, refused.value.key) == ("ana", "k")
    assert store.head() == 3


def test_only_another_writer_is_a_conflict(store: EventStore) -> None:
    """Events that the database refuses for another reason are a failure, and nothing is stored."""
    no_actor = AppendRequest("ana", "manual")
    msgspec.structs.force_setattr(no_actor, "actor", None)  # what must not be
    with pytest.raises(NotStored) as refused:
        store.append([Append("table:1", 0, hands(1))], no_actor)
    assert not isinstance(refused.value, VersionConflict | ValueError)
    assert store.head() == 0


def test_keys_are_per_actor(store: EventStore) -> None:
    """Two actors may use the same key for different requests."""
    store.append([Append("match:a", 0, hands(1))], AppendRequest("ana", "manual", key="k", input_hash="1"))
    store.append([Append("match:b", 0, hands(1))], AppendRequest("bea", "manual", key="k", input_hash="2"))
    assert store.answer_to("bea", "k") == AcceptedRequest("2", 2)


@pytest.mark.also_on_server
def test_a_private_field_is_sealed_in_the_table(store: EventStore, database_url: str) -> None:
    """A player's name is nowhere in the table in the clear, and loads as it was."""
    store.append([Append("player:p", 0, (Named("José Martí", "HAB"), Named(None, "HAB")))], ANA)
    assert [stored.event for stored in store.load("player:p")] == [Named("José Martí", "HAB"), Named(None, "HAB")]
    with connect(database_url) as connection:
        state = b"".join(row[0] for row in connection.execute("SELECT state FROM stored_events"))
    assert "Martí".encode() not in state
    assert b"Mart" not in state
    assert b"HAB" in state


def test_a_destroyed_key_leaves_the_rest_of_the_event(store: EventStore) -> None:
    """When a player's key is destroyed the name is None, other fields and other players stay."""
    store.append([Append("player:p", 0, (Named("Ana", "HAB"),)), Append("player:q", 0, (Named("Bea", "SCU"),))], ANA)
    store.append([Append("player:p", 1, (Erased(),))], ANA)
    events = [stored.event for stored in store.read_after(0, 9)]
    assert events == [Named(None, "HAB"), Named("Bea", "SCU"), Erased()]


def test_a_key_that_was_destroyed_is_never_made_anew(store: EventStore, database_url: str) -> None:
    """Nothing private is stored of an erased player, and no hash of theirs can be made a second time."""
    store.append([Append("player:p", 0, (Named("Ana", "HAB"),))], ANA)
    before = store.keyed_hash("player:p", b"asked")
    store.append([Append("player:p", 1, (Erased(),))], ANA)
    for version in (1, 2):  # by a writer that does not know of it, and by one that does
        with pytest.raises(SealingKeyDestroyed):
            store.append([Append("player:p", version, (Named("Ana again", "HAB"),))], ANA)
    assert len({before, store.keyed_hash("player:p", b"asked"), store.keyed_hash("player:p", b"asked")}) == 3
    with connect(database_url) as connection:
        assert connection.execute("SELECT count(*) FROM sealing_keys").fetchone() == (0,)


@pytest.mark.also_on_server
def test_an_erasure_that_is_not_committed_destroys_nothing(store: EventStore) -> None:
    """A failure in its transaction undoes the event and the destruction together."""
    store.append([Append("player:p", 0, (Named("Ana", "HAB"),))], ANA)

    def fail(*_: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.append([Append("player:p", 1, (Erased(),))], ANA, within=fail)
    assert [stored.event for stored in store.load("player:p")] == [Named("Ana", "HAB")]


def test_a_value_that_another_key_sealed_is_as_good_as_erased(store: EventStore, database_url: str) -> None:
    """It is None, and the stream still loads."""
    store.append([Append("player:p", 0, (Named("Ana", "HAB"),))], ANA)
    with psycopg.connect(database_url) as owner:
        owner.execute("UPDATE sealing_keys SET key = %s", (bytes(32),))
    assert [stored.event for stored in store.load("player:p")] == [Named(None, "HAB")]


def test_a_private_field_needs_a_player(store: EventStore) -> None:
    """A private field in a stream that is no player's is refused and nothing is stored."""
    with pytest.raises(NoSealingKey):
        store.append([Append("match:a", 0, (Named("Ana", "HAB"),))], ANA)
    assert store.head() == 0


@pytest.mark.also_on_server
def test_the_writer_only_appends(store: EventStore, database_url: str) -> None:
    """The role of the program cannot change, delete or truncate stored events and requests."""
    store.append([Append("match:a", 0, hands(1))], ANA)
    with connect(database_url, autocommit=True) as writer:
        for statement in (
            "UPDATE stored_events SET state = ''",
            "DELETE FROM stored_events",
            "TRUNCATE stored_events",
            "DROP TABLE stored_events",
            "ALTER TABLE stored_events DISABLE TRIGGER ALL",
            "UPDATE requests SET position = 0",
            "DELETE FROM requests",
            "UPDATE sealing_keys SET key = ''",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                writer.execute(statement)


APPEND_AND_SAY_SO = """
    import sys
    from test_event_store import *
    with EventStore(sys.argv[1], ThreeEvents()) as store:
        store.append([Append("match:a", 0, hands(1000))], AppendRequest("ana", "import", "k", "h"))
"""


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_process_killed_in_an_append_leaves_all_or_nothing(store: EventStore, database_url: str) -> None:
    """Its events are stored with the record of its request, or neither is, and the next writer goes on."""
    with psycopg.connect(database_url, autocommit=True) as owner:
        # The append is inside its statement, all rows inserted, for a second.
        owner.execute(
            "CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql"
            " AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$"
        )
        owner.execute("CREATE TRIGGER nap AFTER INSERT ON requests FOR EACH STATEMENT EXECUTE FUNCTION nap()")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)])}
        command = [sys.executable, "-c", textwrap.dedent(APPEND_AND_SAY_SO), database_url]
        process = subprocess.Popen(command, env=environment)
        asleep = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        wait_until(lambda: process.poll() is not None or owner.execute(asleep).fetchone() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        owner.execute("DROP TRIGGER nap ON requests")  # waits for the killed process's transaction to end
    stored, answer = store.head(), store.answer_to("ana", "k")
    assert stored == (0 if answer is None else answer.position)
    assert stored in (0, 1000)
    assert store.append([Append("match:b", 0, hands(1))], ANA) == stored + 1


def test_an_append_that_waits_too_long_says_that_it_stored_nothing(
    store: EventStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its statement was rolled back, also where it is the whole transaction."""
    monkeypatch.setattr(recorder, "APPEND_LOCK_LIMIT", "20ms")
    with psycopg.connect(database_url) as other:
        other.execute("SELECT league.lock_event_log()")
        with pytest.raises(TooSlow) as slow:
            store.append([Append("match:a", 0, hands(1))], ANA)
    assert slow.value.stored == "no"


class LosesAnAnswer:
    """A proxy that on request forwards an append to the server and then drops the connection without the answer."""

    def __init__(self, database_url: str) -> None:
        self.server = conninfo_to_dict(database_url)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.to_lose = 0
        self.threads: list[threading.Thread] = []
        parts = urlsplit(database_url)
        user = parts.username or "postgres"
        port = self.listener.getsockname()[1]
        self.url = f"postgresql://{user}@127.0.0.1:{port}{parts.path}?sslmode=disable&gssencmode=disable"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(LIMIT)
        self.listener.close()

    def _start(self, target: Callable[..., None], *arguments: socket.socket) -> None:
        self.threads.append(threading.Thread(target=target, args=arguments))
        self.threads[-1].start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self._start(self._pass_on, client, self._connect())

    def _connect(self) -> socket.socket:
        host, port = str(self.server["host"]), int(str(self.server.get("port", 5432)))
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{host}/.s.PGSQL.{port}")
        return server

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with client, server:
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)
                    if source is client and b"match:a" in data and self.to_lose:
                        self.to_lose -= 1
                        server.recv(65536)  # it is committed, but the client gets no answer
                        return


@pytest.mark.also_on_server
@pytest.mark.parametrize("request_", [ANA, AppendRequest("ana", "manual", "k", "h")], ids=["without key", "with key"])
def test_a_connection_lost_after_the_commit_stores_once(database_url: str, request_: AppendRequest) -> None:
    """When the answer to an append is lost, the store finds its own events and gives their position."""
    with LosesAnAnswer(database_url) as proxy, EventStore(proxy.url, ThreeEvents()) as store:
        proxy.to_lose = 1
        assert store.append([Append("match:a", 0, hands(3))], request_) == 3
        assert proxy.to_lose == 0
        assert store.head() == 3
        with pytest.raises(VersionConflict):
            store.append([Append("match:a", 0, hands(3))], ANA)


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_broken_connection_is_replaced(store: EventStore, database_url: str) -> None:
    """After the server ends the store's connections, it reads and appends over new ones."""
    store.append([Append("match:a", 0, hands(1))], ANA)
    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(end)
        assert store.head() == 1
        owner.execute(end)
        assert store.append([Append("match:a", 1, hands(1))], ANA) == 2


def test_a_season_goes_in_by_one_append(store: EventStore) -> None:
    """15,000 events are one append: all of a file or nothing, and larger than any socket's buffer."""
    appends = [Append(f"match:{number}", 0, hands(10)) for number in range(1500)]
    assert store.append(appends, AppendRequest("ana", "import", "season", "h")) == 15_000
    assert len(store.read_after(0, 20_000)) == 15_000
