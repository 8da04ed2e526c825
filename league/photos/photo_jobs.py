"""Stores pictures, has them counted by a worker, backs them up, and removes them when they are erased.

Dramatiq carries the id of a photo to a worker, which counts it in a separate process. The row of the photo says what is
left to do, so a lost or repeated message does no harm.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess

import dramatiq
import structlog
from dramatiq.errors import BrokerConnectionError
from psycopg import InterfaceError, OperationalError
from redis.exceptions import RedisError

from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher
from league.application.stream_states import StreamStates
from league.application.work_part import JobSettings, WorkPart, run_job
from league.domain.refusals import Refusal, WrongState
from league.domain.tiles import Tile, ordered
from league.eventlog import codec
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.infra.decoder import keep_to
from league.infra.decoding import LIMITS, ONE_THREAD
from league.infra.photo_store import (
    OVERLAYS,
    PhotoDamaged,
    PhotosAway,
    PhotoStore,
    is_installed,
    overlay_name,
    picture_name,
)
from league.photos.domain.photo import PhotoUploaded, ProposeCount, ReadTile, UploadPhoto
from league.photos.domain.photo_evidence import tiles_elsewhere
from league.photos.photo_commands import photo_state, tile_set_of
from league.projections.runs import Conn
from league.transfer.transfer_part import TransferPart

PICTURE_LOCKS = 7_120_432
"""First key of the advisory locks under which a picture is stored or removed. The second key is made of its hash."""

LOST = (OperationalError, InterfaceError)
"""The errors that a statement raises if the connection is lost."""
log = structlog.get_logger()

# ---------------------------------------------------------------- stored pictures

TO_REMOVE = "SELECT photo_id, sha256 FROM photos WHERE to_remove ORDER BY photo_id LIMIT 100"
IN_USE = "SELECT FROM photos WHERE sha256 = %s AND NOT erased"
ERASED = "SELECT FROM photos WHERE photo_id = %s AND erased"
REMOVED = "UPDATE photos SET to_remove = false WHERE photo_id = %s"


@contextmanager
def picture_lock(url: str, sha256: str) -> Iterator[Conn]:
    """Hold a lock on the picture with this hash: no other process stores or removes it.

    The lock lasts as long as the connection, which this context yields. Read on it what decides whether to store or
    remove the picture: if the lock is lost, the statement raises one of LOST.
    """
    with connect(url, autocommit=True) as conn:
        conn.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (PICTURE_LOCKS, sha256))
        yield conn


def store_photo(league: League, place: str, content: bytes, command: UploadPhoto, actor: str, key: str | None) -> int:
    """Store a picture and the event of its upload. Returns the event's position. Raises Refusal, PhotosAway."""
    store, outcome, ends = PhotoStore(place), None, False
    while not ends:
        # Without the lock, another process may remove the picture before the photo is stored.
        with picture_lock(league.database.url, command.sha256) as lock, suppress(*LOST):
            # Store the picture first: an event whose picture is missing would be wrong.
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


def remove_erased(url: str, place: str) -> int:
    """Remove the stored pictures of erased photos, unless another photo has the same picture. Returns how many.

    Raises PhotosAway, and one of LOST.
    """
    with connect(url) as conn:
        found = conn.execute(TO_REMOVE).fetchall()
    if found:
        store = PhotoStore(place)
        for photo, sha256 in found:
            with picture_lock(url, sha256) as lock:
                _remove_unused(lock, store, sha256)
                store.delete(overlay_name(photo))
                lock.execute(REMOVED, (photo,))
    return len(found)


OF_PHOTOS = "SELECT DISTINCT sha256 FROM photos WHERE NOT erased ORDER BY sha256"
WITH_OVERLAYS = "SELECT photo_id FROM photos WHERE NOT erased AND NOT to_count ORDER BY photo_id"


def names_of_pictures(conn: Conn, pictures: PhotoStore) -> list[str]:
    """The names of the stored pictures and overlays of all photos that are not erased. Raises PhotosAway."""
    found = [picture_name(sha256) for (sha256,) in conn.execute(OF_PHOTOS)]
    stored = set(pictures.names(OVERLAYS))
    overlays = [overlay_name(photo) for (photo,) in conn.execute(WITH_OVERLAYS)]
    return found + [name for name in overlays if name in stored]


# ---------------------------------------------------------------- a count

COUNTER = "counter"
"""The actor of proposals."""
COUNT_LOCKS = 7_120_433
"""First key of the advisory locks. Only one worker at a time counts a photo."""
ATTEMPTS = 3
"""After this many counts that died, a photo is given up."""

DAMAGED, DIED = "damaged", "died"
"""Reasons for no total that are added to those of the pip counter."""

IS_TO_COUNT = "SELECT FROM photos WHERE photo_id = %s AND to_count"
TRY_LOCK = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
BEGIN = "UPDATE photos SET attempts = attempts + 1 WHERE photo_id = %s AND to_count RETURNING attempts"
OTHERS = "SELECT photo_id FROM photos WHERE match_id = %s AND hand = %s AND photo_id <> %s AND NOT erased"


def count_photo(url: str, place: str, photo: str) -> None:
    """Propose a count for a photo, unless it is counted already or another process is counting it."""
    with connect(url, autocommit=True) as conn, EventStore(url, codec) as store:
        locked = conn.execute(TRY_LOCK, (COUNT_LOCKS, photo)).fetchone()
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
            return  # the photo was erased meanwhile


def _attempt(conn: Conn, url: str, photo: str, states: StreamStates, pictures: PhotoStore) -> ProposeCount | None:
    """The command that proposes a count; None if there is nothing left to count. Raises PhotosAway."""
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
        return None  # the photo was erased meanwhile
    return ProposeCount(
        photo,
        tuple(ReadTile(ordered((read.a, read.b)), read.confidence, read.outline) for read in reading.tiles),
        reading.total,
        reading.confidence,
        reading.reason,
    )


def _store_overlay(url: str, pictures: PhotoStore, photo: str, sha256: str, drawn: bytes) -> bool:
    """Store the overlay if the photo is still to be counted, otherwise remove it. Returns whether it was stored."""
    while True:
        with picture_lock(url, sha256) as lock, suppress(*LOST):
            is_to_count = bool(lock.execute(IS_TO_COUNT, (photo,)).rowcount)
            if is_to_count:
                pictures.put(overlay_name(photo), drawn)
            else:
                pictures.delete(overlay_name(photo))
            lock.execute("SELECT")  # raises if the lock was lost: then the photo may have been erased before `put`
            return is_to_count


def _nothing(photo: str, reason: str) -> ProposeCount:
    return ProposeCount(photo, (), None, 0.0, reason)


def _excluded(conn: Conn, photo: str, uploaded: PhotoUploaded, states: StreamStates) -> frozenset[Tile]:
    played = states.match(uploaded.match).played
    assert played is not None, "its photo was accepted"
    rows = conn.execute(OTHERS, (uploaded.match, uploaded.hand, photo)).fetchall()
    return tiles_elsewhere(uploaded, played, [photo_state(states, other) for (other,) in rows])


# ---------------------------------------------------------------- jobs

CHANNEL = "league_photos"
"""The channel on which the database announces every change to the table of photos."""
MOST_SENT = 20
"""Limit on photos that one search sends again."""
LONGEST_COUNT = 120.0
"""Seconds after which a count is stopped."""

TO_COUNT = "SELECT photo_id FROM photos WHERE to_count ORDER BY photo_id LIMIT %s"

CountProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The process of a count. It shares no memory with the worker, and has the limits of a process that decodes files."""


class PhotoJobs:
    """Sends photos of one league to workers, and counts them in the worker."""

    queue = "photos"
    channels: tuple[str, ...] = (CHANNEL,)
    at_once = 1
    """Counts that a worker does at the same time. Each uses a core and some hundred megabytes."""

    def __init__(
        self, database_url: str, broker: dramatiq.Broker, settings: JobSettings, ending: threading.Event
    ) -> None:
        """`ending`: set when the worker stops."""
        self._url, self.broker, self._place, self._ending = database_url, broker, settings.photo_place, ending
        self._counting: set[str] = set()
        """The photos that this worker is counting now."""
        self._actor = dramatiq.actor(broker=broker, actor_name="count_photo", queue_name=self.queue)(self._carry_out)

    def hand_out(self, photo: str) -> None:
        """Send the id of a stored photo to a worker."""
        try:
            self._actor.send(photo)
        except (BrokerConnectionError, RedisError) as error:
            # The row exists, and the database announced it: workers search for such rows then.
            log.warning("broker_away", photo=photo, error=str(error))

    def send_unfinished_again(self) -> bool:
        """Send photos that wait for a count, and remove the pictures of erased photos. Returns whether some wait."""
        if self._place is None or not is_installed():
            return False
        with connect(self._url) as conn:
            waiting = [photo for (photo,) in conn.execute(TO_COUNT, (MOST_SENT,))]
        # Rows can wait, and messages would pile up while a photo is counted.
        for photo in waiting if not self._counting else ():
            self._actor.send(photo)
        try:
            removed = remove_erased(self._url, self._place)
        except PhotosAway as error:
            log.warning("photos_away", error=str(error))
            return True
        return bool(waiting) or removed > 0  # there may be more to remove

    def _carry_out(self, photo: str) -> None:
        """Count a photo unless that is done, since messages may repeat. A failed attempt is repeated later."""
        if self._place is None or not is_installed() or self._ending.is_set():
            return
        with connect(self._url) as conn:
            if not conn.execute(IS_TO_COUNT, (photo,)).rowcount:
                return
        process = CountProcess(target=_count, args=(self._url, self._place, photo))
        self._counting.add(photo)
        try:
            exitcode = run_job(process, self._ending, LONGEST_COUNT)
        finally:
            self._counting.discard(photo)
        if exitcode is not None:
            log.error("photo_count_died", photo=photo, exitcode=exitcode)


def _count(url: str, place: str, photo: str) -> None:
    # Ctrl-C reaches every process of the terminal. The worker stops this process when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(ONE_THREAD)
    keep_to(LIMITS)
    count_photo(url, place, photo)


WORK = WorkPart(jobs=PhotoJobs)
TRANSFER = TransferPart(backed_up=names_of_pictures)
