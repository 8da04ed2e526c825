"""Counts one photo: in a process of its own, under a lock; the result is an event, which decides nothing."""

from __future__ import annotations

from contextlib import suppress

import structlog

from league.application.bootstrap import clock
from league.application.dispatch import Dispatcher
from league.application.stream_states import StreamStates
from league.domain.refusals import WrongState
from league.domain.tiles import Tile, ordered
from league.eventlog import codec
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.infra.photo_store import PhotoDamaged, PhotosAway, PhotoStore, overlay_name
from league.photos.application.photo_commands import photo_state, tile_set_of
from league.photos.application.stored_pictures import LOST, picture_lock
from league.photos.domain.photo import PhotoUploaded, ProposeCount, ReadTile
from league.photos.domain.photo_evidence import tiles_elsewhere
from league.projections.runs import Conn

COUNTER = "counter"
"""The actor of proposals."""
LOCK_SPACE = 7_120_433
"""The first key of the advisory locks that let only one worker count a photo."""
ATTEMPTS = 3
"""Counts of a photo that may die before it is given up."""

DAMAGED, DIED = "damaged", "died"
"""Reasons of ours beside those of the pip counter."""

IS_TO_COUNT = "SELECT FROM photos WHERE photo_id = %s AND to_count"
LOCK = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
BEGIN = "UPDATE photos SET attempts = attempts + 1 WHERE photo_id = %s AND to_count RETURNING attempts"
OTHERS = "SELECT photo_id FROM photos WHERE match_id = %s AND hand = %s AND photo_id <> %s AND NOT erased"

log = structlog.get_logger()


def count_photo(url: str, place: str, photo: str) -> None:
    """Propose a count for a photo, unless that is done, or another process is doing it."""
    with connect(url, autocommit=True) as conn, EventStore(url, codec) as store:
        locked = conn.execute(LOCK, (LOCK_SPACE, photo)).fetchone()
        if locked is None or not locked[0]:
            return
        states = StreamStates(store, clock())
        try:
            proposed = _attempt(conn, url, photo, states, PhotoStore(place))
            if proposed is not None:
                Dispatcher(store, clock).send(proposed, COUNTER, "photo")
        except PhotosAway as error:
            log.warning("photos_away", photo=photo, error=str(error))  # a later search sends it again
        except WrongState:
            return  # it was erased meanwhile


def _attempt(conn: Conn, url: str, photo: str, states: StreamStates, pictures: PhotoStore) -> ProposeCount | None:
    """What a count proposes; None if there is nothing left to count. Raises PhotosAway."""
    uploaded = photo_state(states, photo).uploaded
    assert uploaded is not None, "a photo with a row was uploaded"
    try:
        picture = pictures.picture(uploaded.sha256)
    except PhotoDamaged as error:
        log.exception("photo_damaged", photo=photo, error=str(error))
        return _nothing(photo, DAMAGED)
    row = conn.execute(BEGIN, (photo,)).fetchone()
    if row is None:
        return None
    (attempts,) = row
    if attempts > ATTEMPTS:
        return _nothing(photo, DIED)
    from league.vision.pip_counter import BadImage, count_pips, overlay  # noqa: PLC0415  # of the extra `photos`

    try:
        reading = count_pips(
            picture,
            tile_set=tile_set_of(uploaded.match, states),
            excluded=_excluded(conn, photo, uploaded, states),
            threshold=states.league().photo_confidence,
        )
    except BadImage:
        log.exception("photo_damaged", photo=photo)
        return _nothing(photo, DAMAGED)
    drawn = overlay(picture, reading)
    if not _store_overlay(url, pictures, photo, uploaded.sha256, drawn):
        return None  # it was erased meanwhile
    return ProposeCount(
        photo,
        tuple(ReadTile(ordered((read.a, read.b)), read.confidence, read.outline) for read in reading.tiles),
        reading.total,
        reading.confidence,
        reading.reason,
    )


def _store_overlay(url: str, pictures: PhotoStore, photo: str, sha256: str, drawn: bytes) -> bool:
    """Store the overlay of a photo that is still to be counted; of one that was erased, remove it. Whether it is."""
    while True:
        with picture_lock(url, sha256) as lock, suppress(*LOST):
            is_to_count = bool(lock.execute(IS_TO_COUNT, (photo,)).rowcount)
            if is_to_count:
                pictures.put(overlay_name(photo), drawn)
            else:
                pictures.delete(overlay_name(photo))
            lock.execute("SELECT")  # raises where the lock was lost, and the photo may have been erased before `put`
            return is_to_count


def _nothing(photo: str, reason: str) -> ProposeCount:
    return ProposeCount(photo, (), None, 0.0, reason)


def _excluded(conn: Conn, photo: str, uploaded: PhotoUploaded, states: StreamStates) -> frozenset[Tile]:
    played = states.match(uploaded.match).played
    assert played is not None, "its photo was accepted"
    rows = conn.execute(OTHERS, (uploaded.match, uploaded.hand, photo)).fetchall()
    return tiles_elsewhere(uploaded, played, [photo_state(states, other) for (other,) in rows])
