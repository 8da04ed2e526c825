"""Jobs of photos: dramatiq carries the id of a photo to a worker, which has it counted in a process of its own.

The row of the photo says what is left to do, so a lost or repeated message does no harm.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.process import BaseProcess

import dramatiq
import structlog
from dramatiq.errors import BrokerConnectionError
from redis.exceptions import RedisError

from league.infra.database import connect
from league.infra.decoder import keep_to
from league.infra.decoding import LIMITS, ONE_THREAD
from league.infra.photo_store import PhotosAway, is_installed
from league.photos.application.photo_counting import IS_TO_COUNT, count_photo
from league.photos.application.stored_pictures import remove_erased

CHANNEL = "league_photos"
"""The channel on which the database announces every change to the table of photos."""
CHANNELS = (CHANNEL,)
MOST_SENT = 20
"""Photos that one search sends again."""
LONGEST_COUNT = 120.0
"""Seconds after which a count is stopped."""

TO_COUNT = "SELECT photo_id FROM photos WHERE to_count ORDER BY photo_id LIMIT %s"

CountProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The process of a count, which shares no memory with the worker and has the limits of one that decodes a file."""

log = structlog.get_logger()


class PhotoJobs:
    """Sends photos to the workers of one league."""

    queue = "photos"
    at_once = 1
    """A count uses a core and some hundred megabytes."""

    def __init__(self, database_url: str, broker: dramatiq.Broker, place: str | None, ending: threading.Event) -> None:
        """`place`: where photos are stored; None: nowhere, so there are none. `ending`: the worker stops."""
        self._url, self.broker, self._place, self._ending = database_url, broker, place, ending
        self._counting: set[str] = set()
        """Photos that this worker is counting."""
        self._actor = dramatiq.actor(broker=broker, actor_name="count_photo", queue_name=self.queue)(self._carry_out)

    def hand_out(self, photo: str) -> None:
        """Send the id of a stored photo to a worker."""
        try:
            self._actor.send(photo)
        except (BrokerConnectionError, RedisError) as error:
            # The row exists, and workers search for such rows periodically.
            log.warning("broker_away", photo=photo, error=str(error))

    def send_unfinished_again(self) -> None:
        """Send the photos that wait for a count, and remove the pictures of erased ones."""
        if self._place is None or not is_installed():
            return
        with connect(self._url) as conn:
            waiting = [photo for (photo,) in conn.execute(TO_COUNT, (MOST_SENT,))]
        # Rows can wait, and messages would pile up while a photo is counted.
        for photo in waiting if not self._counting else ():
            self._actor.send(photo)
        try:
            remove_erased(self._url, self._place)
        except PhotosAway as error:
            log.warning("photos_away", error=str(error))

    def _carry_out(self, photo: str) -> None:
        """Count a photo, unless that is done: messages may repeat. An attempt that fails is begun again later."""
        if self._place is None or not is_installed() or self._ending.is_set():
            return
        with connect(self._url) as conn:
            if not conn.execute(IS_TO_COUNT, (photo,)).rowcount:
                return
        self._counting.add(photo)
        try:
            self._count_apart(photo, self._place)
        finally:
            self._counting.discard(photo)

    def _count_apart(self, photo: str, place: str) -> None:
        process = CountProcess(target=_count, args=(self._url, place, photo))
        process.start()
        deadline = time.monotonic() + LONGEST_COUNT
        try:
            while process.is_alive() and not self._ending.is_set() and time.monotonic() < deadline:
                process.join(0.1)
        finally:
            process.terminate()
            process.join()
        if process.exitcode != 0 and not self._ending.is_set():
            log.error("photo_count_died", photo=photo, exitcode=process.exitcode)


def _count(url: str, place: str, photo: str) -> None:
    # Ctrl-C reaches every process of the terminal; the worker stops this one when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(ONE_THREAD)
    keep_to(LIMITS)
    count_photo(url, place, photo)
