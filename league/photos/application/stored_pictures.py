"""Removes the pictures of erased photos, and stores those of new ones, so that the two never cross."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from psycopg import InterfaceError, OperationalError

from league.application.bootstrap import League
from league.domain.refusals import Refusal
from league.infra.database import connect
from league.infra.photo_store import PhotoStore, overlay_name, picture_name
from league.photos.domain.photo import UploadPhoto
from league.projections.runs import Conn

LOCK_SPACE = 7_120_432
"""The first key of the advisory locks under which a picture is stored or removed; the second is of its hash."""

LOST = (OperationalError, InterfaceError)
"""What a statement raises on a connection that is lost."""

TO_REMOVE = "SELECT photo_id, sha256 FROM photos WHERE to_remove ORDER BY photo_id LIMIT 100"
IN_USE = "SELECT FROM photos WHERE sha256 = %s AND NOT erased"
ERASED = "SELECT FROM photos WHERE photo_id = %s AND erased"
REMOVED = "UPDATE photos SET to_remove = false WHERE photo_id = %s"


@contextmanager
def picture_lock(url: str, sha256: str) -> Iterator[Conn]:
    """Inside this context no other process stores or removes the picture of this hash, while the connection lasts.

    Yields the connection. What decides whether to store or remove is read on it: a lost lock then raises one of LOST.
    """
    with connect(url, autocommit=True) as conn:
        conn.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (LOCK_SPACE, sha256))
        yield conn


def store_photo(league: League, place: str, content: bytes, command: UploadPhoto, actor: str, key: str | None) -> int:
    """Store a picture, and the event that it was uploaded. Returns its position. Raises Refusal, PhotosAway."""
    store, outcome, ends = PhotoStore(place), None, False
    while not ends:
        # Without the lock, another process may remove the picture before the photo is stored.
        with picture_lock(league.database.url, command.sha256) as lock, suppress(*LOST):
            # The picture comes first: an event without a picture would promise what is not there.
            if not lock.execute(ERASED, (command.photo,)).rowcount:  # an upload may be repeated
                store.put(picture_name(command.sha256), content)
            outcome = outcome or _sent(league, command, actor, key)
            _remove_unused(lock, store, command.sha256)  # the upload may be refused
            ends = True
    assert outcome is not None, "it ends with one"
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _sent(league: League, command: UploadPhoto, actor: str, key: str | None) -> int | Refusal:
    try:
        return league.dispatcher.send(command, actor, "photo", key)
    except Refusal as refusal:
        return refusal


def _remove_unused(lock: Conn, store: PhotoStore, sha256: str) -> None:
    """Remove a picture, unless a photo that is not erased has it. Raises one of LOST."""
    if not lock.execute(IN_USE, (sha256,)).rowcount:
        store.delete(picture_name(sha256))


def remove_erased(url: str, place: str) -> None:
    """Remove what is stored of photos that were erased; two photos may share a picture. Raises PhotosAway, LOST."""
    with connect(url) as conn:
        found = conn.execute(TO_REMOVE).fetchall()
    if not found:
        return
    store = PhotoStore(place)
    for photo, sha256 in found:
        with picture_lock(url, sha256) as lock:
            _remove_unused(lock, store, sha256)
            store.delete(overlay_name(photo))
            lock.execute(REMOVED, (photo,))
