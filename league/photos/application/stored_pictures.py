"""Removes the pictures of erased photos, and stores those of new ones, so that the two never cross."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from league.application.bootstrap import League
from league.infra.database import connect
from league.infra.photo_store import PhotoStore, overlay_name, picture_name
from league.photos.domain.photo import UploadPhoto

LOCK_SPACE = 7_120_432
"""The first key of the advisory locks under which a picture is stored or removed; the second is of its hash."""

TO_REMOVE = "SELECT photo_id, sha256 FROM photos WHERE to_remove ORDER BY photo_id LIMIT 100"
IN_USE = "SELECT FROM photos WHERE sha256 = %s AND NOT erased"
ERASED = "SELECT FROM photos WHERE photo_id = %s AND erased"
REMOVED = "UPDATE photos SET to_remove = false WHERE photo_id = %s"


@contextmanager
def picture_lock(url: str, sha256: str) -> Iterator[Callable[[], bool]]:
    """Inside this context no other process stores or removes the picture of this hash, while the connection lasts.

    Yields a function that tells whether it has lasted so far.
    """
    with connect(url, autocommit=True) as conn:
        conn.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (LOCK_SPACE, sha256))

        def is_held() -> bool:
            try:
                conn.execute("SELECT")
            except (psycopg.OperationalError, psycopg.InterfaceError):
                return False
            return True

        yield is_held


def store_photo(league: League, place: str, content: bytes, command: UploadPhoto, actor: str, key: str | None) -> int:
    """Store a picture, and the event that it was uploaded. Returns its position. Raises Refusal, PhotosAway."""
    store, url, position = PhotoStore(place), league.database.url, None
    while True:
        with picture_lock(url, command.sha256) as is_held:
            # The picture comes first: an event without a picture would promise what is not there.
            if not _is_erased(url, command.photo):  # an upload may be repeated
                store.put(picture_name(command.sha256), content)
            try:
                if position is None:
                    position = league.dispatcher.send(command, actor, "photo", key)
            finally:
                _remove_unused(url, store, command.sha256)  # the upload may be refused
            # Without the lock, another process may have removed the picture before the photo was stored.
            if is_held():
                return position


def _is_erased(url: str, photo: str) -> bool:
    with connect(url) as conn:
        return bool(conn.execute(ERASED, (photo,)).rowcount)


def _remove_unused(url: str, store: PhotoStore, sha256: str) -> None:
    """Remove a picture, unless a photo that is not erased has it. Call this under its `picture_lock`."""
    with connect(url) as conn:
        if not conn.execute(IN_USE, (sha256,)).rowcount:
            store.delete(picture_name(sha256))


def remove_erased(url: str, place: str) -> None:
    """Remove what is stored of photos that were erased; two photos may share a picture. Raises PhotosAway."""
    with connect(url) as conn:
        found = conn.execute(TO_REMOVE).fetchall()
    if not found:
        return
    store = PhotoStore(place)
    for photo, sha256 in found:
        with picture_lock(url, sha256):
            _remove_unused(url, store, sha256)
            store.delete(overlay_name(photo))
            with connect(url) as conn:
                conn.execute(REMOVED, (photo,))
