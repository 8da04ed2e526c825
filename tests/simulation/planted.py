"""Faults to plant: each takes away one protection of the program, and the simulation has to notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

import psycopg
from sqlalchemy import Engine

from league.application import promotion
from league.application.dispatch import Dispatcher
from league.application.stream_states import StreamStates
from league.eventlog import recorder, sealing
from league.infra.database import connect
from league.photos import photo_commands, photo_jobs
from league.projections import projector
from league.projections.queries import snapshot
from league.tables.domain import state

Plant = Callable[[str], AbstractContextManager[Any]]
"""Plants a fault in the program, or in the database at a URL."""


@contextmanager
def no_lock_of_the_log(url: str) -> Iterator[None]:
    """Writers append at the same time."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(
            "CREATE OR REPLACE FUNCTION league.lock_event_log() RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$"
        )
    yield


def no_check_of_unchanged_streams(_url: str) -> AbstractContextManager[Any]:
    """A decision may rest on streams that have changed since."""
    insert = recorder.insert_next
    return patch.object(
        recorder, "insert_next", lambda *given, **more: insert(*given, **{**more, "unchanged": recorder.NO_STREAMS})
    )


@contextmanager
def no_unique_versions(url: str) -> Iterator[None]:
    """Two events may claim the same version of a stream."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("ALTER TABLE league.stored_events DROP CONSTRAINT stored_events_pkey")
    yield


def no_idempotency_key(_url: str) -> AbstractContextManager[Any]:
    """A request that is sent again is a new one."""
    send, sent = Dispatcher.send, set[str]()

    def sent_again(dispatcher: Dispatcher, command: Any, actor: str, source: str = "manual", key: str = "~") -> int:
        again = f"{key} again" if key in sent else key
        sent.add(key)
        return send(dispatcher, command, actor, source, None if key == "~" else again)

    return patch.object(Dispatcher, "send", sent_again)


def no_lock_of_the_projector(_url: str) -> AbstractContextManager[Any]:
    """Two projectors work at the same time."""
    return patch.object(projector.Projector, "_open", lambda _self, url: projector.connect(url, autocommit=True))


def no_transaction_of_the_projector(_url: str) -> AbstractContextManager[Any]:
    """The position is committed before the ratings that belong to it."""
    fold = projector.Projector._fold

    def fold_apart(self: projector.Projector, *given: Any) -> None:
        self._conn.execute("COMMIT")
        self._conn.execute("BEGIN")
        fold(self, *given)

    return patch.object(projector.Projector, "_fold", fold_apart)


def no_lock_of_a_promotion(_url: str) -> AbstractContextManager[Any]:
    """The projector goes on while a run is promoted."""
    return patch.object(promotion.runs, "lock_official", lambda _conn: None)


@contextmanager
def no_durable_commit(url: str) -> Iterator[None]:
    """What was acknowledged is on its way to the disk only."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("ALTER ROLE postgres SET synchronous_commit = off")
    try:
        yield
    finally:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("ALTER ROLE postgres SET synchronous_commit = on")


def no_snapshot_of_readers(_url: str) -> AbstractContextManager[Any]:
    """Each statement of a reader sees the newest rows."""

    def connected(engine: Engine) -> Any:
        return engine.connect().execution_options(isolation_level="READ COMMITTED", postgresql_readonly=True)

    return patch.object(snapshot, "_connect", connected)


def no_wait_of_erasures(_url: str) -> AbstractContextManager[Any]:
    """An erasure does not wait for a projector that has read the name."""
    return patch.object(sealing, "hold_names", lambda _conn: None)


def no_second_look_at_players(_url: str) -> AbstractContextManager[Any]:
    """A command is not decided again where a player that it names was erased since."""
    read = StreamStates.read

    def other_streams(states: StreamStates) -> dict[str, int]:
        return {stream: version for stream, version in read(states).items() if not stream.startswith("player:")}

    return patch.object(StreamStates, "read", other_streams)


def no_seal_of_hands(_url: str) -> AbstractContextManager[Any]:
    """The log has the secret of a hand as it is while the hand is played."""
    return patch.multiple(sealing, seal_hand=lambda body, *_: body, unseal_hand=lambda body, *_: body)


def no_hiding_of_tiles(_url: str) -> AbstractContextManager[Any]:
    """A spectator of a live table sees the tiles of the first seat."""
    seen = state.seen_by
    return patch.object(state, "seen_by", lambda seat, *given, **more: seen(seat or 0, *given, **more))


@contextmanager
def no_lock_of_pictures(_url: str) -> Iterator[None]:
    """A picture may be removed while another process stores it."""

    def without(url: str, _sha256: str) -> AbstractContextManager[Any]:
        return connect(url, autocommit=True)

    with patch.object(photo_jobs, "picture_lock", without):
        yield


def no_note_of_counts(_url: str) -> AbstractContextManager[Any]:
    """The row of a photo still says that it is to be counted."""
    return patch.object(photo_commands, "COUNTED", "SELECT %s")


PLANTED: dict[str, Plant] = {
    plant.__name__: plant
    for plant in (
        no_lock_of_the_log,
        no_check_of_unchanged_streams,
        no_unique_versions,
        no_idempotency_key,
        no_lock_of_the_projector,
        no_transaction_of_the_projector,
        no_lock_of_a_promotion,
        no_durable_commit,
        no_snapshot_of_readers,
        no_wait_of_erasures,
        no_second_look_at_players,
        no_seal_of_hands,
        no_hiding_of_tiles,
        no_lock_of_pictures,
        no_note_of_counts,
    )
}
